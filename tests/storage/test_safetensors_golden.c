/* safetensors files that the reference implementation wrote; tests/data/safetensors/README.md. */
#include "harness.h"

#include <stdio.h>
#include <string.h>

static stk_safetensors *open_golden(const char *name)
{
    char             path[512];
    stk_error        err;
    stk_safetensors *file;
    snprintf(path, sizeof path, STK_TEST_DATA "/safetensors/%s.safetensors", name);
    EXPECT_OK(stk_safetensors_open(&file, NULL, path, NULL, &err));
    return file;
}

static void expect_data(const stk_safetensors *file, const stk_safetensors_tensor *t, int index)
{
    stk_error err;
    uint8_t   bytes[512];
    EXPECT(t->bytes <= sizeof bytes);
    EXPECT(!t->has_crc32c);
    EXPECT_OK(stk_safetensors_read(file, t, bytes, &err));
    for (size_t i = 0; i < t->bytes; i++)
        EXPECT_INT_EQ((index * 31 + (int)i * 7) & (index ? 0xff : 1), bytes[i]);
}

STK_TEST(every_type_is_read_as_the_package_wrote_it)
{
    static const stk_dtype types[] = {STK_DTYPE_BOOL, STK_DTYPE_U8,  STK_DTYPE_I8,
                                      STK_DTYPE_I32,  STK_DTYPE_I64, STK_DTYPE_F16,
                                      STK_DTYPE_BF16, STK_DTYPE_F32, STK_DTYPE_F64};
    stk_safetensors       *file = open_golden("types");
    EXPECT_INT_EQ(COUNT_OF(types), stk_safetensors_count(file));
    EXPECT_INT_EQ(0, stk_safetensors_text_count(file));
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        char name[32];
        snprintf(name, sizeof name, "of/%s", stk_dtype_name(types[i]));
        const stk_safetensors_tensor *t = stk_safetensors_find(file, name);
        const stk_shape               shape = stk_shape_2d(3, (int64_t)i + 1);
        EXPECT(t != NULL);
        EXPECT_INT_EQ(types[i], t->dtype);
        EXPECT(stk_shape_equal(&shape, &t->shape));
        expect_data(file, t, (int)i);
    }
    EXPECT(stk_safetensors_find(file, "of/nothing") == NULL);
    EXPECT(stk_safetensors_at(file, COUNT_OF(types)) == NULL);
    stk_safetensors_free(file);
}

STK_TEST(shapes_names_and_texts_are_read_as_the_package_wrote_them)
{
    stk_safetensors              *file = open_golden("shapes");
    const stk_safetensors_tensor *scalar = stk_safetensors_find(file, "scalar");
    const stk_safetensors_tensor *empty = stk_safetensors_find(file, "no \"elements\"");
    const stk_safetensors_tensor *large = stk_safetensors_find(file, "größe");
    EXPECT_INT_EQ(3, stk_safetensors_count(file));
    EXPECT(scalar && empty && large);
    EXPECT_INT_EQ(0, scalar->shape.rank);
    expect_data(file, scalar, 1);
    EXPECT_INT_EQ(3, empty->shape.rank);
    expect_data(file, empty, 7);
    EXPECT_INT_EQ(4, large->shape.rank);
    expect_data(file, large, 2);
    EXPECT(stk_safetensors_at(file, 0) == large);
    EXPECT(stk_safetensors_at(file, 1) == empty);
    EXPECT_INT_EQ(2, stk_safetensors_text_count(file));
    EXPECT_STR_EQ("pt", stk_safetensors_text(file, "format"));
    EXPECT_STR_EQ("line\nbreak, 中文", stk_safetensors_text(file, "a \"quoted\" key"));
    EXPECT_STR_EQ("a \"quoted\" key", stk_safetensors_text_key(file, 0));
    EXPECT(stk_safetensors_text(file, "none") == NULL && !stk_safetensors_text_at(file, 2));
    stk_safetensors_free(file);
}

STK_TEST(a_file_without_tensors_is_one)
{
    stk_safetensors *file = open_golden("nothing");
    EXPECT_INT_EQ(0, stk_safetensors_count(file));
    EXPECT(stk_safetensors_find(file, "x") == NULL);
    stk_safetensors_free(file);
}

/* The same tensors written by us: the bytes differ only where the map of texts does. */
STK_TEST(what_we_write_is_laid_out_as_the_package_does)
{
    stk_error                  err;
    static uint8_t             data[20];
    const char                *path = stk_test_path("ours.safetensors");
    const stk_safetensors_item items[] = {
        {"größe", STK_DTYPE_I64, stk_shape_4d(1, 1, 2, 1), data},
        {"no \"elements\"", STK_DTYPE_F32, stk_shape_3d(2, 0, 3), NULL},
        {"scalar", STK_DTYPE_F32, stk_shape_scalar(), data + 16},
    };
    for (int i = 0; i < 20; i++)
        data[i] = (uint8_t)(i < 16 ? 62 + i * 7 : 31 + (i - 16) * 7);
    stk_safetensors_writer *writer;
    EXPECT_OK(stk_safetensors_writer_open(&writer, NULL, path, NULL, &err));
    EXPECT_OK(stk_safetensors_writer_text(writer, "a \"quoted\" key", "line\nbreak, 中文", &err));
    EXPECT_OK(stk_safetensors_writer_text(writer, "format", "pt", &err));
    for (size_t i = 0; i < COUNT_OF(items); i++)
        EXPECT_OK(stk_safetensors_writer_add(writer, items[i].name, items[i].dtype, &items[i].shape,
                                             NULL, &err));
    EXPECT_OK(stk_safetensors_writer_write(writer, stk_bytes_of(data, 16), &err));
    EXPECT_OK(stk_safetensors_writer_write(writer, stk_bytes_of(data + 16, 4), &err));
    EXPECT_OK(stk_safetensors_writer_commit(writer, &err));
    stk_safetensors_writer_free(writer);
    const stk_bytes ours = stk_test_read_file(path);
    const stk_bytes theirs = stk_test_read_file(STK_TEST_DATA "/safetensors/shapes.safetensors");
    EXPECT_INT_EQ(theirs.size, ours.size);
    EXPECT_MEM_EQ(theirs.data, ours.data, ours.size);
}
