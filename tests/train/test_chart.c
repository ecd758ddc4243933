/* Charts: what each form holds, gaps, limits, hostile texts. */
#include "failing_alloc.h"
#include "harness.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double           xs[] = {0, 1, 2, 3, 4}, ys[] = {0, 1, 4, 9, 16};
static const stk_chart_series squares = {"squares", xs, ys, 5, ys};
static const stk_chart_marker highest = {4, 16, "the highest"};
static const stk_chart        plain = {.title = "Title",
                                       .x_label = "x",
                                       .y_label = "y",
                                       .series = &squares,
                                       .series_count = 1,
                                       .markers = &highest,
                                       .marker_count = 1};

static char text[1 << 20];

static const char *kept(stk_blob *blob)
{
    EXPECT(blob->size < sizeof text);
    memcpy(text, blob->data, blob->size);
    text[blob->size] = 0;
    stk_blob_release(blob);
    return text;
}

static const char *svg_of(const stk_chart *chart)
{
    stk_error err;
    stk_blob  blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_chart_svg(&blob, chart, &err));
    return kept(&blob);
}

static const char *text_of(const stk_chart *chart, stk_chart_text_options options)
{
    stk_error err;
    stk_blob  blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_chart_text(&blob, chart, &options, &err));
    return kept(&blob);
}

STK_TEST(a_chart_in_plain_letters)
{
    const stk_chart_text_options options = {.columns = 30, .rows = 9};
    EXPECT_STR_EQ("Title\n"
                  "* squares\n"
                  "y\n"
                  "   |                         A\n"
                  "15 +                       **\n"
                  "   |                      *\n"
                  "10 +                    **\n"
                  "   |                  **\n"
                  " 5 +               ***\n"
                  "   |          *****\n"
                  "   |   *******\n"
                  " 0 +***\n"
                  "   ++------------+-----------+\n"
                  "    0            2           4\n"
                  "                x\n"
                  "A (4, 16) the highest\n",
                  text_of(&plain, options));
}

STK_TEST(a_chart_in_braille)
{
    const stk_chart_text_options options = {.columns = 20, .rows = 4, .utf8 = true};
    const stk_chart_series       line = {NULL, xs, xs, 5, NULL};
    const stk_chart              chart = {.series = &line, .series_count = 1};
    EXPECT_STR_EQ("4 ┤             ⢀⡠⠤⠒\n"
                  "  │         ⣀⠤⠒⠉⠁\n"
                  "2 ┤   ⢀⣀⠤⠔⠒⠉\n"
                  "0 ┤⠤⠒⠉⠁\n"
                  "  └┬───────┬───────┬\n"
                  "   0       2       4\n",
                  text_of(&chart, options));
}

STK_TEST(lines_are_told_apart_by_letters_or_colours)
{
    const double           zs[] = {16, 9, 4, 1, 0};
    const stk_chart_series both[] = {squares, {"falling", xs, zs, 5, NULL}};
    const stk_chart        chart = {.series = both, .series_count = 2};
    stk_chart_text_options options = {.utf8 = true};
    EXPECT_CONTAINS("* squares   + falling", text_of(&chart, options));
    EXPECT(!strstr(text, "\x1b"));
    options.colour = true;
    EXPECT_CONTAINS("\x1b[34m──\x1b[0m squares   \x1b[33m──\x1b[0m falling",
                    text_of(&chart, options));
    EXPECT(!strchr(text, '*'));
}

STK_TEST(svg_holds_the_line_the_texts_and_both_themes)
{
    EXPECT_CONTAINS("viewBox=\"0 0 960 540\"", svg_of(&plain));
    EXPECT_CONTAINS("<title>Title</title>", text);
    EXPECT_CONTAINS("prefers-color-scheme:dark", text);
    EXPECT_CONTAINS(">squares</text>", text);
    EXPECT_CONTAINS(">the highest</text>", text);
    EXPECT_CONTAINS("class=\"l s0\" d=\"M", text);
    const char *path = strstr(text, "d=\"M");
    int         corners = 0;
    for (; *path != '/'; path++)
        corners += *path == 'L';
    EXPECT_INT_EQ(4, corners);
    EXPECT_STR_EQ("</svg>\n", text + strlen(text) - 7);
}

/* Texts come from file names and recipes: none may break the document or steer the terminal. */
STK_TEST(hostile_texts_are_made_harmless)
{
    stk_chart chart = plain;
    chart.title = "<script>&\x1b[2J\xff\n\xc2\x9b]";
    EXPECT_CONTAINS("<title>&lt;script&gt;&amp;?[2J???]</title>", svg_of(&chart));
    const stk_chart_text_options options = {.utf8 = true};
    EXPECT_CONTAINS("<script>&?[2J???]\n", text_of(&chart, options));
    chart.title = "größe";
    const stk_chart_text_options ascii = {0};
    EXPECT_CONTAINS("gr??e\n", text_of(&chart, ascii));
}

STK_TEST(gaps_lift_the_pen_and_a_point_alone_is_a_dot)
{
    const double           x[] = {0, 1, 2, 3, 4, 5}, y[] = {1, 2, NAN, 3, INFINITY, 4};
    const stk_chart_series series = {NULL, x, y, 6, NULL};
    const stk_chart        chart = {.series = &series, .series_count = 1};
    const char            *path = strstr(svg_of(&chart), "d=\"M") + 3;
    int                    lifted = 0, drawn = 0;
    for (; *path != '"'; path++) {
        lifted += *path == 'M';
        drawn += *path == 'L';
    }
    EXPECT_INT_EQ(3, lifted);
    EXPECT_INT_EQ(3, drawn);
}

STK_TEST(a_million_points_are_few_corners_and_keep_their_spike)
{
    enum { MANY = 1000000 };
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    EXPECT(x && y);
    for (int i = 0; i < MANY; i++) {
        x[i] = i;
        y[i] = i == 777777 ? 100 : 0.01 * (i % 10);
    }
    const stk_chart_series series = {NULL, x, y, MANY, NULL};
    const stk_chart        chart = {.series = &series, .series_count = 1};
    svg_of(&chart);
    EXPECT(strlen(text) < 100000);
    const stk_chart_text_options options = {.rows = 8};
    EXPECT_CONTAINS("100 +                                                          *\n",
                    text_of(&chart, options));
    free(x);
    free(y);
}

/* Pixels of a colour in an image. */
static int count_colour(const stk_pixels *p, uint32_t colour)
{
    int count = 0;
    for (int y = 0; y < p->height; y++)
        for (int x = 0; x < p->width; x++) {
            const uint8_t *at = p->data + (size_t)y * p->stride + (size_t)x * 3;
            count += (uint32_t)(at[0] << 16 | at[1] << 8 | at[2]) == colour;
        }
    return count;
}

STK_TEST(png_holds_the_line_in_its_colour)
{
    stk_error    err;
    stk_blob     blob;
    stk_decoder *decoder;
    stk_pixels   pixels;
    EXPECT_OK(stk_decoder_new(&decoder, NULL, &err));
    for (int dark = 0; dark < 2; dark++) {
        stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_chart_png(&blob, &plain, dark, &err));
        EXPECT_OK(
            stk_image_decode(decoder, stk_blob_bytes(&blob), NULL, 1, NULL, &pixels, NULL, &err));
        EXPECT_INT_EQ(960, pixels.width);
        EXPECT_INT_EQ(540, pixels.height);
        EXPECT(count_colour(&pixels, dark ? 0x6cb0ff : 0x1f6fd6) > 900);
        EXPECT(count_colour(&pixels, dark ? 0x0f1318 : 0xffffff) > 960 * 540 / 2);
        stk_blob_release(&blob);
    }
    stk_decoder_free(decoder);
}

STK_TEST(charts_of_nothing_of_one_point_and_of_small_sides_are_drawn)
{
    stk_error              err;
    stk_blob               blob;
    const double           nan = NAN;
    const stk_chart_series series[] = {
        {"none", NULL, NULL, 0, NULL}, {"one", xs, ys, 1, NULL}, {"never", &nan, &nan, 1, NULL}};
    for (size_t i = 0; i < COUNT_OF(series); i++)
        for (int log = 0; log < 2; log++) {
            stk_chart chart = {.title = "a title that is far too long for so small an image",
                               .x_label = "x",
                               .y_label = "y",
                               .x_log = log,
                               .y_log = log,
                               .series = &series[i],
                               .series_count = 1,
                               .markers = &highest,
                               .marker_count = i,
                               .width = STK_CHART_SIDE_MIN,
                               .height = STK_CHART_SIDE_MIN};
            if (i > 1) chart.marker_count = 0;
            stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
            EXPECT_OK(stk_chart_png(&blob, &chart, false, &err));
            EXPECT_OK(stk_chart_svg(&blob, &chart, &err));
            const stk_chart_text_options options = {.columns = 20, .rows = 4, .utf8 = log};
            EXPECT_OK(stk_chart_text(&blob, &chart, &options, &err));
            stk_blob_release(&blob);
        }
}

STK_TEST(charts_past_the_limits_are_refused_and_leave_the_blob_alone)
{
    stk_error err;
    stk_blob  blob;
    stk_chart chart = plain;
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_blob_append(&blob, "x", 1, &err));
    chart.series_count = STK_CHART_SERIES_MAX + 1;
    EXPECT_STATUS(STK_E_LIMIT, stk_chart_svg(&blob, &chart, &err));
    EXPECT_CONTAINS("9 lines; more than 8", err.message);
    chart = plain;
    chart.marker_count = STK_CHART_MARKERS_MAX + 1;
    EXPECT_STATUS(STK_E_LIMIT, stk_chart_png(&blob, &chart, false, &err));
    chart = plain;
    chart.width = 10;
    EXPECT_STATUS(STK_E_RANGE, stk_chart_png(&blob, &chart, false, &err));
    EXPECT_CONTAINS("10 by 540 pixels", err.message);
    const stk_chart_text_options options = {.columns = 19};
    EXPECT_STATUS(STK_E_RANGE, stk_chart_text(&blob, &plain, &options, &err));
    EXPECT_INT_EQ(1, blob.size);
    stk_blob_release(&blob);
}

static stk_status draw_all(void *context, stk_error *err)
{
    stk_blob blob;
    (void)context;
    stk_blob_init(&blob, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_chart_svg(&blob, &plain, err);
    if (!st) st = stk_charts_svg(&blob, &plain, 1, err);
    if (!st) st = stk_chart_png(&blob, &plain, false, err);
    if (!st) st = stk_chart_text(&blob, &plain, NULL, err);
    stk_blob_release(&blob);
    return st;
}

STK_TEST(a_smoothed_line_keeps_its_level_and_loses_its_noise)
{
    enum { COUNT = 1000 };
    static double raw[COUNT], smooth[COUNT];
    for (int i = 0; i < COUNT; i++)
        raw[i] = 5 + (i % 2 ? 1 : -1);
    stk_chart_smooth(raw, COUNT, smooth);
    EXPECT(smooth[0] == 4); /* the first is all there is */
    for (int i = 100; i < COUNT; i++)
        EXPECT(fabs(smooth[i] - 5) < 0.1);
    raw[500] = NAN;
    stk_chart_smooth(raw, COUNT, smooth);
    EXPECT(isnan(smooth[500]) && fabs(smooth[501] - 5) < 0.1);
    stk_chart_smooth(raw, 9, smooth); /* too few */
    EXPECT_MEM_EQ(raw, smooth, 9 * sizeof *raw);
}

STK_TEST(what_was_before_smoothing_is_a_faint_line_behind)
{
    static const double    x[] = {0, 1, 2}, y[] = {1, 2, 3}, raw[] = {1, 9, 3};
    const stk_chart_series series = {"a", x, y, 3, raw};
    const stk_chart        chart = {.series = &series, .series_count = 1};
    stk_blob               out;
    stk_error              err;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_chart_svg(&out, &chart, &err));
    EXPECT_OK(stk_blob_append(&out, "", 1, &err));
    const char *behind = strstr((const char *)out.data, "class=\"l s0 b\"");
    const char *front = strstr((const char *)out.data, "<path class=\"l s0\"");
    EXPECT(behind && front && behind < front);
    out.size = 0;
    EXPECT_OK(stk_chart_png(&out, &chart, false, &err));
    EXPECT(out.size > 1000);
    stk_blob_release(&out);
}

STK_TEST(several_charts_are_one_image)
{
    static const double    x[] = {0, 1}, y[] = {1, 2};
    const stk_chart_series series = {"a", x, y, 2, NULL};
    const stk_chart        charts[] = {
               {.title = "one", .series = &series, .series_count = 1, .height = 300},
               {.title = "two", .series = &series, .series_count = 1, .height = 200}};
    stk_blob  out;
    stk_error err;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_charts_svg(&out, charts, 2, &err));
    EXPECT_OK(stk_blob_append(&out, "", 1, &err));
    EXPECT_CONTAINS("width=\"960\" height=\"500\"", (const char *)out.data);
    EXPECT_CONTAINS(" y=\"300\" width=\"960\" height=\"200\"", (const char *)out.data);
    EXPECT_CONTAINS(">two</text>", (const char *)out.data);
    const stk_chart bad = {.width = 1};
    out.size = 3;
    EXPECT_STATUS(STK_E_RANGE, stk_charts_svg(&out, &bad, 1, &err));
    EXPECT_INT_EQ(3, out.size);
    stk_blob_release(&out);
}

STK_TEST(charts_survive_every_failed_allocation)
{
    stk_test_fail_each_allocation(draw_all, NULL);
}
