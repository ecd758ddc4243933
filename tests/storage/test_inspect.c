/* Inspecting TFRecord files: counts, schema, classes, first records. */
#include "inspect_support.h"

STK_TEST(counts_are_exact_though_a_sample_is_read)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("exact.tfrecord");
    stk_inspect_options options = {.sample_records = 7};
    write_examples(path, 5000, 10, STK_COMPRESSION_NONE);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_STR_EQ("tfrecord", report.kind);
    EXPECT_INT_EQ(5000, report.records);
    EXPECT_INT_EQ(7, report.records_read);
    EXPECT_INT_EQ(1, report.file_count);
    EXPECT_INT_EQ(5000, report.files[0].records);
    EXPECT_INT_EQ(0, report.bad_count);
    EXPECT(!report.verified);
    stk_inspect_report_release(&report);
}

STK_TEST(schema_tells_types_counts_sizes_and_content)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("schema.tfrecord");
    stk_inspect_options options = {.whole = true};
    write_examples(path, 100, 4, STK_COMPRESSION_NONE);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(3, report.feature_count);
    EXPECT_INT_EQ(100, report.records_read);
    const stk_inspect_feature *image = feature_of(&report, "image");
    EXPECT_INT_EQ(STK_DTYPE_BYTES, image->dtype);
    EXPECT_INT_EQ(100, image->present);
    EXPECT_INT_EQ(20, image->min_bytes);
    EXPECT_INT_EQ(39, image->max_bytes);
    EXPECT_INT_EQ(2950, image->total_bytes);
    EXPECT_STR_EQ("JPEG", image->content);
    const stk_inspect_feature *score = feature_of(&report, "score");
    EXPECT_INT_EQ(STK_DTYPE_F32, score->dtype);
    EXPECT_INT_EQ(2, score->min_count);
    EXPECT_INT_EQ(2, score->max_count);
    EXPECT_STR_EQ("label", report.label_feature);
    EXPECT_INT_EQ(4, report.class_count);
    for (size_t i = 0; i < 4; i++) {
        EXPECT_INT_EQ(i, report.classes[i].label);
        EXPECT_INT_EQ(25, report.classes[i].count);
    }
    EXPECT_STR_EQ("3", report.classes[3].name);
    stk_inspect_report_release(&report);
}

STK_TEST(compressed_files_are_read_like_plain_ones)
{
    static const stk_compression codecs[] = {STK_COMPRESSION_GZIP, STK_COMPRESSION_ZLIB,
                                             STK_COMPRESSION_ZSTD};
    for (size_t i = 0; i < COUNT_OF(codecs); i++) {
        stk_error           err;
        stk_inspect_report  report;
        const char         *path = stk_test_path("compressed.bin");
        stk_inspect_options options = {.sample_records = 3};
        write_examples(path, 2500, 2, codecs[i]);
        EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
        EXPECT_INT_EQ(2500, report.records);
        EXPECT_INT_EQ(codecs[i], report.files[0].compression);
        stk_inspect_report_release(&report);
    }
}

STK_TEST(first_records_are_text_for_people)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("first.tfrecord");
    stk_inspect_options options = {.first_records = 2};
    write_examples(path, 10, 10, STK_COMPRESSION_NONE);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(2, report.first_count);
    EXPECT_CONTAINS("first.tfrecord, record 1, ", report.first[1]);
    EXPECT_CONTAINS("\n  image  bytes <JPEG, 21 bytes>", report.first[1]);
    EXPECT_CONTAINS("\n  label  int64 1", report.first[1]);
    EXPECT_CONTAINS("\n  score  float32[2] 0.5, 1", report.first[1]);
    stk_inspect_report_release(&report);
}

static stk_inspect_report inspect_folder(const char *folder, int threads, bool verify)
{
    stk_error           err;
    stk_inspect_report  report;
    stk_inspect_options options = {
        .threads = threads, .verify = verify, .whole = true, .first_records = 12};
    EXPECT_OK(stk_inspect(&report, NULL, folder, &options, &err));
    return report;
}

STK_TEST(the_report_is_the_same_on_any_number_of_threads)
{
    const char *folder = make_folder("threads");
    char        path[300];
    for (int i = 0; i < 9; i++) {
        snprintf(path, sizeof path, "%s/set-train.tfrecord-%05d-of-00009", folder, i);
        write_examples(path, (uint64_t)(3 + i), 1 + i, STK_COMPRESSION_NONE);
        if (i % 2) damage_byte(path, 20);
    }
    stk_inspect_report one = inspect_folder(folder, 1, true);
    EXPECT_INT_EQ(4, one.bad_count);
    EXPECT_INT_EQ(63, one.records);
    for (int threads = 2; threads <= 5; threads++) {
        stk_inspect_report many = inspect_folder(folder, threads, true);
        EXPECT_INT_EQ(one.records, many.records);
        EXPECT_INT_EQ(one.bad_count, many.bad_count);
        EXPECT_INT_EQ(one.class_count, many.class_count);
        EXPECT_INT_EQ(one.first_count, many.first_count);
        for (size_t i = 0; i < one.bad_kept; i++)
            EXPECT_STR_EQ(one.bad[i].error.message, many.bad[i].error.message);
        for (size_t i = 0; i < one.class_count; i++)
            EXPECT_INT_EQ(one.classes[i].count, many.classes[i].count);
        for (size_t i = 0; i < one.first_count; i++)
            EXPECT_STR_EQ(one.first[i], many.first[i]);
        for (size_t i = 0; i < one.file_count; i++)
            EXPECT_STR_EQ("train", many.files[i].split);
        stk_inspect_report_release(&many);
    }
    stk_inspect_report_release(&one);
}

STK_TEST(bytes_can_be_classes_when_asked_for)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("byte-classes.tfrecord");
    stk_inspect_options options = {.whole = true, .label = "image"};
    write_examples(path, 40, 2, STK_COMPRESSION_NONE);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_STR_EQ("image", report.label_feature);
    EXPECT_INT_EQ(20, report.class_count);
    EXPECT_INT_EQ(2, report.classes[0].count);
    stk_inspect_report_release(&report);
}

STK_TEST(texts_too_long_for_classes_are_not_counted_as_such)
{
    stk_error            err;
    stk_inspect_report   report;
    stk_tfrecord_writer *writer;
    stk_blob             record;
    char                 essay[400];
    const char          *path = stk_test_path("essays.tfrecord");
    stk_bytes            text = stk_bytes_of(essay, sizeof essay);
    stk_field            field = {"text", STK_DTYPE_BYTES, stk_shape_scalar(), &text, 1};
    const stk_sample     sample = {.fields = &field, .field_count = 1};
    stk_inspect_options  options = {.whole = true, .label = "text", .threads = 2};
    memset(essay, 'a', sizeof essay);
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    for (int i = 0; i < 3; i++) {
        record.size = 0;
        EXPECT_OK(stk_example_write(&record, &sample, &err));
        EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&record), &err));
    }
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_blob_release(&record);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(3, report.records);
    EXPECT_INT_EQ(0, report.class_count);
    stk_inspect_report_release(&report);
}

/* One record with one feature. */
static void write_feature(stk_tfrecord_writer *writer, stk_dtype dtype, const void *data)
{
    stk_error        err;
    stk_blob         record;
    stk_field        field = {"value", dtype, stk_shape_scalar(), data, 1};
    const stk_sample sample = {.fields = &field, .field_count = 1};
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    EXPECT_OK(stk_example_write(&record, &sample, &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_blob_bytes(&record), &err));
    stk_blob_release(&record);
}

STK_TEST(records_that_disagree_make_a_feature_mixed)
{
    stk_error            err;
    stk_inspect_report   report;
    stk_tfrecord_writer *writer;
    const char          *types = stk_test_path("types.tfrecord"),
               *contents = stk_test_path("contents.tfrecord");
    const int64_t       number = 7;
    const stk_bytes     text = stk_bytes_text("a\tb\n"), gif = stk_bytes_of("GIF89a\1\0\1\0", 10);
    stk_inspect_options options = {.whole = true, .first_records = 2};
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, types, NULL, &err));
    write_feature(writer, STK_DTYPE_I64, &number);
    write_feature(writer, STK_DTYPE_BYTES, &text);
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    EXPECT_OK(stk_inspect(&report, NULL, types, &options, &err));
    EXPECT(feature_of(&report, "value")->mixed_types);
    EXPECT_INT_EQ(STK_DTYPE_NONE, feature_of(&report, "value")->dtype);
    EXPECT_CONTAINS("bytes \"a\\x09b\\x0a\"", report.first[1]); /* no control characters */
    stk_inspect_report_release(&report);
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, contents, NULL, &err));
    write_feature(writer, STK_DTYPE_BYTES, &gif);
    write_feature(writer, STK_DTYPE_BYTES, &text);
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    EXPECT_OK(stk_inspect(&report, NULL, contents, &options, &err));
    EXPECT(!feature_of(&report, "value")->mixed_types);
    EXPECT_STR_EQ("mixed", feature_of(&report, "value")->content);
    stk_inspect_report_release(&report);
}

STK_TEST(a_label_that_is_not_there_gives_no_classes)
{
    stk_error           err;
    stk_inspect_report  report;
    const char         *path = stk_test_path("no-label.tfrecord");
    stk_inspect_options options = {.label = "colour"};
    write_examples(path, 4, 2, STK_COMPRESSION_NONE);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT(report.label_feature == NULL);
    EXPECT_INT_EQ(0, report.class_count);
    stk_inspect_report_release(&report);
}

STK_TEST(an_empty_file_has_no_records)
{
    stk_error          err;
    stk_inspect_report report;
    const char        *path = stk_test_path("empty.tfrecord");
    stk_test_write_file(path, "", 0);
    EXPECT_OK(stk_inspect(&report, NULL, path, NULL, &err));
    EXPECT_INT_EQ(0, report.records);
    EXPECT_INT_EQ(0, report.feature_count);
    EXPECT_INT_EQ(0, report.bad_count);
    stk_inspect_report_release(&report);
}

STK_TEST(sequence_examples_show_their_lists)
{
    stk_error                err;
    stk_inspect_report       report;
    stk_blob                 record, frame;
    const char              *path = stk_test_path("sequence.tfrecord");
    const int64_t            id = 7, values[] = {1, 2, 3, 4, 5};
    const size_t             steps[] = {2, 0, 3};
    const stk_field          context = {"id", STK_DTYPE_I64, stk_shape_scalar(), &id, 1};
    const stk_sample         sample = {.fields = &context, .field_count = 1};
    const stk_sequence_field list = {"frames", STK_DTYPE_I64, values, steps, 3};
    stk_inspect_options      options = {.first_records = 1, .verify = true};
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    stk_blob_init(&frame, NULL, STK_MEMORY_RECORD);
    EXPECT_OK(stk_sequence_example_write(&record, &sample, &list, 1, &err));
    EXPECT_OK(stk_tfrecord_frame(&frame, stk_blob_bytes(&record), &err));
    stk_test_write_file(path, frame.data, frame.size);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(0, report.bad_count);
    const stk_inspect_feature *frames = feature_of(&report, "frames");
    EXPECT(frames->in_sequence);
    EXPECT_INT_EQ(1, frames->present);
    EXPECT_INT_EQ(0, frames->min_count);
    EXPECT_INT_EQ(3, frames->max_count);
    EXPECT(!feature_of(&report, "id")->in_sequence);
    EXPECT_CONTAINS("3 steps, the first: int64[2] 1, 2", report.first[0]);
    stk_inspect_report_release(&report);
    stk_blob_release(&record);
    stk_blob_release(&frame);
}

STK_TEST(a_list_without_steps_does_not_count_as_a_step_without_values)
{
    stk_error                err;
    stk_inspect_report       report;
    stk_blob                 record, frames;
    const char              *path = stk_test_path("no-steps.tfrecord");
    const float              values[] = {1, 2, 3};
    const size_t             steps[] = {3};
    const stk_sample         context = {0};
    const stk_sequence_field lists[] = {{"frames", STK_DTYPE_F32, values, steps, 0},
                                        {"frames", STK_DTYPE_F32, values, steps, 1}};
    stk_blob_init(&record, NULL, STK_MEMORY_RECORD);
    stk_blob_init(&frames, NULL, STK_MEMORY_RECORD);
    for (int i = 0; i < 2; i++) {
        record.size = 0;
        EXPECT_OK(stk_sequence_example_write(&record, &context, &lists[i], 1, &err));
        EXPECT_OK(stk_tfrecord_frame(&frames, stk_blob_bytes(&record), &err));
    }
    stk_test_write_file(path, frames.data, frames.size);
    EXPECT_OK(stk_inspect(&report, NULL, path, NULL, &err));
    EXPECT_INT_EQ(2, feature_of(&report, "frames")->present);
    EXPECT_INT_EQ(3, feature_of(&report, "frames")->min_count);
    EXPECT_INT_EQ(STK_DTYPE_F32, feature_of(&report, "frames")->dtype);
    stk_inspect_report_release(&report);
    stk_blob_release(&record);
    stk_blob_release(&frames);
}

STK_TEST(a_path_that_is_not_there_is_not_found)
{
    stk_error          err;
    stk_inspect_report report;
    EXPECT_STATUS(STK_E_NOTFOUND, stk_inspect(&report, NULL, stk_test_path("nothing"), NULL, &err));
    EXPECT_CONTAINS("nothing", err.where);
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_inspect(&report, NULL, stk_test_path("nothing-*"), NULL, &err));
    EXPECT_INT_EQ(0, report.file_count);
}

STK_TEST(a_set_token_stops_the_run)
{
    stk_error           err;
    stk_inspect_report  report;
    stk_cancel          cancel = STK_CANCEL_INIT;
    const char         *path = stk_test_path("cancelled.tfrecord");
    stk_inspect_options options = {.cancel = &cancel};
    write_examples(path, 4, 2, STK_COMPRESSION_NONE);
    stk_cancel_request(&cancel);
    EXPECT_STATUS(STK_E_CANCELLED, stk_inspect(&report, NULL, path, &options, &err));
}

typedef struct told {
    int      calls;
    uint64_t done, total;
} told;

static void note_progress(void *context, uint64_t done, uint64_t total)
{
    told *t = context;
    t->calls++;
    t->done = done;
    t->total = total;
}

STK_TEST(progress_is_told_in_bytes_of_the_files)
{
    stk_error           err;
    stk_inspect_report  report;
    told                t = {0};
    const char         *path = stk_test_path("progress.tfrecord");
    stk_inspect_options options = {.progress = note_progress, .progress_context = &t};
    write_examples(path, 100, 2, STK_COMPRESSION_NONE);
    EXPECT_OK(stk_inspect(&report, NULL, path, &options, &err));
    EXPECT_INT_EQ(1, t.calls);
    EXPECT_INT_EQ(report.bytes, t.done);
    EXPECT_INT_EQ(report.bytes, t.total);
    stk_inspect_report_release(&report);
}

static stk_status inspect_once(void *context, stk_error *err)
{
    stk_inspect_report  report;
    stk_inspect_options options = {.whole = true, .first_records = 2, .threads = 1};
    const stk_status    st = stk_inspect(&report, NULL, context, &options, err);
    if (!st) stk_inspect_report_release(&report);
    return st;
}

STK_TEST(every_failing_allocation_is_an_error_and_leaks_nothing)
{
    const char *folder = make_folder("allocation");
    char        path[300];
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/a-%05d-of-00002", folder, i);
        write_examples(path, 40, 40, STK_COMPRESSION_NONE);
        damage_byte(path, 20);
    }
    stk_test_fail_each_allocation(inspect_once, (void *)folder);
}
