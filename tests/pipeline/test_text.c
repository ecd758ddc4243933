#include "../storage/slow_filesystem.h"
#include "file_support.h"

static const char *write_text(const char *name, const char *text)
{
    const char *path = stk_test_path(name);
    stk_test_write_file(path, text, strlen(text));
    return path;
}

static stk_dataset *lines_of(const char *const *paths, size_t count,
                             const stk_records_options *options)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_text(&data, NULL, paths, count, options, &err));
    return data;
}

STK_TEST(lines_come_without_their_newline) /* 10 */
{
    stk_test_watchdog(120);
    const char  *paths[] = {write_text("a", "one\ntwo\n\nfour\n"), write_text("b", "five")};
    stk_dataset *data = lines_of(paths, 2, NULL);
    EXPECT_INT_EQ(STK_CARDINALITY_UNKNOWN, stk_dataset_cardinality(data));
    EXPECT_STR_EQ("line", stk_dataset_spec(data)->values[0].name);
    EXPECT_GIVES("'one' 'two' '' 'four' 'five' .", data);
}

STK_TEST(carriage_returns_before_the_newline_go_with_it)
{
    const char *path = write_text("crlf", "a\r\n\r\nb\rc\r\nd\r");
    EXPECT_GIVES("'a' '' 'b\rc' 'd\r' .", lines_of(&path, 1, NULL));
}

STK_TEST(an_empty_file_has_no_lines_and_a_newline_is_one)
{
    const char *paths[] = {write_text("none", ""), write_text("one", "\n"), write_text("no", "")};
    EXPECT_GIVES("'' .", lines_of(paths, 3, NULL));
}

STK_TEST(lines_longer_than_the_buffer_are_whole)
{
    for (size_t buffer = 1; buffer <= 7; buffer++) {
        const stk_records_options options = {.buffer_bytes = buffer};
        const char               *path = write_text("narrow", "abcdef\nxy\r\n\nabcdefghijkl\r\nz");
        EXPECT_GIVES("'abcdef' 'xy' '' 'abcdefghijkl' 'z' .", lines_of(&path, 1, &options));
    }
}

STK_TEST(compressed_text_is_found_out)
{
    const char *path = stk_test_path("text.gz");
    write_gzip(path, stk_bytes_of("ab\ncd\r\n\nef", 11));
    const char *paths[] = {path, write_text("plain", "gh\n")};
    EXPECT_GIVES("'ab' 'cd' '' 'ef' 'gh' .", lines_of(paths, 2, NULL));
}

STK_TEST(a_damaged_stream_ends_its_file)
{
    const char *path = stk_test_path("cut.gz");
    write_gzip(path, stk_bytes_of("ab\ncd\n", 6));
    const stk_bytes whole = stk_test_read_file(path);
    EXPECT_INT_EQ(0, truncate(path, (off_t)whole.size - 9));
    const char *paths[] = {path, write_text("after", "gh\n")};
    EXPECT_GIVES("'ab' 'cd' !damaged_data 'gh' .", lines_of(paths, 2, NULL));
}

STK_TEST(a_line_over_the_limit_is_named)
{
    stk_error                 err;
    const stk_records_options options = {.max_record_bytes = 4};
    const char *paths[] = {write_text("long", "abcd\nabcde\nx\n"), write_text("next", "y\n")};
    EXPECT_GIVES("'abcd' !over_a_limit 'y' .", lines_of(paths, 2, &options));
    EXPECT_STATUS(STK_E_LIMIT, first_error(lines_of(paths, 2, &options), NULL, &err));
    EXPECT_CONTAINS("line 1 at byte 5 is longer than the limit of 4 bytes", err.message);
    EXPECT_CONTAINS("long", err.where);
}

STK_TEST(a_missing_text_is_an_error_in_its_place)
{
    const char *paths[] = {write_text("t0", "a\n"), stk_test_path("gone"), write_text("t2", "b\n")};
    EXPECT_GIVES("'a' !not_found 'b' .", lines_of(paths, 3, NULL));
}

STK_TEST(a_text_that_fails_to_read_is_left_for_the_next)
{
    slow_filesystem fs;
    slow_filesystem_init(&fs, 0);
    fs.error_at = 6;
    fs.most = 2;
    const char  *paths[] = {write_text("bad", "ab\ncd\nef\ngh\n"), write_text("good", "x\n")};
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_text(&data, &fs.fs, paths, 2, NULL, &err));
    EXPECT_CONTAINS("!input/output_error 'x' .", stk_test_run(data, NULL, 0));
    stk_dataset_unref(data);
    EXPECT_INT_EQ(0, fs.open);
}

STK_TEST(lines_know_where_they_are_from)
{
    const char   *path = write_text("where", "ab\n\ncd\n");
    stk_dataset  *data = lines_of(&path, 1, NULL);
    stk_error     err;
    stk_iterator *it;
    EXPECT_OK(stk_iterator_start(&it, data, NULL, &err));
    static const uint64_t offsets[] = {0, 3, 4};
    for (uint64_t i = 0; i < 3; i++) {
        stk_element *element;
        EXPECT_OK(stk_iterator_next(it, &element, &err));
        EXPECT_INT_EQ(i, stk_element_origin(element)->record);
        EXPECT_INT_EQ(offsets[i], stk_element_origin(element)->offset);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
}

static stk_status build(void *path, stk_error *err)
{
    stk_dataset *data = NULL;
    const char  *paths[] = {path};
    stk_status   st = stk_dataset_text(&data, NULL, paths, 1, NULL, err);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(failed_allocations_while_building_are_clean)
{
    stk_test_fail_each_allocation(build, (void *)(uintptr_t)write_text("alloc", "x"));
}
