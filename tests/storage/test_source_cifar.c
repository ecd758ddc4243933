/* CIFAR-10 and CIFAR-100 in binary form. */
#include "source_support.h"

#include <stdio.h>

enum { PLANE = 32 * 32, PIXELS = 3 * PLANE };

/* One record: labels, then planes whose pixel i of channel c is i + 50 * c + seed. */
static void add_record(stk_blob *out, const uint8_t *labels, size_t label_bytes, int seed)
{
    stk_error err;
    uint8_t   planes[PIXELS];
    for (int c = 0; c < 3; c++)
        for (int i = 0; i < PLANE; i++)
            planes[c * PLANE + i] = (uint8_t)(i + 50 * c + seed);
    EXPECT_OK(stk_blob_append(out, labels, label_bytes, &err));
    EXPECT_OK(stk_blob_append(out, planes, sizeof planes, &err));
}

static void make_cifar10(const char *folder)
{
    char     name[128];
    stk_blob blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
    for (int batch = 0; batch < 3; batch++) {
        blob.size = 0;
        for (int i = 0; i < 2; i++)
            add_record(&blob, &(uint8_t){(uint8_t)(batch * 2 + i)}, 1, batch * 10 + i);
        snprintf(name, sizeof name, batch ? "%s/data_batch_%d.bin" : "%s/test_batch.bin", folder,
                 batch);
        put_bytes(name, blob.data, blob.size);
    }
    stk_blob_release(&blob);
}

STK_TEST(cifar_10_is_read_with_its_splits_and_names)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    make_cifar10("ten");
    put("ten/batches.meta.txt", "airplane\nautomobile\nbird\ncat\ndeer\ndog\nfrog\nhorse\nship\n"
                                "truck\n\n");
    stk_source *source = open_source(stk_test_path("ten"), NULL);
    EXPECT_STR_EQ("cifar", stk_source_kind_name(source));
    EXPECT_INT_EQ(6, stk_source_count(source));
    EXPECT_STR_EQ("train", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 1));
    EXPECT_STR_EQ("truck", find_feature(source, "label")->class_names[9]);
    stk_source_item_at(source, 3, &item);
    EXPECT_STR_EQ("data_batch_2.bin", item.name);
    EXPECT_INT_EQ(1, item.record);
    EXPECT_INT_EQ(5, item.label);
    stk_source_item_at(source, 4, &item);
    EXPECT_INT_EQ(1, item.split);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 3, &sample, &err));
    const uint8_t *pixels = find_field(sample, "image")->data;
    EXPECT_INT_EQ(PIXELS, find_field(sample, "image")->count);
    for (int i = 0; i < PLANE; i++)
        for (int c = 0; c < 3; c++)
            EXPECT_INT_EQ((uint8_t)(i + 50 * c + 21), pixels[3 * i + c]);
    expect_int_field(sample, "label", 5);
    EXPECT_INT_EQ(1 + PIXELS, sample->from.offset);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(cifar_100_has_fine_and_coarse_labels)
{
    stk_error          err;
    stk_blob           blob;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
    add_record(&blob, (uint8_t[]){19, 99}, 2, 0);
    put_bytes("hundred/test.bin", blob.data, blob.size);
    stk_source *source = open_source(stk_test_path("hundred"), NULL);
    EXPECT_INT_EQ(1, stk_source_split_count(source));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
    EXPECT_INT_EQ(100, find_feature(source, "label")->class_count);
    EXPECT_INT_EQ(20, find_feature(source, "coarse_label")->class_count);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 0, &sample, &err));
    expect_int_field(sample, "label", 99);
    expect_int_field(sample, "coarse_label", 19);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
    stk_blob_release(&blob);
}

STK_TEST(cifar_refuses_part_records_wrong_labels_and_mixtures)
{
    stk_error err;
    stk_blob  blob;
    stk_blob_init(&blob, NULL, STK_MEMORY_RECORD);
    add_record(&blob, (uint8_t[]){10}, 1, 0);
    put_bytes("bad/test_batch.bin", blob.data, blob.size);
    refuse(STK_E_DATALOSS, stk_test_path("bad"), NULL, &err);
    EXPECT_CONTAINS("record 0 has label 10, but there are 10 classes", err.message);
    put_bytes("bad/test_batch.bin", blob.data, blob.size - 1);
    refuse(STK_E_DATALOSS, stk_test_path("bad"), NULL, &err);
    EXPECT_CONTAINS("3072 bytes are not a whole number of records of 3073 bytes", err.message);
    put("bad/train.bin", "");
    refuse(STK_E_FORMAT, stk_test_path("bad"), NULL, &err);
    EXPECT_CONTAINS("both CIFAR-10 and CIFAR-100", err.message);
    make_cifar10("names");
    put("names/batches.meta.txt", "one\ntwo\n");
    refuse(STK_E_FORMAT, stk_test_path("names"), NULL, &err);
    EXPECT_CONTAINS("has 2 class names, but there are 10 classes", err.message);
    put("nothing/x.bin", "");
    refuse(STK_E_NOTFOUND, stk_test_path("nothing"), "cifar", &err);
    stk_blob_release(&blob);
}

STK_TEST(cifar_survives_every_failed_allocation)
{
    make_cifar10("failing");
    stk_test_fail_each_allocation(read_everything, (void *)stk_test_path("failing"));
}
