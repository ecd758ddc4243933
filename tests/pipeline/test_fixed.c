#include "file_support.h"

static const char *write_text(const char *name, const char *text)
{
    const char *path = stk_test_path(name);
    stk_test_write_file(path, text, strlen(text));
    return path;
}

static stk_dataset *fixed_of(const char *const *paths, size_t count, uint64_t bytes,
                             const stk_fixed_length_options *options)
{
    stk_error    err;
    stk_dataset *data;
    EXPECT_OK(stk_dataset_fixed_length_records(&data, NULL, paths, count, bytes, options, &err));
    return data;
}

STK_TEST(records_of_one_length_come_file_after_file) /* 10 */
{
    stk_test_watchdog(120);
    const char *paths[] = {write_text("a", "abcdef"), write_text("b", ""), write_text("c", "ghi")};
    EXPECT_GIVES("'abc' 'def' 'ghi' .", fixed_of(paths, 3, 3, NULL));
}

STK_TEST(header_and_footer_are_passed_over) /* 10 */
{
    const stk_fixed_length_options options = {.header_bytes = 2, .footer_bytes = 3};
    const char *paths[] = {write_text("h0", "HHabcdFFF"), write_text("h1", "HHFFF"),
                           write_text("h2", "HHefFFF")};
    EXPECT_GIVES("'ab' 'cd' 'ef' .", fixed_of(paths, 3, 2, &options));
}

STK_TEST(a_body_that_is_no_multiple_is_told_with_its_numbers) /* 10 */
{
    stk_error                      err;
    const stk_fixed_length_options options = {.header_bytes = 2, .footer_bytes = 1};
    const char *paths[] = {write_text("odd", "HHabcdeF"), write_text("even", "HHabcdF")};
    EXPECT_GIVES("!invalid_argument 'ab' 'cd' .", fixed_of(paths, 2, 2, &options));
    EXPECT_STATUS(STK_E_INVALID, first_error(fixed_of(paths, 2, 2, &options), NULL, &err));
    EXPECT_CONTAINS("odd", err.where);
    EXPECT_CONTAINS("body length is 5 bytes", err.message);
    EXPECT_CONTAINS("record length of 2 bytes", err.message);
}

STK_TEST(a_file_shorter_than_header_and_footer_is_told)
{
    stk_error                      err;
    const stk_fixed_length_options options = {.header_bytes = 3, .footer_bytes = 2};
    const char                    *path = write_text("short", "abcd");
    EXPECT_STATUS(STK_E_INVALID, first_error(fixed_of(&path, 1, 1, &options), NULL, &err));
    EXPECT_CONTAINS("4 bytes, less than its header of 3 and footer of 2", err.message);
}

STK_TEST(compressed_files_show_their_length_at_the_end)
{
    const stk_fixed_length_options options = {
        .header_bytes = 2, .footer_bytes = 3, .buffer_bytes = 4};
    const char *good = stk_test_path("good.gz"), *odd = stk_test_path("odd.gz");
    const char *tiny = stk_test_path("tiny.gz");
    write_gzip(good, stk_bytes_of("HHabcdFFF", 9));
    write_gzip(odd, stk_bytes_of("HHefgFFF", 8));
    write_gzip(tiny, stk_bytes_of("H", 1));
    const char *paths[] = {good, odd, tiny, good};
    EXPECT_GIVES("'ab' 'cd' 'ef' !invalid_argument !invalid_argument 'ab' 'cd' .",
                 fixed_of(paths, 4, 2, &options));
    stk_error err;
    EXPECT_STATUS(STK_E_INVALID, first_error(fixed_of(&odd, 1, 2, &options), NULL, &err));
    EXPECT_CONTAINS("body length is 3 bytes", err.message);
}

STK_TEST(buffers_smaller_than_a_record_do)
{
    const char *path = write_text("wide", "abcdefghijklmnopqrstuvwx");
    for (size_t buffer = 1; buffer <= 9; buffer += 4) {
        const stk_fixed_length_options options = {.buffer_bytes = buffer};
        EXPECT_GIVES("'abcdefgh' 'ijklmnop' 'qrstuvwx' .", fixed_of(&path, 1, 8, &options));
    }
}

STK_TEST(a_missing_file_is_an_error_in_its_place)
{
    const char *paths[] = {stk_test_path("gone"), write_text("here", "ab")};
    EXPECT_GIVES("!not_found 'a' 'b' .", fixed_of(paths, 2, 1, NULL));
}

STK_TEST(bad_parameters_are_named)
{
    stk_error    err;
    stk_dataset *data;
    const char  *path = "x";
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_fixed_length_records(&data, NULL, &path, 1, 0, NULL, &err));
    EXPECT_CONTAINS("records of 0 bytes", err.message);
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_fixed_length_records(&data, NULL, &path, 1, UINT64_MAX, NULL, &err));
    const stk_fixed_length_options options = {.footer_bytes = UINT64_MAX};
    EXPECT_STATUS(STK_E_INVALID,
                  stk_dataset_fixed_length_records(&data, NULL, &path, 1, 1, &options, &err));
    EXPECT_CONTAINS("a footer of", err.message);
}

STK_TEST(other_lengths_are_other_pipelines)
{
    const char                    *path = "x";
    const stk_fixed_length_options header = {.header_bytes = 1}, footer = {.footer_bytes = 1};
    stk_dataset *all[] = {fixed_of(&path, 1, 1, NULL), fixed_of(&path, 1, 2, NULL),
                          fixed_of(&path, 1, 1, &header), fixed_of(&path, 1, 1, &footer)};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        for (size_t k = 0; k < i; k++)
            EXPECT(stk_dataset_fingerprint(all[i]) != stk_dataset_fingerprint(all[k]));
    for (size_t i = 0; i < COUNT_OF(all); i++)
        stk_dataset_unref(all[i]);
}
