/* The health of small folders with planted faults, and of one without. */
#include "failing_alloc.h"
#include "harness.h"
#include "storage/source_support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/health.h>
#include <stoker/pack.h>

/* An image of soft blobs that seed decides. */
static stk_blob draw_image(uint32_t seed, int32_t width, int32_t height, int32_t channels)
{
    stk_error err;
    stk_blob  png;
    uint8_t  *data = malloc((size_t)(width * height * channels));
    double    a[6];
    for (int i = 0; i < 6; i++) {
        seed = seed * 1664525u + 1013904223u;
        a[i] = (double)(seed >> 8) / (1 << 24);
    }
    for (int32_t i = 0; i < width * height * channels; i++) {
        const double x = (0.5 + i / channels % width) / width;
        const double y = (0.5 + i / channels / width) / height;
        const double v = sin(6 * x * (1 + 3 * a[0]) + 6 * a[1]) +
                         cos(6 * y * (1 + 3 * a[2]) + 6 * a[3]) + sin(9 * (x * a[4] - y * a[5]));
        data[i] = (uint8_t)(128 + 40 * v);
    }
    const stk_pixels pixels = {data, width, height, channels, (size_t)(width * channels)};
    stk_blob_init(&png, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_image_write_png(&png, &pixels, &err));
    free(data);
    return png;
}

static void put_image(const char *name, uint32_t seed, int32_t width, int32_t height,
                      int32_t channels)
{
    stk_blob png = draw_image(seed, width, height, channels);
    put_bytes(name, png.data, png.size);
    stk_blob_release(&png);
}

/* count images of two classes, all different, as FOLDER/SPLIT/CLASS/i.png. */
static void put_set(const char *folder, const char *split, uint32_t seed, int count)
{
    char name[128];
    for (int i = 0; i < 2 * count; i++) {
        snprintf(name, sizeof name, "%s/%s/%s/%d.png", folder, split, i % 2 ? "dog" : "cat", i / 2);
        put_image(name, seed + (uint32_t)i, 80, 64, 3);
    }
}

static stk_health_report check(const char *path, const stk_health_options *options)
{
    stk_error         err;
    stk_health_report report;
    stk_source       *source = open_source(path, NULL);
    EXPECT(stk_health_applies(source));
    EXPECT_OK(stk_health_check(&report, source, options, &err));
    stk_source_free(source);
    return report;
}

static const stk_health_finding *find(const stk_health_report *report, const char *rule)
{
    for (size_t i = 0; i < report->finding_count; i++)
        if (!strcmp(report->findings[i].rule, rule)) return &report->findings[i];
    return NULL;
}

static void expect_finding(const stk_health_report *report, const char *rule, uint64_t count,
                           const char *example)
{
    const stk_health_finding *f = find(report, rule);
    if (!f) fail_msg("nothing was found by %s", rule);
    EXPECT_INT_EQ(count, f->count);
    EXPECT_CONTAINS(example, f->examples[0]);
}

STK_TEST(a_sound_set_has_no_findings)
{
    put_set("sound", "train", 1, 12);
    put_set("sound", "test", 100, 4);
    stk_health_report report = check(stk_test_path("sound"), NULL);
    for (size_t i = 0; i < report.finding_count; i++)
        fail_msg("%s: %s", report.findings[i].rule, report.findings[i].message);
    EXPECT_INT_EQ(32, report.looked_at);
    EXPECT_INT_EQ(32, report.formats[STK_IMAGE_PNG]);
    EXPECT_INT_EQ(80, report.median_width);
    EXPECT_INT_EQ(64, report.max_height);
    EXPECT_INT_EQ(32, report.colours);
    stk_health_report_release(&report);
}

/* A set with one of each fault. */
static const char *make_faults(const char *folder)
{
    char name[128];
#define NAME(text) (snprintf(name, sizeof name, "%s/" text, folder), name)
    put_set(folder, "train", 1, 12);
    put_set(folder, "test", 100, 4);
    put_image(NAME("test/cat/copy.png"), 1, 80, 64, 3);         /* of train/cat/0 */
    put_image(NAME("test/dog/smaller.png"), 4, 40, 32, 3);      /* of train/dog/1 */
    put_image(NAME("train/dog/mislabelled.png"), 3, 80, 64, 3); /* of train/cat/1 */
    put(NAME("train/cat/bad.png"), "\x89PNG\r\n\x1a\nand then nothing");
    put_image(NAME("train/cat/grey.png"), 200, 80, 64, 1);
    put_image(NAME("train/cat/thumb.png"), 201, 10, 8, 3);
    put_image(NAME("train/cat/banner.png"), 202, 400, 60, 3);
    put_image(NAME("train/cat/named.jpg"), 203, 80, 64, 3);
    put_image(NAME("train/Dog /1.png"), 204, 80, 64, 3);
    put(NAME("train/cat/notes.heic"), "x");
    return stk_test_path(folder);
#undef NAME
}

STK_TEST(each_planted_fault_is_found_and_named)
{
    stk_health_report report = check(make_faults("faults"), NULL);
    EXPECT_INT_EQ(STK_HEALTH_PROBLEM, report.findings[0].level);
    EXPECT_INT_EQ(1, report.bad);
    EXPECT_CONTAINS("train/cat/bad.png", report.bad_list[0].name);
    EXPECT(report.bad_list[0].reason[0]);
    expect_finding(&report, "bad_images", 1, "train/cat/bad.png");
    expect_finding(&report, "split_overlap", 1, "test/cat/copy.png = train/cat/0.png");
    expect_finding(&report, "duplicates", 2, ".png");
    expect_finding(&report, "label_conflicts", 1, "train/dog/mislabelled.png");
    expect_finding(&report, "near_overlap", 1, "test/dog/smaller.png ~ train/dog/1.png");
    expect_finding(&report, "near_duplicates", 1, "smaller.png");
    expect_finding(&report, "similar_classes", 1, "'Dog ' and 'dog'");
    expect_finding(&report, "few_images", 1, "'Dog ': 1");
    expect_finding(&report, "missing_classes", 1, "'Dog ': none outside");
    expect_finding(&report, "tiny_images", 1, "thumb.png: 10 x 8");
    expect_finding(&report, "banners", 1, "banner.png: 400 x 60");
    expect_finding(&report, "mixed_channels", 1, "grey.png");
    expect_finding(&report, "wrong_endings", 1, "named.jpg");
    EXPECT_CONTAINS("1 .heic image", find(&report, "left_out")->message);
    EXPECT_CONTAINS("'cat' has 17 images", find(&report, "imbalance")->message);
    stk_health_report_release(&report);
}

STK_TEST(the_report_is_the_same_on_any_number_of_threads)
{
    const char       *path = make_faults("threads");
    stk_health_report one = check(path, &(stk_health_options){.threads = 1});
    for (int threads = 2; threads <= 7; threads += 5) {
        stk_health_report more = check(path, &(stk_health_options){.threads = threads});
        EXPECT_INT_EQ(one.finding_count, more.finding_count);
        for (size_t i = 0; i < one.finding_count; i++) {
            EXPECT_STR_EQ(one.findings[i].message, more.findings[i].message);
            EXPECT_STR_EQ(one.findings[i].examples[0], more.findings[i].examples[0]);
        }
        stk_health_report_release(&more);
    }
    stk_health_report_release(&one);
}

STK_TEST(a_sample_is_spread_over_the_set_and_says_how_many)
{
    put_set("sampled", "train", 1, 12);
    stk_health_report report =
        check(stk_test_path("sampled"), &(stk_health_options){.sample = 6, .threads = 2});
    EXPECT_INT_EQ(24, report.items);
    EXPECT_INT_EQ(6, report.looked_at);
    stk_health_report_release(&report);
    report = check(stk_test_path("sampled"), &(stk_health_options){.sample = 6, .all = true});
    EXPECT_INT_EQ(24, report.looked_at);
    stk_health_report_release(&report);
}

STK_TEST(class_names_are_compared_without_case_spaces_and_accents)
{
    static const char *const names[] = {"Caf\xc3\xa9",
                                        "cafe",
                                        "hot_dog",
                                        "Hot Dog",
                                        "cat",
                                        "cats",
                                        "\xd0\x9a\xd0\xbe\xd1\x82",
                                        "\xd0\xba\xd0\xbe\xd1\x82",
                                        "n\xcc\x83u",
                                        "\xc3\xb1u",
                                        "\xe7\x8c\xab",
                                        "\xe7\x8a\xac"};
    char                     name[128];
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        snprintf(name, sizeof name, "names/%s/1.png", names[i]);
        put_image(name, (uint32_t)i, 32, 32, 3);
    }
    stk_health_report report = check(stk_test_path("names"), NULL);
    EXPECT_INT_EQ(4, find(&report, "similar_classes")->count);
    stk_health_report_release(&report);
}

STK_TEST(images_of_a_pack_are_called_by_the_names_they_had)
{
    stk_error              err;
    const char            *out = stk_test_path("packed");
    stk_source            *source = open_source(make_faults("to-pack"), NULL);
    const stk_pack_options options = {.images = {.format = STK_PACK_KEEP}};
    EXPECT_OK(stk_pack(source, out, &options, NULL, &err));
    stk_source_free(source);
    stk_health_report report = check(out, NULL);
    expect_finding(&report, "bad_images", 1, "train/cat/bad.png, record ");
    expect_finding(&report, "split_overlap", 1, "test/cat/copy.png, record ");
    stk_health_report_release(&report);
}

STK_TEST(pixels_of_an_idx_file_are_compared_as_well)
{
    enum { COUNT = 3, SIDE = 16 };
    uint8_t images[16 + COUNT * SIDE * SIDE] = {0, 0, 8, 3,    0, 0, 0, COUNT,
                                                0, 0, 0, SIDE, 0, 0, 0, SIDE};
    for (int i = 0; i < COUNT * SIDE * SIDE; i++)
        images[16 + i] = (uint8_t)((i % (SIDE * SIDE)) * (i < 2 * SIDE * SIDE ? 7 : 11));
    stk_health_report report =
        check(put_bytes("train-images-idx3-ubyte", images, sizeof images), NULL);
    EXPECT_INT_EQ(COUNT, report.formats[STK_IMAGE_NONE]);
    EXPECT_INT_EQ(1, report.copies);
    EXPECT_INT_EQ(SIDE, report.max_width);
    stk_health_report_release(&report);
}

static stk_status check_once(void *context, stk_error *err)
{
    const stk_health_options options = {.threads = 1};
    stk_source              *source = NULL;
    stk_health_report        report = {0};
    stk_status               st = stk_source_open(&source, NULL, context, NULL, err);
    if (!st) st = stk_health_check(&report, source, &options, err);
    stk_health_report_release(&report);
    stk_source_free(source);
    return st;
}

STK_TEST(a_check_survives_every_failed_allocation)
{
    put_image("failing/a/1.png", 1, 32, 32, 3);
    put_image("failing/b/1.png", 1, 32, 32, 3);
    put("failing/b/2.png", "bad");
    stk_test_fail_each_allocation(check_once, (void *)stk_test_path("failing"));
}

STK_TEST(a_check_can_be_cancelled)
{
    stk_error                err;
    stk_health_report        report;
    stk_cancel               cancel = STK_CANCEL_INIT;
    const stk_health_options options = {.cancel = &cancel, .threads = 3};
    put_set("cancelled", "train", 1, 4);
    stk_source *source = open_source(stk_test_path("cancelled"), NULL);
    stk_cancel_request(&cancel);
    EXPECT_STATUS(STK_E_CANCELLED, stk_health_check(&report, source, &options, &err));
    stk_source_free(source);
}
