/* Writing safetensors files: what is written is read back, what is wrong is refused, and whatever
 * fails, the file that was there stays. */
#include "failing_alloc.h"
#include "full_disk.h"

#include <stdio.h>
#include <string.h>

static stk_safetensors_writer *open_writer(const char *name)
{
    stk_error               err;
    stk_safetensors_writer *writer;
    EXPECT_OK(stk_safetensors_writer_open(&writer, NULL, stk_test_path(name), NULL, &err));
    return writer;
}

enum { ITEMS = 40, ITEM_ROOM = 4096 };

static uint8_t data[ITEMS][ITEM_ROOM];
static char    names[ITEMS][32];

/* Tensors of all types and of sizes from nothing up. */
static void make_items(stk_safetensors_item items[ITEMS])
{
    static const stk_dtype types[] = {STK_DTYPE_BOOL, STK_DTYPE_U8,  STK_DTYPE_I8,
                                      STK_DTYPE_I32,  STK_DTYPE_I64, STK_DTYPE_F16,
                                      STK_DTYPE_BF16, STK_DTYPE_F32, STK_DTYPE_F64};
    for (int i = 0; i < ITEMS; i++) {
        snprintf(names[i], sizeof names[i], "block.%d/\"w\"\t%s", i, i % 2 ? "ä" : "");
        items[i] = (stk_safetensors_item){.name = names[i],
                                          .dtype = types[i % (int)COUNT_OF(types)],
                                          .shape = stk_shape_2d(i % 7, 1 + i % 11),
                                          .data = data[i]};
        for (int k = 0; k < ITEM_ROOM; k++)
            data[i][k] = (uint8_t)(i * 37 + k * 11 + k / 256);
    }
}

static stk_status save(const stk_filesystem *fs, const char *path, size_t count, stk_error *err)
{
    stk_safetensors_item            items[ITEMS];
    const stk_safetensors_text_item texts[] = {{"step", "12"}, {"", ""}, {"note", "a\n\"b\"\\"}};
    make_items(items);
    return stk_safetensors_save(fs, path, items, count, texts, COUNT_OF(texts), NULL, err);
}

static void expect_saved(const char *path, size_t count)
{
    stk_error            err;
    uint8_t              got[ITEM_ROOM];
    stk_safetensors     *file;
    stk_safetensors_item items[ITEMS];
    make_items(items);
    EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
    EXPECT_INT_EQ(count, stk_safetensors_count(file));
    EXPECT_STR_EQ("12", stk_safetensors_text(file, "step"));
    EXPECT_STR_EQ("a\n\"b\"\\", stk_safetensors_text(file, "note"));
    EXPECT_STR_EQ("", stk_safetensors_text(file, ""));
    for (size_t i = 0; i < count; i++) {
        const stk_safetensors_tensor *t = stk_safetensors_find(file, items[i].name);
        EXPECT(t && t->dtype == items[i].dtype && stk_shape_equal(&t->shape, &items[i].shape));
        EXPECT(t->has_crc32c);
        EXPECT_INT_EQ(0, t->offset % stk_dtype_bytes(t->dtype));
        EXPECT_OK(stk_safetensors_read(file, t, got, &err));
        EXPECT_MEM_EQ(items[i].data, got, t->bytes);
    }
    stk_safetensors_free(file);
}

STK_TEST(what_is_saved_is_read_back_aligned_and_checked)
{
    stk_error   err;
    const char *path = stk_test_path("saved.safetensors");
    for (size_t count = 0; count <= ITEMS; count += 8) {
        EXPECT_OK(save(NULL, path, count, &err));
        expect_saved(path, count);
        uint64_t        length = 0;
        const stk_bytes bytes = stk_test_read_file(path);
        memcpy(&length, bytes.data, sizeof length);
        EXPECT_INT_EQ(0, length % 8);
    }
}

STK_TEST(data_comes_in_parts_and_in_the_order_asked_for)
{
    stk_error               err;
    size_t                  index;
    stk_safetensors_writer *writer = open_writer("parts.safetensors");
    const stk_shape         shape = stk_shape_1d(3), none = stk_shape_1d(0);
    EXPECT_OK(stk_safetensors_writer_add(writer, "a", STK_DTYPE_U8, &shape, NULL, &err));
    EXPECT_OK(stk_safetensors_writer_add(writer, "b", STK_DTYPE_I64, &none, NULL, &err));
    EXPECT_OK(stk_safetensors_writer_add(writer, "c", STK_DTYPE_I32, &shape, NULL, &err));
    EXPECT_OK(stk_safetensors_writer_next(writer, &index, &err));
    EXPECT_INT_EQ(2, index);
    EXPECT_OK(stk_safetensors_writer_write(writer, stk_bytes_text("01234"), &err));
    EXPECT_OK(stk_safetensors_writer_next(writer, &index, &err));
    EXPECT_INT_EQ(2, index);
    EXPECT_OK(stk_safetensors_writer_write(writer, stk_bytes_text("56789ab"), &err));
    EXPECT_OK(stk_safetensors_writer_next(writer, &index, &err));
    EXPECT_INT_EQ(0, index);
    EXPECT_OK(stk_safetensors_writer_write(writer, stk_bytes_text("xyz"), &err));
    EXPECT_OK(stk_safetensors_writer_next(writer, &index, &err));
    EXPECT_INT_EQ(SIZE_MAX, index);
    EXPECT_OK(stk_safetensors_writer_commit(writer, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_safetensors_writer_commit(writer, &err));
    EXPECT_CONTAINS("committed already", err.message);
    stk_safetensors_writer_free(writer);
    const stk_bytes bytes = stk_test_read_file(stk_test_path("parts.safetensors"));
    EXPECT_MEM_EQ("0123456789abxyz", bytes.data + bytes.size - 15, 15);
    EXPECT(!memmem(bytes.data, bytes.size, "__metadata__", 12));
}

/* Adds one tensor or text that is refused; the writer then refuses everything. */
static void expect_refused(stk_status expected, const char *message, const char *name,
                           stk_dtype dtype, stk_shape shape)
{
    stk_error               err;
    stk_safetensors_writer *writer = open_writer("refused.safetensors");
    EXPECT_STATUS(expected, stk_safetensors_writer_add(writer, name, dtype, &shape, NULL, &err));
    EXPECT_CONTAINS(message, err.message);
    EXPECT_STR_EQ(stk_test_path("refused.safetensors"), err.where);
    EXPECT_STATUS(expected, stk_safetensors_writer_commit(writer, NULL));
    stk_safetensors_writer_free(writer);
}

STK_TEST(descriptions_that_make_no_sense_are_refused)
{
    expect_refused(STK_E_INVALID, "name is missing", NULL, STK_DTYPE_U8, stk_shape_1d(1));
    expect_refused(STK_E_INVALID, "is not UTF-8 from byte 1", "a\xff", STK_DTYPE_U8,
                   stk_shape_1d(1));
    expect_refused(STK_E_INVALID, "no tensor can be called", "__metadata__", STK_DTYPE_U8,
                   stk_shape_1d(1));
    expect_refused(STK_E_TYPE, "'a' is of type bytes", "a", STK_DTYPE_BYTES, stk_shape_1d(1));
    expect_refused(STK_E_SHAPE, "'a' has a shape", "a", STK_DTYPE_U8, stk_shape_1d(-1));
    expect_refused(STK_E_SHAPE, "'a' has a shape", "a", STK_DTYPE_F64, stk_shape_1d(INT64_MAX / 4));
}

STK_TEST(texts_given_twice_or_too_late_and_names_given_twice_are_refused)
{
    stk_error               err;
    size_t                  index;
    const stk_shape         shape = stk_shape_1d(1);
    stk_safetensors_writer *writer = open_writer("twice.safetensors");
    EXPECT_OK(stk_safetensors_writer_text(writer, "k", "1", &err));
    EXPECT_STATUS(STK_E_INVALID, stk_safetensors_writer_text(writer, "k", "2", &err));
    EXPECT_CONTAINS("there is a text 'k' already", err.message);
    stk_safetensors_writer_free(writer);
    writer = open_writer("twice.safetensors");
    EXPECT_STATUS(STK_E_INVALID,
                  stk_safetensors_writer_text(writer, STK_SAFETENSORS_CHECKSUMS, "", &err));
    stk_safetensors_writer_free(writer);
    writer = open_writer("twice.safetensors");
    EXPECT_OK(stk_safetensors_writer_next(writer, &index, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_safetensors_writer_text(writer, "k", "2", &err));
    EXPECT_CONTAINS("'k' comes too late", err.message);
    stk_safetensors_writer_free(writer);
    writer = open_writer("twice.safetensors");
    EXPECT_OK(stk_safetensors_writer_add(writer, "a", STK_DTYPE_U8, &shape, NULL, &err));
    EXPECT_OK(stk_safetensors_writer_add(writer, "a", STK_DTYPE_I64, &shape, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID, stk_safetensors_writer_next(writer, &index, &err));
    EXPECT_CONTAINS("two tensors are called 'a'", err.message);
    stk_safetensors_writer_free(writer);
}

STK_TEST(data_that_is_too_much_too_little_or_changed_is_refused)
{
    stk_error               err;
    const uint32_t          crc = stk_safetensors_crc32c(stk_bytes_text("four"));
    const stk_shape         shape = stk_shape_1d(4);
    stk_safetensors_writer *writer = open_writer("data.safetensors");
    EXPECT_OK(stk_safetensors_writer_add(writer, "a", STK_DTYPE_U8, &shape, NULL, &err));
    EXPECT_OK(stk_safetensors_writer_write(writer, stk_bytes_text("f"), &err));
    EXPECT_STATUS(STK_E_INVALID, stk_safetensors_writer_commit(writer, &err));
    EXPECT_CONTAINS("'a' has 1 of its 4 bytes", err.message);
    stk_safetensors_writer_free(writer);
    writer = open_writer("data.safetensors");
    EXPECT_OK(stk_safetensors_writer_add(writer, "a", STK_DTYPE_U8, &shape, NULL, &err));
    EXPECT_STATUS(STK_E_INVALID,
                  stk_safetensors_writer_write(writer, stk_bytes_text("fours"), &err));
    EXPECT_CONTAINS("5 bytes come for tensor 'a', which wants 4", err.message);
    stk_safetensors_writer_free(writer);
    writer = open_writer("data.safetensors");
    EXPECT_STATUS(STK_E_INVALID, stk_safetensors_writer_write(writer, stk_bytes_text("x"), &err));
    EXPECT_CONTAINS("after the data of the last tensor", err.message);
    stk_safetensors_writer_free(writer);
    writer = open_writer("data.safetensors");
    EXPECT_OK(stk_safetensors_writer_add(writer, "a", STK_DTYPE_U8, &shape, &crc, &err));
    EXPECT_STATUS(STK_E_DATALOSS,
                  stk_safetensors_writer_write(writer, stk_bytes_text("five"), &err));
    EXPECT_CONTAINS("it changed in between", err.message);
    EXPECT_STATUS(STK_E_DATALOSS, stk_safetensors_writer_commit(writer, &err));
    stk_safetensors_writer_free(writer);
}

STK_TEST(a_full_disk_at_any_call_leaves_the_file_that_was_there)
{
    stk_error   err;
    full_disk   disk;
    const char *path = stk_test_path("kept.safetensors");
    EXPECT_OK(save(NULL, path, 8, &err));
    full_disk_init(&disk, -1);
    EXPECT_OK(save(&disk.fs, path, 8, &err));
    const int calls = disk.calls;
    EXPECT(calls > 5);
    for (int at = 0; at < calls; at++) {
        full_disk_init(&disk, at);
        EXPECT_STATUS(STK_E_NOSPACE, save(&disk.fs, path, 16, &err));
        EXPECT_STR_EQ(path, err.where);
        expect_saved(path, 8);
    }
}

static stk_status save_again(void *path, stk_error *err)
{
    return save(NULL, path, ITEMS, err);
}

STK_TEST(saving_survives_every_failed_allocation)
{
    char *path = (char *)(uintptr_t)stk_test_path("allocations.safetensors");
    stk_test_fail_each_allocation(save_again, path);
    expect_saved(path, ITEMS);
}
