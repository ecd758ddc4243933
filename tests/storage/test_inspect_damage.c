/* Inspecting damaged files: what is bad is named, the rest is still read. */
#include "base/crc32c.h"
#include "inspect_support.h"

static stk_inspect_report verify(const char *path)
{
    stk_error           err;
    stk_inspect_report  report;
    stk_inspect_options options = {.verify = true};
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    return report;
}

STK_TEST(verify_of_sound_files_finds_nothing)
{
    const char *path = stk_test_path("sound.tfrecord");
    write_examples(path, 2000, 10, STK_COMPRESSION_NONE);
    stk_inspect_report report = verify(path);
    EXPECT(report.verified);
    EXPECT_INT_EQ(2000, report.records);
    EXPECT_INT_EQ(2000, report.records_read);
    EXPECT_INT_EQ(0, report.bad_count);
    stk_inspect_report_release(&report);
}

STK_TEST(verify_names_the_damaged_record_and_reads_on)
{
    const char *path = stk_test_path("damaged.tfrecord");
    stk_blob    record;
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    write_example(&record, 0, 10);
    const long second = (long)record.size + 16; /* where record 1 begins */
    stk_blob_release(&record);
    write_examples(path, 50, 10, STK_COMPRESSION_NONE);
    damage_byte(path, second + 12 + 5);
    stk_inspect_report report = verify(path);
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_INT_EQ(1, report.files[0].bad);
    EXPECT_INT_EQ(50, report.records);
    EXPECT_INT_EQ(49, report.records_read);
    EXPECT_STR_EQ(path, report.bad[0].path);
    EXPECT_INT_EQ(1, report.bad[0].record);
    EXPECT_INT_EQ(second, report.bad[0].offset);
    EXPECT_INT_EQ(STK_E_DATALOSS, report.bad[0].error.status);
    EXPECT_CONTAINS("corrupted record 1 at offset", report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

STK_TEST(a_bad_header_past_the_sample_is_found_without_verify)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("header.tfrecord");
    stk_inspect_options options = {.sample_records = 1};
    write_examples(path, 50, 10, STK_COMPRESSION_NONE);
    stk_blob record;
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    long offset = 0;
    for (uint64_t i = 0; i < 20; i++) {
        write_example(&record, i, 10);
        offset += (long)record.size + 16;
    }
    stk_blob_release(&record);
    damage_byte(path, offset);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_INT_EQ(20, report.bad[0].record);
    EXPECT_INT_EQ(offset, report.bad[0].offset);
    EXPECT_INT_EQ(50, report.records);
    stk_inspect_report_release(&report);
}

STK_TEST(a_truncated_file_is_named)
{
    const char *path = stk_test_path("truncated.tfrecord");
    write_examples(path, 10, 10, STK_COMPRESSION_NONE);
    const stk_bytes all = stk_test_read_file(path);
    stk_test_write_file(path, all.data, all.size - 5);
    stk_inspect_report report = verify(path);
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_INT_EQ(9, report.bad[0].record);
    EXPECT_CONTAINS("truncated record 9", report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

STK_TEST(damaged_compression_ends_the_file_not_the_run)
{
    static const stk_compression codecs[] = {STK_COMPRESSION_GZIP, STK_COMPRESSION_ZLIB,
                                             STK_COMPRESSION_ZSTD};
    for (size_t i = 0; i < COUNT_OF(codecs); i++) {
        const char *path = stk_test_path("compressed.tfrecord");
        write_examples(path, 3000, 10, codecs[i]);
        const stk_bytes all = stk_test_read_file(path);
        stk_test_write_file(path, all.data, all.size / 2);
        stk_inspect_report report = verify(path);
        EXPECT(report.bad_count > 0);
        stk_inspect_report_release(&report);
    }
}

STK_TEST(a_record_over_the_limit_is_bad_and_passed_over)
{
    enum { HUGE = (1 << 30) + 1 }; /* one past the reader's limit; the file is sparse */
    const char    *path = stk_test_path("huge.tfrecord");
    uint8_t        header[12] = {0};
    const uint64_t length = HUGE;
    stk_blob       record, frame;
    stk_error      err;
    memcpy(header, &length, 8);
    const uint32_t checksum = stk_crc32c_mask(stk_crc32c(0, header, 8));
    memcpy(header + 8, &checksum, 4);
    stk_test_write_file(path, header, sizeof header);
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    stk_blob_init(&frame, NULL, STK_MEMORY_RECORD);
    write_example(&record, 0, 10);
    EXPECT_OK(stk_tfrecord_frame(&frame, stk_blob_bytes(&record), &err));
    FILE *file = fopen(path, "r+b");
    EXPECT(file != NULL);
    fseek(file, 12 + (long)HUGE + 4, SEEK_SET);
    fwrite(frame.data, 1, frame.size, file);
    fclose(file);
    stk_inspect_report report = verify(path);
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_INT_EQ(2, report.records);
    EXPECT_INT_EQ(1, report.records_read);
    EXPECT_CONTAINS("has 1073741825 bytes, the limit is", report.bad[0].error.message);
    stk_inspect_report_release(&report);
    stk_blob_release(&record);
    stk_blob_release(&frame);
}

static void write_texts(const char *path, int count)
{
    stk_tfrecord_writer *writer;
    stk_error            err;
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    for (int i = 0; i < count; i++)
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_text("\x0A\x7F no Example"), &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
}

STK_TEST(records_that_are_no_examples_are_bad_only_when_verifying)
{
    stk_error          err;
    stk_inspect_report report;
    const char        *path = stk_test_path("texts.tfrecord");
    write_texts(path, 5);
    EXPECT_OK(stk_inspect(&report, NULL, path, NULL, &err));
    EXPECT_INT_EQ(0, report.bad_count);
    EXPECT_INT_EQ(5, report.not_examples);
    EXPECT_INT_EQ(0, report.feature_count);
    stk_inspect_report_release(&report);
    report = verify(path);
    EXPECT_INT_EQ(5, report.bad_count);
    EXPECT_CONTAINS("record 0 at offset 0: not a tf.train.Example: ", report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

STK_TEST(no_more_bad_records_are_kept_than_asked_for)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("many.tfrecord");
    stk_inspect_options options = {.verify = true, .max_bad = 3};
    write_texts(path, 50);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(3, report.bad_kept);
    EXPECT_INT_EQ(50, report.bad_count);
    stk_inspect_report_release(&report);
}

STK_TEST(a_missing_shard_is_an_error_that_names_it)
{
    stk_error          err;
    stk_inspect_report report;
    const char        *folder = make_folder("missing");
    char               path[300];
    for (int i = 0; i < 3; i += 2) {
        snprintf(path, sizeof path, "%s/a-%05d-of-00003", folder, i);
        write_examples(path, 2, 2, STK_COMPRESSION_NONE);
    }
    EXPECT_STATUS(STK_E_DATALOSS, stk_inspect(&report, NULL, folder, NULL, &err));
    EXPECT_CONTAINS("a-00001-of-00003", err.message);
}

/* A folder of two shards with three records each, and an info that claims lengths. */
static const char *folder_with_info(const char *name, uint64_t first, uint64_t second)
{
    stk_error        err;
    const char      *folder = make_folder(name);
    char             path[300];
    uint64_t         lengths[2] = {first, second};
    char            *names[] = {"cat", "dog", "eel"};
    stk_split_info   split = {"train", lengths, 2, 100};
    stk_feature_info features[] = {
        {.name = "label",
         .meaning = STK_MEANING_LABEL,
         .dtype = STK_DTYPE_I64,
         .class_names = names,
         .class_count = 3},
    };
    const stk_dataset_info info = {.name = "set",
                                   .version = "1.0.0",
                                   .features = features,
                                   .feature_count = 1,
                                   .splits = &split,
                                   .split_count = 1};
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/set-train.tfrecord-%05d-of-00002", folder, i);
        write_examples(path, 3, 2, STK_COMPRESSION_NONE);
    }
    EXPECT_OK(stk_dataset_info_write(&info, NULL, folder, &err));
    return folder;
}

STK_TEST(class_names_come_from_the_folder_and_unused_ones_count_zero)
{
    stk_inspect_report report = verify(folder_with_info("named", 3, 3));
    EXPECT_INT_EQ(0, report.bad_count);
    EXPECT_INT_EQ(3, report.class_count);
    EXPECT_STR_EQ("cat", report.classes[0].name);
    EXPECT_INT_EQ(4, report.classes[0].count);
    EXPECT_STR_EQ("eel", report.classes[2].name);
    EXPECT_INT_EQ(0, report.classes[2].count);
    stk_inspect_report_release(&report);
}

STK_TEST(a_damaged_description_is_damage_of_the_file_that_has_it)
{
    const char *folder = folder_with_info("described", 3, 3);
    char        path[300];
    snprintf(path, sizeof path, "%s/label.labels.txt", folder);
    stk_test_write_file(path, "cat\n", 4);
    stk_inspect_report report = verify(folder);
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_CONTAINS("/label.labels.txt", report.bad[0].path);
    EXPECT_CONTAINS("has 1 class names", report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

STK_TEST(a_split_without_any_file_is_damage)
{
    const char *folder = folder_with_info("gone", 3, 3);
    char        path[300];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/set-train.tfrecord-%05d-of-00002", folder, i);
        EXPECT_INT_EQ(0, remove(path));
    }
    snprintf(path, sizeof path, "%s/set-test.tfrecord-00000-of-00001", folder);
    write_examples(path, 3, 2, STK_COMPRESSION_NONE);
    stk_inspect_report report = verify(folder);
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_CONTAINS("lists 2 shards of split 'train', none is here", report.bad[0].error.message);
    stk_inspect_report_release(&report);
    report = verify(path); /* one file alone is not expected to be all */
    EXPECT_INT_EQ(0, report.bad_count);
    stk_inspect_report_release(&report);
}

STK_TEST(shard_lengths_that_disagree_are_damage)
{
    stk_inspect_report report = verify(folder_with_info("lengths", 3, 5));
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_INT_EQ(1, report.files[1].bad);
    EXPECT_CONTAINS("has 3 records, dataset_info.json says 5", report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

STK_TEST(a_number_of_shards_that_disagrees_is_damage)
{
    const char *folder = folder_with_info("shards", 3, 3);
    char        path[300];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/set-train.tfrecord-%05d-of-00002", folder, i);
        EXPECT_INT_EQ(0, remove(path));
    }
    snprintf(path, sizeof path, "%s/set-train.tfrecord-00000-of-00001", folder);
    write_examples(path, 6, 2, STK_COMPRESSION_NONE);
    stk_inspect_report report = verify(folder);
    EXPECT_INT_EQ(1, report.bad_count);
    EXPECT_CONTAINS("one of 1 shards of 'train', dataset_info.json lists 2",
                    report.bad[0].error.message);
    stk_inspect_report_release(&report);
}

static stk_status verify_once(void *context, stk_error *err)
{
    stk_inspect_report  report;
    stk_inspect_options options = {.verify = true, .threads = 1};
    const stk_status    st = stk_inspect(&report, NULL, context, &options, err);
    if (!st) stk_inspect_report_release(&report);
    return st;
}

STK_TEST(every_failing_allocation_is_an_error_and_leaks_nothing)
{
    stk_test_fail_each_allocation(verify_once, (void *)folder_with_info("allocation", 3, 5));
}
