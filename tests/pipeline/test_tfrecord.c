#include "../storage/record_support.h"
#include "../storage/slow_filesystem.h"
#include "file_support.h"

#include "base/clock.h"

STK_TEST(records_come_file_after_file)
{
    stk_test_watchdog(120);
    const char  *paths[] = {write_named("s0", "a", 3, NULL), write_named("s1", "b", 0, NULL),
                            write_named("s2", "c", 2, NULL)};
    stk_dataset *data = records_of(paths, 3, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    const stk_element_spec *spec = stk_dataset_spec(data);
    EXPECT(spec->known);
    EXPECT_INT_EQ(1, spec->count);
    EXPECT_INT_EQ(STK_DTYPE_BYTES, spec->values[0].dtype);
    EXPECT_STR_EQ("record", spec->values[0].name);
    EXPECT_GIVES("'a0' 'a1' 'a2' 'c0' 'c1' .", data);
}

STK_TEST(no_files_give_nothing)
{
    EXPECT_GIVES(".", records_of(NULL, 0, NULL));
}

STK_TEST(only_empty_files_give_nothing)
{
    const char *paths[] = {write_named("e0", "a", 0, NULL), write_named("e1", "b", 0, NULL)};
    EXPECT_GIVES(".", records_of(paths, 2, NULL));
}

STK_TEST(a_set_of_shards_is_read_in_the_order_of_its_names)
{
    write_named("set-00001-of-00002", "b", 2, NULL);
    const char *path = write_named("set-00000-of-00002", "a", 2, NULL);
    char        pattern[512];
    snprintf(pattern, sizeof pattern, "%.*s*", (int)(strlen(path) - strlen("00000-of-00002")),
             path);
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_tfrecord(&data, NULL, pattern, NULL, &err));
    EXPECT_GIVES("'a0' 'a1' 'b0' 'b1' .", data);
}

STK_TEST(a_pattern_that_matches_nothing_is_told_at_once)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_STATUS(STK_E_NOTFOUND,
                  stk_dataset_tfrecord(&data, NULL, stk_test_path("nothing-*"), NULL, &err));
    EXPECT_CONTAINS("No files matched", err.message);
    EXPECT(data == NULL);
}

STK_TEST(every_compression_is_found_out_and_can_be_checkpointed)
{
    static const stk_compression all[] = {STK_COMPRESSION_GZIP, STK_COMPRESSION_ZLIB,
                                          STK_COMPRESSION_ZSTD};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const stk_tfrecord_options options = {.compression = all[i]};
        const char                *paths[] = {write_named("packed", "p", 4, &options),
                                              write_named("plain", "q", 2, NULL)};
        EXPECT_GIVES("'p0' 'p1' 'p2' 'p3' 'q0' 'q1' .", records_of(paths, 2, NULL));
    }
}

STK_TEST(a_damaged_record_ends_its_file_and_the_next_file_follows) /* 8 */
{
    const char *paths[] = {write_named("d0", "a", 2, NULL), write_named("d1", "b", 4, NULL),
                           write_named("d2", "c", 2, NULL)};
    damage_byte(paths[1], frame_of(2) + STK_TFRECORD_HEADER); /* data of b1 */
    EXPECT_GIVES("'a0' 'a1' 'b0' !damaged_data 'c0' 'c1' .", records_of(paths, 3, NULL));
    stk_error err;
    EXPECT_STATUS(STK_E_DATALOSS, first_error(records_of(paths, 3, NULL), NULL, &err));
    EXPECT_CONTAINS("d1", err.where);
    EXPECT_CONTAINS("record 1 at offset 18", err.message);
}

STK_TEST(skip_looks_at_no_data) /* as TensorFlow's */
{
    const char  *paths[] = {write_named("k0", "a", 4, NULL), write_named("k1", "b", 3, NULL)};
    stk_dataset *data = records_of(paths, 2, NULL);
    APPLY(data, skip, 5);
    EXPECT_GIVES("'b1' 'b2' .", data);
    damage_byte(paths[0], frame_of(2) + STK_TFRECORD_HEADER); /* data of a1 */
    data = records_of(paths, 2, NULL);
    APPLY(data, skip, 2);
    EXPECT_GIVES("'a2' 'a3' 'b0' 'b1' 'b2' .", data);
    data = records_of(paths, 2, NULL);
    APPLY(data, skip, 1);
    EXPECT_GIVES("!damaged_data 'b0' 'b1' 'b2' .", data);
    damage_byte(paths[0], frame_of(2)); /* its length */
    data = records_of(paths, 2, NULL);
    APPLY(data, skip, 2);
    EXPECT_GIVES("!damaged_data 'b2' .", data);
}

STK_TEST(a_damaged_length_ends_its_file_too) /* 8 */
{
    const char *paths[] = {write_named("l0", "a", 3, NULL), write_named("l1", "b", 1, NULL)};
    damage_byte(paths[0], frame_of(2) + 9);
    EXPECT_GIVES("'a0' !damaged_data 'b0' .", records_of(paths, 2, NULL));
}

STK_TEST(damage_at_record_0_of_one_of_5_files_costs_10_records_of_50) /* 8 */
{
    const char *paths[5];
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "five%d", i);
        paths[i] = write_named(name, "x", 10, NULL);
    }
    damage_byte(paths[2], 3);
    stk_dataset  *data = records_of(paths, 5, NULL);
    stk_iterator *it;
    stk_error     err;
    int           records = 0, errors = 0;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    for (stk_element *element;;) {
        stk_status st = stk_iterator_next(it, &element, &err);
        if (!st && !element) break;
        records += !st;
        errors += st != STK_OK;
        if (!st) stk_element_unref(element);
    }
    EXPECT_INT_EQ(40, records);
    EXPECT_INT_EQ(1, errors);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(resynchronising_loses_the_damaged_records_only)
{
    const stk_records_options options = {.damage = STK_DAMAGE_RESYNC};
    const char *paths[] = {write_named("r0", "a", 6, NULL), write_named("r1", "b", 1, NULL)};
    damage_byte(paths[0], frame_of(2) + STK_TFRECORD_HEADER); /* data of a1 */
    damage_byte(paths[0], 4 * frame_of(2) + 1);               /* length of a4 */
    EXPECT_GIVES("'a0' !damaged_data 'a2' 'a3' !damaged_data 'a5' 'b0' .",
                 records_of(paths, 2, &options));
}

STK_TEST(resynchronising_ends_at_damage_that_nothing_sound_follows)
{
    const stk_records_options options = {.damage = STK_DAMAGE_RESYNC};
    const char *paths[] = {write_named("t0", "a", 3, NULL), write_named("t1", "b", 1, NULL)};
    EXPECT_INT_EQ(0, truncate(paths[0], 3 * frame_of(2) - 1));
    EXPECT_GIVES("'a0' 'a1' !damaged_data 'b0' .", records_of(paths, 2, &options));
}

/* Two damaged records in a row are one loss: a checkpoint must count as reading did. */
STK_TEST(resynchronised_compressed_files_can_be_checkpointed)
{
    stk_error                 err;
    const stk_records_options resync = {.damage = STK_DAMAGE_RESYNC};
    const char               *path = stk_test_path("gz");
    stk_blob                  frames;
    stk_blob_init(&frames, NULL, STK_MEMORY_OUTPUT);
    for (int i = 0; i < 7; i++) {
        const char text[2] = {'a', (char)('0' + i)};
        EXPECT_OK(stk_tfrecord_frame(&frames, stk_bytes_of(text, 2), &err));
    }
    frames.data[frame_of(2) + STK_TFRECORD_HEADER] ^= 1;
    frames.data[2 * frame_of(2) + STK_TFRECORD_HEADER] ^= 1;
    frames.data[4 * frame_of(2)] ^= 1;
    write_gzip(path, stk_blob_bytes(&frames));
    stk_blob_release(&frames);
    EXPECT_GIVES("'a0' !damaged_data 'a3' !damaged_data 'a5' 'a6' .",
                 records_of(&path, 1, &resync));
    EXPECT_GIVES("'a0' !damaged_data .", records_of(&path, 1, NULL));
}

STK_TEST(a_missing_file_is_an_error_in_its_place) /* 7 */
{
    const char *paths[] = {write_named("m0", "a", 1, NULL), stk_test_path("is_not_there"),
                           write_named("m2", "c", 1, NULL)};
    EXPECT_GIVES("'a0' !not_found 'c0' .", records_of(paths, 3, NULL));
    stk_error err;
    EXPECT_STATUS(STK_E_NOTFOUND, first_error(records_of(paths, 3, NULL), NULL, &err));
    EXPECT_CONTAINS("is_not_there", err.where);
}

STK_TEST(a_record_over_the_limit_is_told_and_resynchronising_passes_over_it)
{
    stk_error            err;
    stk_tfrecord_writer *writer;
    const char          *path = stk_test_path("long");
    EXPECT_OK(stk_tfrecord_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of("a", 1), &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of("0123456789", 10), &err));
    EXPECT_OK(stk_tfrecord_writer_write(writer, stk_bytes_of("b", 1), &err));
    EXPECT_OK(stk_tfrecord_writer_commit(writer, &err));
    stk_tfrecord_writer_free(writer);
    stk_records_options options = {.max_record_bytes = 9};
    EXPECT_GIVES("'a' !over_a_limit .", records_of(&path, 1, &options));
    EXPECT_STATUS(STK_E_LIMIT, first_error(records_of(&path, 1, &options), NULL, &err));
    EXPECT_CONTAINS("raise max_record_bytes", err.message);
    options.damage = STK_DAMAGE_RESYNC;
    EXPECT_GIVES("'a' !over_a_limit 'b' .", records_of(&path, 1, &options));
}

STK_TEST(a_failed_read_ends_its_file)
{
    slow_filesystem fs;
    slow_filesystem_init(&fs, 0);
    fs.error_at = (uint64_t)frame_of(2) * 5;
    stk_error    err;
    stk_dataset *data;
    const char  *paths[] = {write_named("io0", "a", 9, NULL), write_named("io1", "b", 2, NULL)};
    const stk_records_options options = {.buffer_bytes = 16};
    EXPECT_OK(stk_dataset_tfrecord_files(&data, &fs.fs, paths, 2, &options, &err));
    const char *text = stk_test_run(data, NULL, 0);
    EXPECT_CONTAINS("!input/output_error 'b0' 'b1' .", text);
    stk_dataset_unref(data);
    EXPECT_INT_EQ(0, fs.open);
}

STK_TEST(short_reads_are_hidden)
{
    slow_filesystem fs;
    slow_filesystem_init(&fs, 0);
    fs.most = 3;
    stk_error    err;
    stk_dataset *data;
    const char  *paths[] = {write_named("sh0", "a", 2, NULL), write_named("sh1", "b", 2, NULL)};
    EXPECT_OK(stk_dataset_tfrecord_files(&data, &fs.fs, paths, 2, NULL, &err));
    EXPECT_GIVES("'a0' 'a1' 'b0' 'b1' .", data);
}

STK_TEST(files_on_slow_storage_are_opened_before_their_turn)
{
    enum { FILES = 40, SLEEP_US = 5000 };
    slow_filesystem fs;
    slow_filesystem_init(&fs, SLEEP_US);
    const char *paths[FILES];
    for (int i = 0; i < FILES; i++) {
        char name[32];
        snprintf(name, sizeof name, "slow%d", i);
        paths[i] = write_named(name, "x", 2, NULL);
    }
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_tfrecord_files(&data, &fs.fs, paths, FILES, NULL, &err));
    const uint64_t begin = stk_clock_ns();
    stk_test_run(data, NULL, 0);
    const uint64_t us = (stk_clock_ns() - begin) / 1000;
    /* One after the other: an open and a read each, so 400 ms. */
    EXPECT(us < (uint64_t)FILES * SLEEP_US * 3 / 2);
    EXPECT(fs.reading_peak > 1);
    stk_dataset_unref(data);
    EXPECT_INT_EQ(0, fs.open);
}

STK_TEST(records_of_every_size_are_whole_and_know_where_they_are_from)
{
    const char *path = stk_test_path("sizes");
    write_records(path, record_sizes, COUNT_OF(record_sizes), NULL);
    stk_dataset  *data = records_of(&path, 1, NULL);
    stk_iterator *it;
    uint64_t      offset = 0;
    APPLY(data, repeat, 2);
    stk_error err;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    /* All are kept to the end: none may be written over. */
    stk_element *kept[2 * COUNT_OF(record_sizes)];
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        const size_t number = i % COUNT_OF(record_sizes);
        EXPECT_OK(stk_iterator_next(it, &kept[i], &err));
        const stk_origin *from = stk_element_origin(kept[i]);
        if (number == 0) offset = 0;
        EXPECT_INT_EQ(number, from->record);
        EXPECT_INT_EQ(number, from->index);
        EXPECT_INT_EQ(offset, from->offset);
        EXPECT_INT_EQ(i / COUNT_OF(record_sizes), from->epoch);
        EXPECT_INT_EQ(strlen(path), stk_buffer_size(from->file));
        EXPECT_MEM_EQ(path, stk_buffer_data(from->file), strlen(path));
        offset += (uint64_t)frame_of((long)record_sizes[number]);
    }
    stk_iterator_free(it);
    for (size_t i = 0; i < COUNT_OF(kept); i++) {
        const size_t number = i % COUNT_OF(record_sizes);
        expect_record(number, record_sizes[number],
                      *(const stk_bytes *)stk_value_data(stk_element_value(kept[i], 0)));
        stk_element_unref(kept[i]);
    }
    stk_dataset_unref(data);
}

STK_TEST(damage_behind_a_queue_is_restored_to_the_same_place)
{
    const char *paths[] = {write_named("q0", "a", 6, NULL), write_named("q1", "b", 4, NULL)};
    damage_byte(paths[0], 2 * frame_of(2) + STK_TFRECORD_HEADER);
    stk_dataset *data = records_of(paths, 2, NULL);
    APPLY(data, prefetch, 4);
    EXPECT_GIVES("'a0' 'a1' !damaged_data 'b0' 'b1' 'b2' 'b3' .", data);
}

STK_TEST(a_checkpoint_of_a_file_that_has_shrunk_is_refused)
{
    stk_error     err;
    stk_iterator *it;
    stk_element  *element;
    stk_blob      saved;
    const char   *path = write_named("shrinks", "a", 5, NULL);
    stk_dataset  *data = records_of(&path, 1, NULL);
    stk_blob_init(&saved, NULL, STK_MEMORY_INDEX);
    EXPECT_OK(
        stk_iterator_start(&it, data, &(stk_iterator_options){.passes_off = STK_PASS_ALL}, &err));
    for (int i = 0; i < 4; i++) {
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        stk_element_unref(element);
    }
    EXPECT_OK(stk_iterator_save(it, &saved, &err));
    EXPECT_INT_EQ(0, truncate(path, frame_of(2)));
    EXPECT_STATUS(STK_E_RANGE, stk_iterator_restore(it, stk_blob_bytes(&saved), &err));
    EXPECT_CONTAINS("past the end", err.message);
    stk_blob_release(&saved);
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

STK_TEST(other_files_and_options_are_other_pipelines)
{
    const char               *one[] = {"x", "y"}, *two[] = {"y", "x"};
    const stk_records_options options[] = {{0},
                                           {.damage = STK_DAMAGE_RESYNC},
                                           {.max_record_bytes = 5},
                                           {.compression = STK_COMPRESSION_GZIP}};
    stk_dataset              *all[6];
    for (size_t i = 0; i < COUNT_OF(options); i++)
        all[i] = records_of(one, 2, &options[i]);
    all[4] = records_of(two, 2, NULL);
    all[5] = records_of(one, 1, NULL);
    for (size_t i = 0; i < COUNT_OF(all); i++)
        for (size_t k = 0; k < i; k++)
            EXPECT(stk_dataset_fingerprint(all[i]) != stk_dataset_fingerprint(all[k]));
    for (size_t i = 0; i < COUNT_OF(all); i++)
        stk_dataset_unref(all[i]);
}

STK_TEST(bad_parameters_are_named)
{
    stk_error    err;
    stk_dataset *data;
    const char  *empty = "";
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_tfrecord_files(&data, NULL, &empty, 1, NULL, &err));
    EXPECT_CONTAINS("file 0 of 1 is empty", err.message);
    const char         *path = "x";
    stk_records_options options = {.damage = (stk_damage)7};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_tfrecord_files(&data, NULL, &path, 1, &options, &err));
    EXPECT_CONTAINS("damage number 7", err.message);
    options = (stk_records_options){.compression = (stk_compression)9};
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_tfrecord_files(&data, NULL, &path, 1, &options, &err));
    EXPECT_CONTAINS("compression number 9", err.message);
}

STK_TEST(a_record_past_the_memory_ceiling_is_named)
{
    const size_t size = 3 << 20;
    const char  *path = stk_test_path("big");
    stk_error    err;
    write_records(path, &size, 1, NULL);
    EXPECT_STATUS(STK_E_CEILING,
                  first_error(records_of(&path, 1, NULL),
                              &(stk_iterator_options){.memory_bytes = 2 << 20}, &err));
    EXPECT_CONTAINS("big", err.where);
    EXPECT_CONTAINS("record 0", err.message);
}

static stk_status build(void *path, stk_error *err)
{
    stk_dataset *data = NULL;
    const char  *paths[] = {path, path};
    stk_status   st = stk_dataset_tfrecord_files(&data, NULL, paths, 2, NULL, err);
    stk_dataset_unref(data);
    if (!st) st = stk_dataset_tfrecord(&data, NULL, path, NULL, err);
    if (!st) stk_dataset_unref(data);
    return st;
}

STK_TEST(failed_allocations_while_building_are_clean)
{
    stk_test_fail_each_allocation(build, (void *)(uintptr_t)write_named("alloc", "a", 2, NULL));
}
