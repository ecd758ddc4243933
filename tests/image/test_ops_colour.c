/* Colour operations beside Pillow's and torchvision's results, and at the ends of their
 * parameters. */
#include "colour_support.h"
#include "image/ops/augment.h"

enum { SOURCES = 8, LINE = 128 };

typedef struct golden {
    stk_pixels sources[SOURCES];
    char       names[SOURCES][16];
    int        count;
} golden;

static stk_bytes data_file(const char *name)
{
    char path[512];
    snprintf(path, sizeof path, STK_TEST_DATA "/image/colour/%s", name);
    return stk_test_read_file(path);
}

static golden load_sources(void)
{
    const stk_bytes text = data_file("sources.txt"), bytes = data_file("sources.bin");
    const char     *at = (const char *)text.data, *end = at + text.size;
    uint8_t        *data = (uint8_t *)(uintptr_t)bytes.data;
    golden          out = {0};
    for (; at < end; at = strchr(at, '\n') + 1) {
        stk_pixels *p = &out.sources[out.count];
        EXPECT_INT_EQ(4, sscanf(at, "%15s %d %d %d", out.names[out.count++], &p->width, &p->height,
                                &p->channels));
        p->stride = stk_area_row_bytes(p);
        p->data = data;
        data += stk_area_bytes(p);
    }
    return out;
}

static const stk_pixels *source_named(const golden *g, const char *name)
{
    for (int i = 0; i < g->count; i++)
        if (strcmp(g->names[i], name) == 0) return &g->sources[i];
    fail_msg("no source %s", name);
    return NULL;
}

static stk_augment_range range_named(const char *name, const stk_pixels *pixels)
{
    if (strcmp(name, "wide") == 0) return (stk_augment_range){.99f, 32, 32, 135, .99f, 6};
    return (stk_augment_range){
        .3f, (float)(150.0 / 331 * pixels->width), (float)(150.0 / 331 * pixels->height), 30, .9f,
        4};
}

/* "augment=TABLE,CHANGE,BIN,SIGN" */
static stk_status run_augment(const char *text, const stk_pixels *src, stk_canvas_buffers *buffers,
                              stk_error *err)
{
    static const stk_augment_look look = {.filter = STK_FILTER_NEAREST};
    char                          table[8];
    int                           augment, bin, sign;
    EXPECT_INT_EQ(4, sscanf(text, "augment=%4s,%d,%d,%d", table, &augment, &bin, &sign));
    const stk_augment_range range = range_named(table, src);
    EXPECT(sign > 0 || stk_augment_is_signed((stk_augment)augment));
    STK_TRY(stk_canvas_buffers_start(buffers, src->width, src->height, src->channels, err));
    memcpy(buffers->canvas.pixels.data, src->data, stk_area_bytes(src));
    return stk_augment_apply(&buffers->canvas, (stk_augment)augment,
                             sign * stk_augment_magnitude(&range, (stk_augment)augment, bin, 31),
                             &look, err);
}

static void expect_near(const char *text, const stk_pixels *got, const uint8_t *want, int bound)
{
    const size_t bytes = stk_area_bytes(got);
    size_t       off = 0;
    int          most = 0;
    for (size_t i = 0; i < bytes; i++) {
        const int apart = abs(got->data[i] - want[i]);
        off += apart > 0;
        most = apart > most ? apart : most;
    }
    if (most > bound) fail_msg("%s: %zu of %zu levels differ, by up to %d", text, off, bytes, most);
}

static size_t check_line(const golden *g, const char *line, const uint8_t *want)
{
    stk_error          err;
    stk_canvas_buffers buffers;
    char               source[16], text[LINE];
    int                channels, bound;
    EXPECT_INT_EQ(4, sscanf(line, "%d %15s %d %127[^\n]", &channels, source, &bound, text));
    const stk_pixels *src = source_named(g, source);
    stk_canvas_buffers_init(&buffers, NULL);
    if (strncmp(text, "augment=", 8) == 0)
        EXPECT_OK(run_augment(text, src, &buffers, &err));
    else
        EXPECT_OK(run_job(&(paint_job){.text = text, .src = *src}, &buffers, &err));
    EXPECT_INT_EQ(channels, buffers.canvas.pixels.channels);
    expect_near(line, &buffers.canvas.pixels, want, bound);
    const size_t bytes = stk_area_bytes(&buffers.canvas.pixels);
    stk_canvas_buffers_release(&buffers);
    return bytes;
}

STK_TEST(colour_operations_give_what_pillow_and_torchvision_give)
{
    const golden    g = load_sources();
    const stk_bytes cases = data_file("cases.txt"), results = data_file("cases.bin");
    const uint8_t  *want = results.data;
    const char     *at = (const char *)cases.data, *end = at + cases.size;
    for (; at < end; at = strchr(at, '\n') + 1)
        want += check_line(&g, at, want);
    EXPECT(want == results.data + results.size);
}

/* Every operation of this page with parameters that allow it to run on anything. */
static const char *const anything[] = {
    "brightness factor=0,3",
    "contrast factor=0,3",
    "saturation factor=0,1000",
    "hue shift=-0.5,0.5",
    "gamma gamma=0,100 gain=0,1000",
    "grey",
    "grey channels=1",
    "colour_jitter brightness=0.4 contrast=0.4 saturation=0.4 hue=0.5",
    "colour_jitter",
    "solarize threshold=0,256",
    "posterize bits=1,8",
    "equalize",
    "autocontrast cutoff=100",
    "invert",
    "sharpness factor=0,1000",
    "blur",
    "blur sigma=100 kernel=129",
    "blur sigma=0.01 kernel=1",
    "noise stddev=10",
    "noise stddev=0",
    "noise kind=salt_pepper amount=0,1",
    "noise kind=salt_pepper amount=1",
    "erase area=0,1 aspect=0.001,1000",
    "erase value=random",
    "erase value=mean",
    "cutout size=65535 holes=3",
    "rand_augment n=20 magnitude=30",
    "trivial_augment bins=2 filter=bicubic",
};

STK_TEST(colour_operations_run_on_images_of_any_size)
{
    static const int32_t sizes[][2] = {{1, 1}, {2, 1}, {1, 5}, {3, 3}, {7, 2}, {67, 33}};
    stk_error            err;
    stk_canvas_buffers   buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    for (size_t i = 0; i < COUNT_OF(anything); i++)
        for (size_t s = 0; s < COUNT_OF(sizes); s++)
            for (int32_t channels = 1; channels <= 3; channels += 2)
                for (uint64_t index = 0; index < 10; index++) {
                    paint_job job = {.text = anything[i], .index = index};
                    job.src = make_pixels(sizes[s][0], sizes[s][1], channels, -1);
                    EXPECT_OK(run_job(&job, &buffers, &err));
                    EXPECT_INT_EQ(sizes[s][0], buffers.canvas.pixels.width);
                    EXPECT_INT_EQ(sizes[s][1], buffers.canvas.pixels.height);
                    free(job.src.data);
                }
    stk_canvas_buffers_release(&buffers);
}

static stk_status run_afresh(void *context, stk_error *err)
{
    stk_canvas_buffers buffers;
    stk_canvas_buffers_init(&buffers, NULL);
    const stk_status st = run_job(context, &buffers, err);
    stk_canvas_buffers_release(&buffers);
    return st;
}

STK_TEST(colour_operations_survive_every_failing_allocation)
{
    paint_job job = {.src = make_pixels(9, 7, 3, -1)};
    for (size_t i = 0; i < COUNT_OF(anything); i++) {
        job.text = anything[i];
        stk_test_fail_each_allocation(run_afresh, &job);
    }
    free(job.src.data);
}

static void expect_refused(const char *text, const char *part)
{
    stk_error          err;
    stk_canvas_buffers buffers;
    paint_job          job = {.text = text, .src = make_pixels(2, 2, 3, 0)};
    stk_canvas_buffers_init(&buffers, NULL);
    EXPECT_STATUS(STK_E_INVALID, run_job(&job, &buffers, &err));
    EXPECT_CONTAINS(part, err.message);
    stk_canvas_buffers_release(&buffers);
    free(job.src.data);
}

STK_TEST(colour_operations_refuse_parameters_that_make_no_sense)
{
    expect_refused("brightness factor=2,1", "factor=2,1");
    expect_refused("brightness", "factor");
    expect_refused("contrast factor=-1", "factor");
    expect_refused("hue shift=0.6", "shift");
    expect_refused("posterize bits=2.5", "bits=2.5");
    expect_refused("posterize bits=9", "bits");
    expect_refused("blur kernel=4", "make it 3 or 5");
    expect_refused("blur sigma=0", "sigma");
    expect_refused("noise kind=pink", "pink");
    expect_refused("erase aspect=0,1", "aspect");
    expect_refused("cutout", "size");
    expect_refused("rand_augment magnitude=31", "magnitude=31 must be below bins=31");
    expect_refused("colour_jitter hue=0.7", "hue");
}

STK_TEST(grey_says_how_many_channels_it_leaves)
{
    const stk_image_op *op = stk_image_op_find("grey");
    stk_image_size      size = {5, 4, 3, STK_DTYPE_U8, false};
    stk_error           err;
    void               *params;
    EXPECT_OK(stk_image_params_parse(&params, op, "channels=1", &err));
    op->measure(params, &size);
    free(params);
    EXPECT_INT_EQ(1, size.channels);
    EXPECT_INT_EQ(5, size.width);
}
