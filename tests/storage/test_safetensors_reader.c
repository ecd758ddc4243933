/* Reading safetensors files: every refusal, and damage. */
#include "failing_alloc.h"
#include "faulty_filesystem.h"

#include <stdio.h>
#include <string.h>

/* A file with this header, its length announced as claimed, and data_bytes zero bytes. */
static const char *make_file(const char *header, uint64_t claimed, size_t data_bytes)
{
    static uint8_t bytes[1 << 16];
    const char    *path = stk_test_path("made.safetensors");
    const size_t   length = strlen(header);
    EXPECT(8 + length + data_bytes <= sizeof bytes);
    memset(bytes, 0, sizeof bytes);
    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(claimed >> 8 * i);
    memcpy(bytes + 8, header, length);
    stk_test_write_file(path, bytes, 8 + length + data_bytes);
    return path;
}

static void expect_refused(stk_status expected, const char *message, const char *header,
                           size_t data_bytes)
{
    stk_error        err;
    stk_safetensors *file;
    const char      *path = make_file(header, strlen(header), data_bytes);
    EXPECT_STATUS(expected, stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT(file == NULL);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_CONTAINS(message, err.message);
}

/* One tensor "t" described by body. */
static void expect_tensor_refused(stk_status expected, const char *message, const char *body,
                                  size_t data_bytes)
{
    char header[1024];
    snprintf(header, sizeof header, "{\"t\":%s}", body);
    expect_refused(expected, message, header, data_bytes);
}

STK_TEST(a_header_that_makes_no_sense_is_refused)
{
    expect_refused(STK_E_FORMAT, "does not begin with '{'", "", 0);
    expect_refused(STK_E_FORMAT, "does not begin with '{'", " {}", 0);
    expect_refused(STK_E_FORMAT, "line 1, column 2", "{]", 0);
    expect_refused(STK_E_FORMAT, "the end of the text", "{}{}", 0);
    expect_refused(STK_E_FORMAT, "not a map of texts", "{\"__metadata__\":[]}", 0);
    expect_refused(STK_E_FORMAT, "'a' is not a text", "{\"__metadata__\":{\"a\":1}}", 0);
    expect_refused(STK_E_FORMAT, "'a' is not a text", "{\"__metadata__\":{\"a\":\"\\u0000\"}}", 0);
    expect_refused(STK_E_FORMAT, "is there twice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0);
    expect_refused(STK_E_FORMAT, "'n' has a zero byte", "{\"n\\u0000\":{}}", 0);
}

STK_TEST(a_tensor_that_makes_no_sense_is_refused_by_name)
{
    expect_tensor_refused(STK_E_FORMAT, "'t' is not described by", "[]", 0);
    expect_tensor_refused(STK_E_FORMAT, "'t' is not described by",
                          "{\"dtype\":\"F32\",\"shape\":[1],\"shape\":[1]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "'t' is not described by",
                          "{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4],\"x\":1}", 4);
    expect_tensor_refused(STK_E_FORMAT, "'t' has no text as its dtype",
                          "{\"dtype\":1,\"shape\":[],\"data_offsets\":[0,4]}", 4);
    expect_tensor_refused(STK_E_UNSUPPORTED, "'t' is of type 'F8_E4M3'",
                          "{\"dtype\":\"F8_E4M3\",\"shape\":[],\"data_offsets\":[0,1]}", 1);
    expect_tensor_refused(STK_E_FORMAT, "'t' has no list of dimensions",
                          "{\"dtype\":\"U8\",\"shape\":4,\"data_offsets\":[0,4]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "dimension 1 of tensor 't'",
                          "{\"dtype\":\"U8\",\"shape\":[4,-1],\"data_offsets\":[0,4]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "dimension 0 of tensor 't'",
                          "{\"dtype\":\"U8\",\"shape\":[\"4\"],\"data_offsets\":[0,4]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "dimension 0 of tensor 't'",
                          "{\"dtype\":\"U8\",\"shape\":[1.5],\"data_offsets\":[0,4]}", 4);
    expect_tensor_refused(STK_E_UNSUPPORTED, "'t' has 9 dimensions; 8",
                          "{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1,1,1,1,4],\"data_offsets\":[0,4]}",
                          4);
}

STK_TEST(places_that_do_not_go_with_the_data_are_refused)
{
    expect_tensor_refused(STK_E_FORMAT, "data_offsets of tensor 't' are not two numbers",
                          "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "data_offsets of tensor 't' are not two numbers",
                          "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[4,0]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "data_offsets of tensor 't' are not two numbers",
                          "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[-4,0]}", 4);
    expect_tensor_refused(STK_E_FORMAT,
                          "bytes 0 to 4 of the data, which is not the size of "
                          "float32 [4]",
                          "{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,4]}", 4);
    expect_tensor_refused(STK_E_FORMAT, "not the size of float64 [4294967296,4294967296]",
                          "{\"dtype\":\"F64\",\"shape\":[4294967296,4294967296],"
                          "\"data_offsets\":[0,0]}",
                          0);
    expect_tensor_refused(STK_E_DATALOSS, "'t' ends at byte 4 of the data, but the file has 3",
                          "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}", 3);
    expect_tensor_refused(STK_E_FORMAT, "what follows belongs to none",
                          "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[0,4]}", 5);
    expect_tensor_refused(STK_E_FORMAT,
                          "'t' begins at byte 1 of the data, but the data begins at "
                          "0: a hole",
                          "{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[1,5]}", 5);
}

#define TENSOR(name, begin, end)                                                                   \
    "\"" name "\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[" begin "," end "]}"

STK_TEST(tensors_that_overlap_leave_holes_or_share_a_name_are_refused)
{
    expect_refused(STK_E_FORMAT,
                   "'b' begins at byte 3 of the data, but 'a' ends at 4: they overlap",
                   "{" TENSOR("a", "0", "4") "," TENSOR("b", "3", "7") "}", 7);
    expect_refused(STK_E_FORMAT, "'b' begins at byte 5 of the data, but 'a' ends at 4: a hole",
                   "{" TENSOR("a", "0", "4") "," TENSOR("b", "5", "9") "}", 9);
    expect_refused(STK_E_FORMAT, "two tensors are called 'a'",
                   "{" TENSOR("a", "0", "4") "," TENSOR("a", "4", "8") "}", 8);
}

STK_TEST(checksums_that_are_none_are_refused_and_those_of_no_tensor_passed_over)
{
    stk_error        err;
    stk_safetensors *file;
    expect_refused(STK_E_FORMAT, "that of 'a' is not 8 hexadecimal digits",
                   "{\"__metadata__\":{\"stoker.crc32c\":\"{\\\"a\\\":\\\"0123\\\"}\"}}", 0);
    expect_refused(STK_E_FORMAT, "that of 'a' is not 8 hexadecimal digits",
                   "{\"__metadata__\":{\"stoker.crc32c\":\"{\\\"a\\\":5}\"}}", 0);
    expect_refused(STK_E_FORMAT, "line 1", "{\"__metadata__\":{\"stoker.crc32c\":\"{\"}}", 0);
    const char *header = "{\"__metadata__\":{\"stoker.crc32c\":\"{\\\"a\\\":\\\"01234567\\\"}\"}}";
    const char *path = make_file(header, strlen(header), 0);
    EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
    stk_safetensors_free(file);
}

STK_TEST(a_length_that_passes_the_file_or_the_limit_is_refused)
{
    stk_error        err;
    stk_safetensors *file;
    const char      *path = make_file("{}", 3, 0);
    EXPECT_STATUS(STK_E_DATALOSS, stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT_CONTAINS("the header has 3 bytes, but only 2 follow", err.message);
    path = make_file("{}", STK_SAFETENSORS_HEADER_MAX + 1, 0);
    EXPECT_STATUS(STK_E_FORMAT, stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT_CONTAINS("100000001 bytes; the format allows 100000000", err.message);
    path = make_file("{}", UINT64_MAX, 0);
    EXPECT_STATUS(STK_E_FORMAT, stk_safetensors_open(&file, NULL, path, NULL, &err));
    stk_test_write_file(path, "\2\0\0\0\0\0\0", 7);
    EXPECT_STATUS(STK_E_DATALOSS, stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT_CONTAINS("7 bytes are no safetensors file", err.message);
    EXPECT_STATUS(STK_E_NOTFOUND, stk_safetensors_open(&file, NULL, "/none/x", NULL, NULL));
}

static const float numbers[] = {1, -2, 3.5f, 4, 5, 6};

static const char *save_two(void)
{
    stk_error                  err;
    const char                *path = stk_test_path("two.safetensors");
    const stk_safetensors_item items[] = {
        {"bytes", STK_DTYPE_U8, stk_shape_1d(5), numbers},
        {"layer/weights", STK_DTYPE_F32, stk_shape_2d(2, 3), numbers},
    };
    const stk_safetensors_text_item text = {"step", "17"};
    EXPECT_OK(stk_safetensors_save(NULL, path, items, 2, &text, 1, NULL, &err));
    return path;
}

/* Opens path and reads both tensors. */
static stk_status read_two(const stk_filesystem *fs, const char *path,
                           const stk_safetensors_options *options, stk_error *err)
{
    float            got[COUNT_OF(numbers)];
    stk_safetensors *file;
    stk_status       st = stk_safetensors_open(&file, fs, path, options, err);
    for (size_t i = 0; !st && i < stk_safetensors_count(file); i++) {
        const stk_safetensors_tensor *t = stk_safetensors_at(file, i);
        EXPECT(t->bytes <= sizeof got);
        st = stk_safetensors_read(file, t, got, err);
    }
    stk_safetensors_free(file);
    return st;
}

STK_TEST(a_flipped_bit_in_the_data_is_found_and_the_tensor_named)
{
    stk_error       err;
    const char     *path = save_two(), *broken = stk_test_path("broken.safetensors");
    const stk_bytes whole = stk_test_read_file(path);
    uint8_t         copy[1024];
    EXPECT(whole.size <= sizeof copy);
    for (size_t i = whole.size - 29; i < whole.size; i++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, whole.data, whole.size);
            copy[i] ^= (uint8_t)(1 << bit);
            stk_test_write_file(broken, copy, whole.size);
            EXPECT_STATUS(STK_E_DATALOSS, read_two(NULL, broken, NULL, &err));
            EXPECT_STR_EQ(broken, err.where);
            EXPECT_CONTAINS(i < whole.size - 5 ? "'layer/weights'" : "'bytes'", err.message);
            const stk_safetensors_options options = {.skip_checksums = true};
            EXPECT_OK(read_two(NULL, broken, &options, &err));
        }
}

/* Larger than what is read at once; the last byte is the one that is wrong. */
STK_TEST(a_large_tensor_is_read_and_checked_to_its_end)
{
    enum { LARGE = (3 << 20) + 5 };
    stk_error        err;
    stk_safetensors *file;
    const char      *path = stk_test_path("large.safetensors");
    uint8_t         *data = malloc(LARGE), *got = malloc(LARGE);
    EXPECT(data && got);
    for (size_t i = 0; i < LARGE; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    const stk_safetensors_item item = {"large", STK_DTYPE_I8, stk_shape_1d(LARGE), data};
    EXPECT_OK(stk_safetensors_save(NULL, path, &item, 1, NULL, 0, NULL, &err));
    const stk_bytes whole = stk_test_read_file(path);
    uint8_t        *broken = malloc(whole.size);
    EXPECT(broken != NULL);
    memcpy(broken, whole.data, whole.size);
    broken[whole.size - 1] ^= 1;
    for (int wrong = 0; wrong < 2; wrong++) {
        if (wrong) stk_test_write_file(path, broken, whole.size);
        EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
        EXPECT_STATUS(wrong ? STK_E_DATALOSS : STK_OK,
                      stk_safetensors_read(file, stk_safetensors_at(file, 0), got, &err));
        EXPECT_MEM_EQ(data, got, LARGE - 1);
        stk_safetensors_free(file);
    }
    free(broken);
    free(data);
    free(got);
}

STK_TEST(a_file_cut_anywhere_is_refused)
{
    stk_error       err;
    const char     *path = save_two(), *broken = stk_test_path("cut.safetensors");
    const stk_bytes whole = stk_test_read_file(path);
    for (size_t size = 0; size < whole.size; size++) {
        stk_test_write_file(broken, whole.data, size);
        EXPECT_STATUS(STK_E_DATALOSS, read_two(NULL, broken, NULL, &err));
    }
}

STK_TEST(short_reads_are_hidden_and_read_errors_passed_on)
{
    stk_error         err;
    faulty_filesystem faulty;
    const char       *path = save_two();
    const stk_bytes   whole = stk_test_read_file(path);
    faulty_filesystem_init(&faulty);
    faulty.most = 3;
    EXPECT_OK(read_two(&faulty.fs, path, NULL, &err));
    for (faulty.error_at = 0; faulty.error_at < whole.size; faulty.error_at++)
        EXPECT_STATUS(STK_E_IO, read_two(&faulty.fs, path, NULL, &err));
}

static stk_status read_again(void *path, stk_error *err)
{
    return read_two(NULL, path, NULL, err);
}

STK_TEST(reading_survives_every_failed_allocation_and_gives_all_memory_back)
{
    stk_error               err;
    stk_ledger_report       report;
    stk_safetensors_options options = {0};
    char                   *path = (char *)(uintptr_t)save_two();
    stk_test_fail_each_allocation(read_again, path);
    EXPECT_OK(stk_ledger_new(&options.ledger, 1 << 20, &err));
    EXPECT_OK(read_two(NULL, path, &options, &err));
    stk_ledger_read(options.ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT(report.peak_bytes > 0);
    stk_ledger_unref(options.ledger);
}
