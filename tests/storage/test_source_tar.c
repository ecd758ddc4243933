/* Tar archives: formats, WebDataset, class folders, damage. */
#include "source_support.h"

#include <stdio.h>
#include <unistd.h>

#define DATA STK_TEST_DATA "/tar/"

static void expect_image(stk_source_cursor *cursor, uint64_t index, const char *content,
                         const char *name)
{
    stk_error         err;
    const stk_sample *sample;
    EXPECT_OK(stk_source_read(cursor, index, &sample, &err));
    expect_text_field(sample, "image", content);
    expect_text_field(sample, "image/filename", name);
}

/* A header with name, octal size and a right checksum, then content, padded. */
static void add_member(stk_blob *tar, const char *name, char type, uint64_t size,
                       const char *content)
{
    stk_error err;
    uint8_t   block[512] = {0};
    unsigned  sum = 0;
    snprintf((char *)block, 100, "%s", name);
    snprintf((char *)block + 124, 12, "%011llo", (unsigned long long)size);
    memset(block + 148, ' ', 8);
    block[156] = (uint8_t)type;
    for (int i = 0; i < 512; i++)
        sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
    EXPECT_OK(stk_blob_append(tar, block, sizeof block, &err));
    const size_t length = strlen(content);
    EXPECT_OK(stk_blob_append(tar, content, length, &err));
    EXPECT_OK(stk_blob_append(tar, (uint8_t[512]){0}, (512 - length % 512) % 512, &err));
}

static void refuse_tar(stk_status status, const stk_blob *tar, size_t size, const char *message)
{
    stk_error err;
    refuse(status, put_bytes("refused.tar", tar->data, size), NULL, &err);
    EXPECT_CONTAINS(message, err.message);
}

STK_TEST(every_format_gives_whole_names_splits_and_classes)
{
    static const char *const formats[] = {"ustar", "gnu", "pax"};
    for (size_t i = 0; i < COUNT_OF(formats); i++) {
        stk_error          err;
        stk_source_item    item;
        stk_source_cursor *cursor;
        char               path[256], name[512];
        snprintf(path, sizeof path, DATA "%s.tar", formats[i]);
        stk_source *source = open_source(path, NULL);
        EXPECT_STR_EQ("tar", stk_source_kind_name(source));
        EXPECT_INT_EQ(i ? 6 : 4, stk_source_count(source));
        EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
        EXPECT_STR_EQ("train", stk_source_split_name(source, 1));
        EXPECT_STR_EQ("dog", find_feature(source, "label")->class_names[1]);
        EXPECT_STR_EQ("jpeg", find_feature(source, "image")->encoding);
        stk_source_item_at(source, 2, &item);
        EXPECT_CONTAINS(".tar", item.name);
        EXPECT_INT_EQ(2, item.record);
        EXPECT_INT_EQ(9, item.bytes);
        EXPECT_INT_EQ(1, item.label);
        EXPECT_INT_EQ(1, item.split);
        EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
        expect_image(cursor, 0, "content 0", "photos/train/cat/1.jpg");
        for (size_t j = 1; j < 3; j++) {
            strcpy(name, "photos/train/dog/");
            memset(name + 17, 'n', 78 + j);
            strcpy(name + 17 + 78 + j, ".jpg");
            expect_image(cursor, j, j == 1 ? "content 1" : "content 2", name);
        }
        if (i)
            expect_image(cursor, 5, "content 5",
                         "photos/test/dog/gr\xc3\xb6\xc3\x9f"
                         "e.jpg");
        stk_source_cursor_free(cursor);
        stk_source_free(source);
    }
}

STK_TEST(a_folder_of_webdataset_archives_is_one_source)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    mkdir(stk_test_path("web"), 0777);
    EXPECT(symlink(DATA "web-train-000.tar", stk_test_path("web/web-train-000.tar")) == 0);
    EXPECT(symlink(DATA "web-test-000.tar.gz", stk_test_path("web/web-test-000.tar.gz")) == 0);
    const stk_source_options options = {.follow_outside = true};
    stk_source              *source;
    EXPECT_OK(stk_source_open(&source, NULL, stk_test_path("web"), &options, &err));
    EXPECT_INT_EQ(6, stk_source_count(source));
    EXPECT_INT_EQ(2, stk_source_split_count(source));
    EXPECT_STR_EQ("test", stk_source_split_name(source, 0));
    EXPECT_INT_EQ(5, find_feature(source, "label")->class_count);
    stk_source_item_at(source, 5, &item);
    EXPECT_STR_EQ("web-train-000.tar", item.name);
    EXPECT_INT_EQ(2, item.record);
    EXPECT_INT_EQ(4, item.label);
    EXPECT_INT_EQ(1, item.split);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    for (uint64_t i = 0; i < 6; i += 5) {
        EXPECT_OK(stk_source_read(cursor, i, &sample, &err));
        EXPECT_INT_EQ(5, sample->field_count);
        expect_text_field(sample, "image", i ? "jpeg 2" : "jpeg 0");
        expect_text_field(sample, "image/filename", i ? "a/0002.jpg" : "a/0000.jpg");
        expect_text_field(sample, "seg.png", "mask");
        expect_text_field(sample, "json", "{}");
        expect_int_field(sample, "label", i ? 4 : 0);
    }
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(a_compressed_archive_that_does_not_fit_says_unpack_it)
{
    stk_error   err;
    stk_source *source;
    stk_ledger *ledger;
    EXPECT_OK(stk_ledger_new(&ledger, 64 << 10, &err));
    stk_source_options options = {.ledger = ledger};
    EXPECT_STATUS(STK_E_CEILING,
                  stk_source_open(&source, NULL, DATA "web-test-000.tar.gz", &options, &err));
    EXPECT_CONTAINS("unpack it first", err.message);
    stk_ledger_report report;
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
}

STK_TEST(damaged_archives_are_refused_with_the_offset)
{
    stk_blob tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "a.jpg", '0', 3, "abc");
    add_member(&tar, "b.jpg", '0', 3, "abc");
    refuse_tar(STK_E_DATALOSS, &tar, 1024 + 100, "truncated inside a header at offset 1024");
    refuse_tar(STK_E_DATALOSS, &tar, 1024 + 514, "has 3 bytes, but only 2 are left");
    tar.data[1024]++;
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "wrong checksum at offset 1024");
    tar.size = 0;
    add_member(&tar, "x", 'x', 20, "12 path=a.jpg\n");
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "damaged pax header");
    tar.size = 0;
    add_member(&tar, "x", 'L', 1u << 30, "");
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "truncated");
    tar.size = 0;
    add_member(&tar, "x.jpg", 'S', 0, "");
    refuse_tar(STK_E_UNSUPPORTED, &tar, tar.size, "sparse");
    tar.size = 0;
    add_member(&tar, "a", '5', 0, "");
    refuse_tar(STK_E_NOTFOUND, &tar, tar.size, "no items");
    stk_blob_release(&tar);
}

/* Writes the size field of the last header anew, with its checksum. */
static void set_size_field(stk_blob *tar, size_t header, const void *field)
{
    uint8_t *block = tar->data + header;
    unsigned sum = 0;
    memcpy(block + 124, field, 12);
    memset(block + 148, ' ', 8);
    for (int i = 0; i < 512; i++)
        sum += block[i];
    snprintf((char *)block + 148, 8, "%06o", sum);
}

STK_TEST(sizes_past_8_gib_may_be_written_in_either_way)
{
    stk_source_item item;
    stk_blob        tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "a.jpg", '0', 0, "abc");
    set_size_field(&tar, 0, "\x80\0\0\0\0\0\0\0\0\0\0\x03"); /* base 256, as GNU writes it */
    add_member(&tar, "x", 'x', 9, "9 size=4\n");
    add_member(&tar, "b.jpg", '0', 0, "abcd");
    stk_source *source = open_source(put_bytes("sizes.tar", tar.data, tar.size), NULL);
    EXPECT_INT_EQ(2, stk_source_count(source));
    stk_source_item_at(source, 0, &item);
    EXPECT_INT_EQ(3, item.bytes);
    stk_source_item_at(source, 1, &item);
    EXPECT_INT_EQ(4, item.bytes);
    stk_source_free(source);
    stk_blob_release(&tar);
}

STK_TEST(sizes_that_are_no_numbers_and_sparse_members_are_refused)
{
    stk_error err;
    stk_blob  tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "a.jpg", '0', 0, "abc");
    set_size_field(&tar, 0, "\x80\1\1\1\1\1\1\1\1\1\1\1"); /* more than 2^63 */
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "size is no number at offset 0");
    set_size_field(&tar, 0, "0000000x003");
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "size is no number at offset 0");
    tar.size = 0;
    add_member(&tar, "x", 'x', 10, "10 size=4x\n");
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "damaged pax header");
    tar.size = 0;
    add_member(&tar, "x", 'x', 11, "11 size=4x\n");
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "whose size is no number");
    tar.size = 0;
    add_member(&tar, "x", 'x', 29, "29 size=99999999999999999999\n");
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "whose size is no number");
    tar.size = 0;
    add_member(&tar, "x", 'x', 22, "22 GNU.sparse.major=1\n");
    refuse_tar(STK_E_UNSUPPORTED, &tar, tar.size, "without --sparse");
    tar.size = 0;
    add_member(&tar, "x", 'L', 2 << 20, "");
    for (int i = 0; i < 4096; i++)
        EXPECT_OK(stk_blob_append(&tar, (uint8_t[512]){'n'}, 512, &err));
    refuse_tar(STK_E_DATALOSS, &tar, tar.size, "more than 1 MiB");
    stk_blob_release(&tar);
}

STK_TEST(samples_must_be_alike_and_labels_numbers)
{
    stk_blob tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "1.jpg", '0', 1, "x");
    add_member(&tar, "1.cls", '0', 3, "cat");
    refuse_tar(STK_E_FORMAT, &tar, tar.size, "'1.cls' holds 'cat', not a class number");
    add_member(&tar, "2.jpg", '0', 1, "x");
    refuse_tar(STK_E_FORMAT, &tar, tar.size, "the sample '2' has no 'cls'");
    add_member(&tar, "2.txt", '0', 1, "x");
    add_member(&tar, "2.TXT", '0', 1, "x");
    refuse_tar(STK_E_FORMAT, &tar, tar.size, "'2.TXT': the sample has two members of this kind");
    stk_blob_release(&tar);
}

STK_TEST(links_to_data_are_refused_and_others_passed_over)
{
    stk_blob tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "cat/1.jpg", '0', 1, "x");
    add_member(&tar, "README", '2', 0, "");
    add_member(&tar, "cat/.2.jpg", '1', 0, "");
    stk_source *source = open_source(put_bytes("links.tar", tar.data, tar.size), NULL);
    EXPECT_INT_EQ(1, stk_source_count(source));
    stk_source_free(source);
    const size_t sound = tar.size;
    add_member(&tar, "cat/2.jpg", '1', 0, "");
    refuse_tar(STK_E_UNSUPPORTED, &tar, tar.size, "'cat/2.jpg' is a link");
    refuse_tar(STK_E_UNSUPPORTED, &tar, tar.size, "with --hard-dereference");
    tar.size = sound;
    add_member(&tar, "cat/3.jpg", '2', 0, "");
    refuse_tar(STK_E_UNSUPPORTED, &tar, tar.size, "with --dereference");
    stk_blob_release(&tar);
}

STK_TEST(members_that_are_no_images_are_counted)
{
    char     text[200];
    stk_blob tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "cat/1.tiff", '0', 1, "x");
    add_member(&tar, "cat/2.heic", '0', 1, "x");
    add_member(&tar, "cat/notes.txt", '0', 1, "x");
    add_member(&tar, "cat/.hidden", '0', 1, "x");
    stk_source *source = open_source(put_bytes("others.tar", tar.data, tar.size), NULL);
    EXPECT_INT_EQ(1, stk_source_count(source));
    EXPECT_CONTAINS("1 .heic image, 1 .txt file, 1 hidden file",
                    stk_source_left_out_text(source, text, sizeof text));
    stk_source_free(source);
    stk_blob_release(&tar);
}

STK_TEST(a_member_that_is_there_twice_is_refused)
{
    stk_blob tar;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "cat/1.jpg", '0', 1, "x");
    add_member(&tar, "cat/1.jpg", '0', 1, "y");
    refuse_tar(STK_E_FORMAT, &tar, tar.size, "'cat/1.jpg' is in the archive twice");
    tar.size = 1024;
    add_member(&tar, "dog/1.jpg", '0', 1, "x");
    add_member(&tar, "./cat/1.jpg", '0', 1, "y");
    refuse_tar(STK_E_FORMAT, &tar, tar.size, "'cat/1.jpg' is in the archive twice");
    stk_blob_release(&tar);
}

STK_TEST(absolute_names_and_those_that_lead_up_have_classes_too)
{
    static const char *const fronts[] = {"/", "./", "//data/", "../../up/", "/./"};
    for (size_t i = 0; i < COUNT_OF(fronts); i++) {
        char     name[64];
        stk_blob tar;
        stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
        snprintf(name, sizeof name, "%scat/1.jpg", fronts[i]);
        add_member(&tar, name, '0', 1, "x");
        snprintf(name, sizeof name, "%sdog/2.jpg", fronts[i]);
        add_member(&tar, name, '0', 1, "y");
        stk_source *source = open_source(put_bytes("fronts.tar", tar.data, tar.size), NULL);
        EXPECT_INT_EQ(2, find_feature(source, "label")->class_count);
        EXPECT_STR_EQ("cat", find_feature(source, "label")->class_names[0]);
        stk_source_free(source);
        stk_blob_release(&tar);
    }
}

STK_TEST(an_empty_image_in_an_archive_is_named_when_read)
{
    stk_error          err;
    stk_blob           tar;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_blob_init(&tar, NULL, STK_MEMORY_RECORD);
    add_member(&tar, "./1.jpg", '0', 0, "");
    add_member(&tar, "./._1.jpg", '0', 1, "x");
    stk_source *source = open_source(put_bytes("empty.tar", tar.data, tar.size), NULL);
    EXPECT_INT_EQ(1, stk_source_count(source));
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_source_read(cursor, 0, &sample, &err));
    EXPECT_CONTAINS("the image '1.jpg' is empty", err.message);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
    stk_blob_release(&tar);
}

STK_TEST(archives_survive_every_failed_allocation)
{
    stk_test_fail_each_allocation(read_everything, (void *)(DATA "pax.tar"));
    stk_test_fail_each_allocation(read_everything, (void *)(DATA "web-test-000.tar.gz"));
}
