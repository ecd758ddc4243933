/* IDX files: pairs, single files, every number type, gzip, damage. */
#include "source_support.h"

#include <stdio.h>
#include <zlib.h>

/* Appends an IDX header of up to four dimensions and gives its length. */
static size_t write_header(uint8_t *out, uint8_t type, int rank, const uint32_t *dims)
{
    memcpy(out, (uint8_t[]){0, 0, type, (uint8_t)rank}, 4);
    for (int i = 0; i < rank; i++) {
        const uint32_t d = dims[i];
        memcpy(out + 4 + 4 * i,
               (uint8_t[]){(uint8_t)(d >> 24), (uint8_t)(d >> 16), (uint8_t)(d >> 8), (uint8_t)d},
               4);
    }
    return 4 + 4 * (size_t)rank;
}

static const char *put_gzip(const char *name, const void *data, size_t size)
{
    const char *path = put_bytes(name, "", 0);
    gzFile      file = gzopen(path, "wb");
    EXPECT(file != NULL);
    EXPECT_INT_EQ(size, gzwrite(file, data, (unsigned)size));
    EXPECT_INT_EQ(Z_OK, gzclose(file));
    return path;
}

/* count images of 2 x 3 pixels, pixel j of image i being 10 * i + j. */
static size_t make_images(uint8_t *out, uint32_t count)
{
    const size_t begin = write_header(out, 0x08, 3, (uint32_t[]){count, 2, 3});
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t j = 0; j < 6; j++)
            out[begin + 6 * i + j] = (uint8_t)(10 * i + j);
    return begin + 6 * count;
}

static size_t make_labels(uint8_t *out, uint32_t count)
{
    const size_t begin = write_header(out, 0x08, 1, &count);
    for (uint32_t i = 0; i < count; i++)
        out[begin + i] = (uint8_t)(9 - i);
    return begin + count;
}

static void make_mnist(const char *folder, bool gzip)
{
    uint8_t bytes[256];
    char    name[128];
    for (int split = 0; split < 2; split++) {
        const uint32_t count = split ? 3 : 5;
        for (int labels = 0; labels < 2; labels++) {
            snprintf(name, sizeof name, "%s/%s-%s-ubyte%s", folder, split ? "t10k" : "train",
                     labels ? "labels-idx1" : "images-idx3", gzip ? ".gz" : "");
            const size_t size = labels ? make_labels(bytes, count) : make_images(bytes, count);
            (gzip ? put_gzip : put_bytes)(name, bytes, size);
        }
    }
}

static void expect_mnist(const char *path)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_source        *source = open_source(path, NULL);
    EXPECT_STR_EQ("idx", stk_source_kind_name(source));
    EXPECT_INT_EQ(8, stk_source_count(source));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("train", stk_source_split_name(source, 1));
    const stk_feature_info *image = find_feature(source, "image");
    EXPECT_INT_EQ(STK_MEANING_TENSOR, image->meaning);
    EXPECT_INT_EQ(STK_DTYPE_U8, image->dtype);
    EXPECT_INT_EQ(3, image->shape.rank);
    EXPECT_INT_EQ(2, image->shape.dim[0]);
    EXPECT_INT_EQ(3, image->shape.dim[1]);
    EXPECT_INT_EQ(1, image->shape.dim[2]);
    stk_source_item_at(source, 4, &item);
    EXPECT_CONTAINS("train-images-idx3-ubyte", item.name);
    EXPECT_INT_EQ(1, item.record);
    EXPECT_INT_EQ(6, item.bytes);
    EXPECT_INT_EQ(8, item.label);
    EXPECT_INT_EQ(1, item.split);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 4, &sample, &err));
    const stk_field *field = find_field(sample, "image");
    EXPECT_INT_EQ(6, field->count);
    EXPECT_MEM_EQ(((uint8_t[]){10, 11, 12, 13, 14, 15}), field->data, 6);
    expect_int_field(sample, "label", 8);
    EXPECT_INT_EQ(16 + 6, sample->from.offset);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(a_folder_of_pairs_gives_two_splits_plain_or_gzip)
{
    make_mnist("mnist", false);
    make_mnist("packed", true);
    expect_mnist(stk_test_path("mnist"));
    expect_mnist(stk_test_path("packed"));
}

STK_TEST(class_names_are_numbers_but_known_for_fashion)
{
    make_mnist("digits", false);
    make_mnist("Fashion-MNIST/raw", true);
    stk_source *source = open_source(stk_test_path("digits"), NULL);
    EXPECT_INT_EQ(10, find_feature(source, "label")->class_count);
    EXPECT_STR_EQ("9", find_feature(source, "label")->class_names[9]);
    stk_source_free(source);
    source = open_source(stk_test_path("Fashion-MNIST/raw"), NULL);
    EXPECT_STR_EQ("T-shirt/top", find_feature(source, "label")->class_names[0]);
    EXPECT_STR_EQ("Ankle boot", find_feature(source, "label")->class_names[9]);
    stk_source_free(source);
}

STK_TEST(one_images_file_finds_its_labels)
{
    uint8_t bytes[256];
    make_mnist("one", false);
    stk_source *source = open_source(stk_test_path("one/t10k-images-idx3-ubyte"), NULL);
    EXPECT_INT_EQ(3, stk_source_count(source));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
    EXPECT(find_feature(source, "label") != NULL);
    stk_source_free(source);
    put_bytes("alone/train-images-idx3-ubyte", bytes, make_images(bytes, 2));
    put_gzip("alone/train-labels-idx1-ubyte.gz", bytes, make_labels(bytes, 2));
    source = open_source(stk_test_path("alone/train-images-idx3-ubyte"), NULL);
    EXPECT(find_feature(source, "label") != NULL);
    stk_source_free(source);
}

STK_TEST(every_number_type_is_read_in_the_machines_order)
{
    stk_error          err;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    static const struct {
        uint8_t   type;
        stk_dtype dtype;
        size_t    stored, width;
        uint8_t   big_endian[8];
        union {
            int32_t i;
            float   f;
            double  d;
        } value;
    } cases[] = {
        {0x09, STK_DTYPE_I32, 1, 4, {0xfe}, {.i = -2}},
        {0x0b, STK_DTYPE_I32, 2, 4, {0xff, 0x00}, {.i = -256}},
        {0x0c, STK_DTYPE_I32, 4, 4, {0x01, 0x02, 0x03, 0x04}, {.i = 0x01020304}},
        {0x0d, STK_DTYPE_F32, 4, 4, {0x3f, 0xc0, 0, 0}, {.f = 1.5f}},
        {0x0e, STK_DTYPE_F64, 8, 8, {0x3f, 0xf8, 0, 0, 0, 0, 0, 0}, {.d = 1.5}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint8_t      bytes[64];
        const size_t begin = write_header(bytes, cases[i].type, 2, (uint32_t[]){1, 2});
        memset(bytes + begin, 0, 16);
        memcpy(bytes + begin + cases[i].stored, cases[i].big_endian, cases[i].stored);
        const char *path = put_bytes("numbers.bin", bytes, begin + 2 * cases[i].stored);
        stk_source *source = open_source(path, NULL);
        EXPECT_INT_EQ(cases[i].dtype, find_feature(source, "data")->dtype);
        EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
        EXPECT_OK(stk_source_read(cursor, 0, &sample, &err));
        const uint8_t *values = find_field(sample, "data")->data;
        EXPECT_MEM_EQ(((uint8_t[8]){0}), values, cases[i].width);
        EXPECT_MEM_EQ(&cases[i].value, values + cases[i].width, cases[i].width);
        stk_source_cursor_free(cursor);
        stk_source_free(source);
    }
}

STK_TEST(headers_that_claim_too_much_or_too_little_are_damage)
{
    uint8_t   bytes[256];
    stk_error err;
    size_t    size = make_images(bytes, 2);
    bytes[7] = 3;
    refuse(STK_E_DATALOSS, put_bytes("claim.idx", bytes, size), "idx", &err);
    EXPECT_CONTAINS("3 items of 6 bytes need 34 bytes, but there are 28", err.message);
    refuse(STK_E_DATALOSS, put_gzip("claim.idx.gz", bytes, size), "idx", &err);
    EXPECT_CONTAINS("need 34 bytes, but there are 28", err.message);
    bytes[7] = 1;
    refuse(STK_E_DATALOSS, put_gzip("claim.idx.gz", bytes, size), "idx", &err);
    EXPECT_CONTAINS("need 22 bytes, but there are more than 22", err.message);
    memset(bytes + 4, 0xff, 12);
    refuse(STK_E_SHAPE, put_gzip("claim.idx.gz", bytes, size), "idx", &err);
    refuse(STK_E_DATALOSS, put_bytes("claim.idx", bytes, 10), "idx", &err);
    EXPECT_CONTAINS("truncated header", err.message);
    bytes[2] = 0x0a;
    refuse(STK_E_UNSUPPORTED, put_bytes("claim.idx", bytes, size), "idx", &err);
    EXPECT_CONTAINS("type 0x0a is unknown", err.message);
    bytes[2] = 0x08;
    bytes[3] = 10;
    refuse(STK_E_UNSUPPORTED, put_bytes("claim.idx", bytes, 60), "idx", &err);
    refuse(STK_E_FORMAT, put("claim.idx", "text"), "idx", &err);
    size = write_header(bytes, 0x08, 3, (uint32_t[]){0, 2, 3});
    refuse(STK_E_NOTFOUND, put_bytes("claim.idx", bytes, size), "idx", &err);
    EXPECT_CONTAINS("no items", err.message);
}

STK_TEST(labels_must_agree_with_images)
{
    uint8_t   bytes[256];
    stk_error err;
    put_bytes("differ/train-images-idx3-ubyte", bytes, make_images(bytes, 3));
    put_bytes("differ/train-labels-idx1-ubyte", bytes, make_labels(bytes, 2));
    refuse(STK_E_FORMAT, stk_test_path("differ"), NULL, &err);
    EXPECT_CONTAINS("2 labels, but 'train-images-idx3-ubyte' has 3 items", err.message);
    make_mnist("half", false);
    remove(stk_test_path("half/t10k-labels-idx1-ubyte"));
    refuse(STK_E_NOTFOUND, stk_test_path("half"), NULL, &err);
    EXPECT_CONTAINS("'t10k-images-idx3-ubyte' has no file of labels beside it", err.message);
    make_mnist("twice", false);
    put_bytes("twice/letters-train-images-idx3-ubyte", bytes, make_images(bytes, 2));
    put_bytes("twice/letters-train-labels-idx1-ubyte", bytes, make_labels(bytes, 2));
    refuse(STK_E_FORMAT, stk_test_path("twice"), NULL, &err);
    EXPECT_CONTAINS("both named as the train split", err.message);
}

STK_TEST(labels_must_be_one_row_of_class_numbers)
{
    uint8_t   bytes[256];
    stk_error err;
    put_bytes("labels/train-images-idx3-ubyte", bytes, make_images(bytes, 2));
    size_t size = write_header(bytes, 0x0C, 1, (uint32_t[]){2});
    memcpy(bytes + size, (uint8_t[]){0, 0, 0, 1, 255, 255, 255, 255}, 8);
    put_bytes("labels/train-labels-idx1-ubyte", bytes, size + 8);
    refuse(STK_E_FORMAT, stk_test_path("labels"), NULL, &err);
    EXPECT_CONTAINS("label 1 is -1, not a class number", err.message);
    size = write_header(bytes, 0x0D, 1, (uint32_t[]){2});
    put_bytes("labels/train-labels-idx1-ubyte", bytes, size + 8);
    refuse(STK_E_FORMAT, stk_test_path("labels"), NULL, &err);
    EXPECT_CONTAINS("1 dimensions of fractions", err.message);
    size = write_header(bytes, 0x08, 2, (uint32_t[]){2, 1});
    put_bytes("labels/train-labels-idx1-ubyte", bytes, size + 2);
    refuse(STK_E_FORMAT, stk_test_path("labels"), NULL, &err);
    EXPECT_CONTAINS("this file has 2 dimensions", err.message);
}

STK_TEST(splits_must_have_items_of_one_shape)
{
    uint8_t   bytes[256];
    stk_error err;
    make_mnist("shapes", false);
    size_t size = write_header(bytes, 0x08, 3, (uint32_t[]){3, 3, 2});
    put_bytes("shapes/t10k-images-idx3-ubyte", bytes, size + 18);
    refuse(STK_E_SHAPE, stk_test_path("shapes"), NULL, &err);
    EXPECT_CONTAINS("another type or shape than those of", err.message);
}

STK_TEST(damaged_gzip_is_named_with_the_place)
{
    uint8_t     bytes[256];
    stk_error   err;
    const char *path = put_gzip("hurt.idx.gz", bytes, make_images(bytes, 9));
    stk_bytes   whole = stk_test_read_file(path);
    uint8_t     hurt[512];
    memcpy(hurt, whole.data, whole.size);
    hurt[10] |= 7; /* a kind of block that does not exist */
    put_bytes("hurt.idx.gz", hurt, whole.size);
    refuse(STK_E_DATALOSS, path, "idx", &err);
    EXPECT_CONTAINS("damaged after 0 bytes of content", err.message);
}

STK_TEST(truncated_gzip_is_named)
{
    uint8_t     bytes[256];
    stk_error   err;
    const char *path = put_gzip("short.idx.gz", bytes, make_images(bytes, 9));
    stk_bytes   whole = stk_test_read_file(path);
    for (size_t size = 18; size < whole.size; size++) {
        put_bytes("short.idx.gz", whole.data, size);
        refuse(STK_E_DATALOSS, path, "idx", &err);
        EXPECT_CONTAINS("short.idx.gz", err.where);
    }
}

STK_TEST(gzip_may_have_several_members_and_padding)
{
    uint8_t      bytes[256], joined[1024] = {0};
    const size_t size = make_images(bytes, 3);
    size_t       used = 0;
    for (size_t part = 0; part < 2; part++) {
        const size_t    from = part ? 20 : 0, to = part ? size : 20;
        const stk_bytes member = stk_test_read_file(put_gzip("member.gz", bytes + from, to - from));
        memcpy(joined + used, member.data, member.size);
        used += member.size;
    }
    stk_source *source = open_source(put_bytes("joined.idx.gz", joined, used + 100), NULL);
    EXPECT_INT_EQ(3, stk_source_count(source));
    stk_source_free(source);
    stk_error err;
    joined[used + 50] = 'x';
    refuse(STK_E_DATALOSS, put_bytes("joined.idx.gz", joined, used + 100), NULL, &err);
}

STK_TEST(idx_survives_every_failed_allocation)
{
    make_mnist("failing", true);
    stk_test_fail_each_allocation(read_everything, (void *)stk_test_path("failing"));
}
