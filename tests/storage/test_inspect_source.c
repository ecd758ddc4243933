/* Inspecting sources that are no TFRecords. */
#include "inspect_support.h"

enum { CLASSES = 3, IMAGES = 100 };

/* FOLDER/class/N.jpg: CLASSES folders of IMAGES files, of 100 to 199 bytes. */
static const char *make_images(const char *name)
{
    const char *root = make_folder(name);
    char        path[400];
    uint8_t     image[200] = {0xFF, 0xD8, 0xFF, 0xE0};
    stk_error   err;
    for (int c = 0; c < CLASSES; c++) {
        snprintf(path, sizeof path, "%s/class%d", root, c);
        EXPECT_OK(stk_path_make_directory(NULL, path, &err));
        for (int i = 0; i < IMAGES; i++) {
            snprintf(path, sizeof path, "%s/class%d/%03d.jpg", root, c, i);
            stk_test_write_file(path, image, (size_t)(100 + i));
        }
    }
    return root;
}

STK_TEST(a_folder_of_images_is_counted_from_its_listing)
{
    stk_error           err;
    stk_inspect_report  report;
    stk_inspect_options options = {.sample_records = 10, .first_records = 2};
    EXPECT_OK(stk_inspect(&report, NULL, make_images("counted"), &options, &err));
    EXPECT_STR_EQ("folder", report.kind);
    EXPECT_INT_EQ(CLASSES * IMAGES, report.records);
    EXPECT_INT_EQ(10, report.records_read);
    EXPECT_INT_EQ(100, report.min_record_bytes);
    EXPECT_INT_EQ(199, report.max_record_bytes);
    EXPECT_INT_EQ(report.bytes, report.total_record_bytes);
    EXPECT_INT_EQ(1, report.file_count);
    EXPECT_INT_EQ(CLASSES * IMAGES, report.files[0].records);
    EXPECT_INT_EQ(CLASSES, report.class_count);
    EXPECT_STR_EQ("class1", report.classes[1].name);
    EXPECT_INT_EQ(IMAGES, report.classes[1].count);
    EXPECT_STR_EQ("JPEG", feature_of(&report, "image")->content);
    EXPECT_INT_EQ(2, report.first_count);
    EXPECT_CONTAINS("class0/000.jpg, 100 bytes\n", report.first[0]);
    EXPECT_CONTAINS("class0/001.jpg, 101 bytes\n", report.first[1]);
    stk_inspect_report_release(&report);
}

STK_TEST(the_sample_is_spread_over_all_classes)
{
    stk_error                  err;
    stk_inspect_report         report;
    stk_inspect_options        options = {.sample_records = 30, .label = "image/filename"};
    const stk_inspect_feature *image;
    EXPECT_OK(stk_inspect(&report, NULL, make_images("spread"), &options, &err));
    image = feature_of(&report, "image");
    EXPECT_INT_EQ(100, image->min_bytes);
    EXPECT_INT_EQ(190, image->max_bytes);
    EXPECT_INT_EQ(30, report.class_count);
    EXPECT_CONTAINS("class2/", report.classes[29].name);
    stk_inspect_report_release(&report);
}

STK_TEST(verify_reads_every_item_and_names_the_bad_one)
{
    stk_error           err;
    stk_inspect_report  report;
    stk_inspect_options options = {.verify = true};
    const char         *root = make_images("bad");
    char                path[400];
    snprintf(path, sizeof path, "%s/class1/042.jpg", root);
    stk_test_write_file(path, "", 0);
    for (options.threads = 1; options.threads <= 4; options.threads++) {
        EXPECT_OK(stk_inspect(&report, NULL, root, &options, &err));
        EXPECT(report.verified);
        EXPECT_INT_EQ(CLASSES * IMAGES - 1, report.records_read);
        EXPECT_INT_EQ(1, report.bad_count);
        EXPECT_INT_EQ(1, report.files[0].bad);
        EXPECT_STR_EQ("class1/042.jpg", report.bad[0].path);
        stk_inspect_report_release(&report);
    }
}

STK_TEST(a_file_of_no_known_form_is_refused)
{
    stk_error          err;
    stk_inspect_report report;
    const char        *path = stk_test_path("letter.xyz");
    stk_test_write_file(path, "Dear reader", 11);
    EXPECT_STATUS(STK_E_FORMAT, stk_inspect(&report, NULL, path, NULL, &err));
    EXPECT_CONTAINS("letter.xyz", err.where);
}

STK_TEST(a_file_that_is_said_to_be_tfrecord_is_read_as_such)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("letter.bin");
    stk_inspect_options options = {.kind = "tfrecord"};
    stk_test_write_file(path, "Dear reader, here are no records", 32);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_CONTAINS("is this a TFRecord file?", report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

static stk_status inspect_once(void *context, stk_error *err)
{
    stk_inspect_report  report;
    stk_inspect_options options = {.sample_records = 5, .first_records = 2, .threads = 1};
    const stk_status    st = stk_inspect(&report, NULL, context, &options, err);
    if (!st) stk_inspect_report_release(&report);
    return st;
}

STK_TEST(every_failing_allocation_is_an_error_and_leaks_nothing)
{
    const char *root = make_folder("allocation");
    char        path[400];
    stk_error   err;
    for (int c = 0; c < 2; c++) {
        snprintf(path, sizeof path, "%s/class%d", root, c);
        EXPECT_OK(stk_path_make_directory(NULL, path, &err));
        snprintf(path, sizeof path, "%s/class%d/a.jpg", root, c);
        stk_test_write_file(path, "\xFF\xD8\xFF\xE0 not much", 13);
    }
    stk_test_fail_each_allocation(inspect_once, (void *)root);
}
