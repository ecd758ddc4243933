/* Packing: every item once, the same bytes however often it was interrupted, refusals that lose
 * nothing. */
#include "harness.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CLASSES = 3, IMAGES = 40 }; /* of each class */

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[1024];
    snprintf(command, sizeof command, format, a, b);
    EXPECT_INT_EQ(0, system(command));
}

/* A folder of small "images": packing does not look inside. */
static const char *make_photos(const char *name)
{
    const char *folder = stk_test_path(name);
    char        path[512], content[600];
    EXPECT_INT_EQ(0, mkdir(folder, 0777));
    for (int c = 0; c < CLASSES; c++) {
        snprintf(path, sizeof path, "%s/class%d", folder, c);
        EXPECT_INT_EQ(0, mkdir(path, 0777));
        for (int i = 0; i < IMAGES; i++) {
            snprintf(path, sizeof path, "%s/class%d/%03d.jpg", folder, c, i);
            memset(content, 'a' + c, sizeof content);
            snprintf(content, sizeof content, "class%d/%03d.jpg", c, i);
            stk_test_write_file(path, content, 300 + (size_t)(i * 7 + c) % 200);
        }
    }
    return folder;
}

static stk_status pack(const char *from, const char *out, stk_pack_options options,
                       stk_pack_result *result, stk_error *err)
{
    stk_source *source;
    STK_TRY(stk_source_open(&source, NULL, from, NULL, err));
    const stk_status st = stk_pack(source, out, &options, result, err);
    stk_source_free(source);
    return st;
}

static bool exists(const char *path)
{
    return access(path, F_OK) == 0;
}

static const char *partial_of(const char *out)
{
    char path[512];
    snprintf(path, sizeof path, "%s.partial", strrchr(out, '/') + 1);
    return stk_test_path(path);
}

static void expect_same_folders(const char *a, const char *b)
{
    run_shell("diff -r '%s' '%s'", a, b);
}

/* What the tests read back of one record. */
typedef struct seen {
    char    filename[64];
    int64_t label;
    size_t  image_bytes;
} seen;

static stk_status note_feature(void *context, const stk_feature_view *feature, stk_error *err)
{
    seen     *record = context;
    size_t    count;
    stk_bytes value;
    if (feature->dtype == STK_DTYPE_I64)
        return stk_feature_decode_ints(feature, &record->label, 1, &count, err);
    STK_TRY(stk_feature_decode_bytes(feature, &value, 1, &count, err));
    if (stk_bytes_equal(feature->name, stk_bytes_text("image")))
        record->image_bytes = value.size;
    else
        snprintf(record->filename, sizeof record->filename, "%.*s", (int)value.size,
                 (const char *)value.data);
    return STK_OK;
}

/* Reads every record of a pack's split in order; returns how many. */
static size_t read_split(const char *folder, const char *split, seen *records, size_t capacity)
{
    stk_error            err;
    stk_shards           shards;
    stk_tfrecord_reader *reader;
    stk_record           record;
    size_t               count = 0;
    EXPECT_OK(stk_shards_find(&shards, NULL, folder, &err));
    for (size_t i = 0; i < shards.count; i++) {
        if (strcmp(shards.splits[i], split)) continue;
        EXPECT_OK(stk_tfrecord_reader_open(&reader, NULL, shards.paths[i], NULL, &err));
        for (;;) {
            EXPECT_OK(stk_tfrecord_reader_next(reader, &record, &err));
            if (!record.bytes.data) break;
            EXPECT(count < capacity);
            EXPECT_OK(
                stk_example_visit(record.bytes, "test", note_feature, &records[count++], &err));
        }
        stk_tfrecord_reader_free(reader);
    }
    stk_shards_release(&shards);
    return count;
}

static int by_filename(const void *a, const void *b)
{
    return strcmp(((const seen *)a)->filename, ((const seen *)b)->filename);
}

STK_TEST(pack_holds_every_item_once_with_label_and_name)
{
    stk_error       err;
    stk_pack_result result;
    const char     *photos = make_photos("photos1"), *out = stk_test_path("out1");
    static seen     records[CLASSES * IMAGES];
    EXPECT_OK(pack(photos, out, (stk_pack_options){.shard_bytes = 8000}, &result, &err));
    EXPECT_INT_EQ(CLASSES * IMAGES, result.items);
    EXPECT(result.shards > 3);
    EXPECT(!exists(partial_of(out)));
    EXPECT_INT_EQ(CLASSES * IMAGES, read_split(out, "train", records, COUNT_OF(records)));
    EXPECT(strcmp(records[0].filename, "class0/000.jpg") ||
           strcmp(records[1].filename, "class0/001.jpg")); /* shuffled */
    qsort(records, COUNT_OF(records), sizeof records[0], by_filename);
    for (int i = 0; i < CLASSES * IMAGES; i++) {
        char expected[64];
        snprintf(expected, sizeof expected, "class%d/%03d.jpg", i / IMAGES, i % IMAGES);
        EXPECT_STR_EQ(expected, records[i].filename);
        EXPECT_INT_EQ(i / IMAGES, records[i].label);
        EXPECT_INT_EQ(300 + (i % IMAGES * 7 + i / IMAGES) % 200, records[i].image_bytes);
    }
}

STK_TEST(pack_describes_itself_as_other_tools_expect)
{
    stk_error        err;
    stk_dataset_info info;
    uint64_t         records = 0;
    const char      *photos = make_photos("photos2"), *out = stk_test_path("My-Photos");
    EXPECT_OK(pack(photos, out, (stk_pack_options){.shard_bytes = 20000}, NULL, &err));
    EXPECT_OK(stk_dataset_info_read(&info, NULL, out, &err));
    EXPECT_STR_EQ("my_photos", info.name);
    EXPECT_INT_EQ(1, info.split_count);
    for (size_t i = 0; i < info.splits[0].shard_count; i++)
        records += info.splits[0].shard_lengths[i];
    EXPECT_INT_EQ(CLASSES * IMAGES, records);
    const stk_feature_info *label = stk_dataset_info_feature(&info, "label");
    EXPECT(label != NULL);
    EXPECT_INT_EQ(CLASSES, label->class_count);
    EXPECT_STR_EQ("class2", label->class_names[2]);
    stk_dataset_info_release(&info);
}

STK_TEST(pack_gives_the_same_bytes_on_any_number_of_threads)
{
    stk_error   err;
    const char *photos = make_photos("photos3");
    const char *one = stk_test_path("a/pack"), *three = stk_test_path("b/pack"),
               *eight = stk_test_path("c/deeper/pack");
    EXPECT_OK(pack(photos, one, (stk_pack_options){.threads = 1, .shard_bytes = 9000}, NULL, &err));
    EXPECT_OK(
        pack(photos, three, (stk_pack_options){.threads = 3, .shard_bytes = 9000}, NULL, &err));
    EXPECT_OK(
        pack(photos, eight, (stk_pack_options){.threads = 8, .shard_bytes = 9000}, NULL, &err));
    expect_same_folders(one, three);
    expect_same_folders(one, eight);
}

STK_TEST(keep_order_keeps_the_order_of_the_listing)
{
    stk_error   err;
    const char *photos = make_photos("photos4"), *out = stk_test_path("out4");
    static seen records[CLASSES * IMAGES];
    EXPECT_OK(
        pack(photos, out, (stk_pack_options){.keep_order = true, .shard_bytes = 9000}, NULL, &err));
    read_split(out, "train", records, COUNT_OF(records));
    EXPECT_STR_EQ("class0/000.jpg", records[0].filename);
    EXPECT_STR_EQ("class2/039.jpg", records[CLASSES * IMAGES - 1].filename);
}

STK_TEST(seed_changes_the_order)
{
    stk_error   err;
    const char *photos = make_photos("photos5"), *a = stk_test_path("s1/p"),
               *b = stk_test_path("s2/p");
    static seen first[CLASSES * IMAGES], second[CLASSES * IMAGES];
    EXPECT_OK(pack(photos, a, (stk_pack_options){.seed = 1}, NULL, &err));
    EXPECT_OK(pack(photos, b, (stk_pack_options){.seed = 2}, NULL, &err));
    read_split(a, "train", first, COUNT_OF(first));
    read_split(b, "train", second, COUNT_OF(second));
    EXPECT(memcmp(first, second, sizeof first) != 0);
}

STK_TEST(splits_divide_all_items_and_share_none)
{
    stk_error            err;
    const char          *photos = make_photos("photos6"), *out = stk_test_path("out6");
    static seen          records[CLASSES * IMAGES];
    const stk_pack_split splits[] = {{"train", 0.7}, {"val", 0.2}, {"test", 0.1}};
    EXPECT_OK(
        pack(photos, out, (stk_pack_options){.splits = splits, .split_count = 3}, NULL, &err));
    size_t count = read_split(out, "train", records, COUNT_OF(records));
    EXPECT_INT_EQ(84, count);
    count += read_split(out, "val", records + count, COUNT_OF(records) - count);
    EXPECT_INT_EQ(108, count);
    count += read_split(out, "test", records + count, COUNT_OF(records) - count);
    EXPECT_INT_EQ(120, count);
    qsort(records, count, sizeof records[0], by_filename);
    for (size_t i = 1; i < count; i++)
        EXPECT(strcmp(records[i - 1].filename, records[i].filename) != 0);
}

STK_TEST(pack_may_fail_without_anybody_asking_why)
{
    stk_error   err;
    stk_source *source;
    stk_ledger *ledger;
    const char *photos = make_photos("photos28"), *out = stk_test_path("out28");
    EXPECT_OK(stk_source_open(&source, NULL, photos, NULL, &err));
    EXPECT_OK(stk_ledger_new(&ledger, 64, &err));
    const stk_pack_options options = {.ledger = ledger};
    EXPECT_INT_EQ(STK_E_CEILING, stk_pack(source, out, &options, NULL, NULL));
    EXPECT_INT_EQ(STK_E_INVALID, stk_pack(source, "", NULL, NULL, NULL));
    EXPECT(!exists(out) && !exists(partial_of(out)));
    stk_ledger_unref(ledger);
    stk_source_free(source);
}

STK_TEST(impossible_splits_and_names_are_refused)
{
    stk_error            err;
    const char          *photos = make_photos("photos7"), *out = stk_test_path("out7");
    const stk_pack_split half[] = {{"train", 0.5}}, bad_name[] = {{"../train", 1}},
                         twice[] = {{"a", 0.5}, {"a", 0.5}};
    EXPECT_STATUS(
        STK_E_INVALID,
        pack(photos, out, (stk_pack_options){.splits = half, .split_count = 1}, NULL, &err));
    EXPECT_CONTAINS("add up to 0.5", err.message);
    EXPECT_STATUS(
        STK_E_INVALID,
        pack(photos, out, (stk_pack_options){.splits = bad_name, .split_count = 1}, NULL, &err));
    EXPECT_STATUS(
        STK_E_INVALID,
        pack(photos, out, (stk_pack_options){.splits = twice, .split_count = 2}, NULL, &err));
    EXPECT_CONTAINS("twice", err.message);
    EXPECT_STATUS(STK_E_INVALID,
                  pack(photos, out, (stk_pack_options){.name = "../evil"}, NULL, &err));
    EXPECT(!exists(out) && !exists(partial_of(out)));
}

STK_TEST(refusals_of_splits_shards_and_names_say_the_numbers)
{
    stk_error            err;
    const char          *photos = make_photos("photos19"), *out = stk_test_path("out19");
    const stk_pack_split nothing[] = {{"train", 1}, {"test", 0}};
    char                 name[200];
    EXPECT_STATUS(
        STK_E_INVALID,
        pack(photos, out, (stk_pack_options){.splits = nothing, .split_count = 2}, NULL, &err));
    EXPECT_CONTAINS("share is 0; it must be above 0", err.message);
    memset(name, 'n', sizeof name);
    name[sizeof name - 1] = '\0';
    EXPECT_STATUS(STK_E_INVALID, pack(photos, out, (stk_pack_options){.name = name}, NULL, &err));
    EXPECT_CONTAINS("shorter than 128", err.message);
    EXPECT_STATUS(STK_E_INVALID, pack(photos, out, (stk_pack_options){.name = "7"}, NULL, &err));
    EXPECT_CONTAINS("begins with a letter", err.message);
    EXPECT(!exists(out) && !exists(partial_of(out)));
}

STK_TEST(splits_in_the_order_of_the_listing_are_still_chosen_at_random)
{
    stk_error            err;
    stk_dataset_info     info;
    const char          *photos = make_photos("photos20"), *out = stk_test_path("20-photos/");
    static seen          records[CLASSES * IMAGES];
    const stk_pack_split splits[] = {{"train", 0.5}, {"test", 0.5}};
    EXPECT_OK(pack(photos, out,
                   (stk_pack_options){.keep_order = true, .splits = splits, .split_count = 2}, NULL,
                   &err));
    const size_t count = read_split(out, "train", records, COUNT_OF(records));
    EXPECT_INT_EQ(CLASSES * IMAGES / 2, count);
    for (size_t i = 1; i < count; i++)
        EXPECT(strcmp(records[i - 1].filename, records[i].filename) < 0);
    EXPECT_INT_EQ(CLASSES - 1, records[count - 1].label); /* not the first half of the classes */
    EXPECT_OK(stk_dataset_info_read(&info, NULL, out, &err));
    EXPECT_STR_EQ("data_20_photos", info.name); /* a name begins with a letter */
    stk_dataset_info_release(&info);
}

/* Asks to stop once half is done. */
static void stop_half_way(void *context, const stk_pack_progress *progress)
{
    if (progress->items_done * 2 >= progress->items_total) stk_cancel_request(context);
}

STK_TEST(interrupted_pack_continues_to_the_same_bytes)
{
    stk_error        err;
    stk_pack_result  result;
    stk_cancel       cancel = STK_CANCEL_INIT;
    const char      *photos = make_photos("photos8");
    const char      *whole = stk_test_path("w/out8"), *broken = stk_test_path("k/out8");
    stk_pack_options options = {.shard_bytes = 1500, .threads = 2};
    EXPECT_OK(pack(photos, whole, options, NULL, &err));
    options.cancel = &cancel;
    options.progress = stop_half_way;
    options.progress_context = &cancel;
    const stk_status st = pack(photos, broken, options, NULL, &err);
    if (st) { /* the callback comes ten times a second: a quick run may be over before it */
        EXPECT_INT_EQ(STK_E_CANCELLED, st);
        EXPECT(!exists(broken));
    }
    EXPECT_OK(pack(photos, broken, (stk_pack_options){.shard_bytes = 1500}, &result, &err));
    expect_same_folders(whole, broken);
}

STK_TEST(packing_again_into_a_finished_folder_writes_nothing)
{
    stk_error       err;
    stk_pack_result result;
    struct stat     before, after;
    const char     *photos = make_photos("photos9"), *out = stk_test_path("out9");
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, NULL, &err));
    EXPECT_INT_EQ(0, stat(out, &before));
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, &result, &err));
    EXPECT(result.already_done);
    EXPECT_INT_EQ(0, stat(out, &after));
    EXPECT_INT_EQ(before.st_mtim.tv_nsec, after.st_mtim.tv_nsec);
    EXPECT_STATUS(STK_E_EXISTS,
                  pack(photos, out, (stk_pack_options){.keep_order = true}, NULL, &err));
    EXPECT_CONTAINS("other content or options", err.message);
}

STK_TEST(folders_with_other_things_are_left_alone)
{
    stk_error   err;
    const char *photos = make_photos("photos10"), *out = stk_test_path("out10"),
               *file = stk_test_path("file10");
    EXPECT_INT_EQ(0, mkdir(out, 0777));
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, NULL, &err)); /* empty is fine */
    const char *full = stk_test_path("full10");
    EXPECT_INT_EQ(0, mkdir(full, 0777));
    stk_test_write_file(stk_test_path("full10/thesis.txt"), "mine", 4);
    EXPECT_STATUS(STK_E_EXISTS, pack(photos, full, (stk_pack_options){0}, NULL, &err));
    EXPECT_CONTAINS("not empty", err.message);
    stk_test_write_file(file, "mine", 4);
    EXPECT_STATUS(STK_E_EXISTS, pack(photos, file, (stk_pack_options){0}, NULL, &err));
    EXPECT_CONTAINS("is a file", err.message);
    EXPECT(!exists(stk_test_path("full10.partial")));
}

/* Packs in order until the image of this name, which shrinks after the listing. */
static void fail_at(const char *photos, const char *out, const char *image)
{
    stk_error   err;
    stk_source *source;
    char        path[512];
    EXPECT_OK(stk_source_open(&source, NULL, photos, NULL, &err));
    snprintf(path, sizeof path, "%s/%s", photos, image);
    EXPECT_INT_EQ(0, truncate(path, 5));
    EXPECT_STATUS(STK_E_DATALOSS,
                  stk_pack(source, out,
                           &(stk_pack_options){.shard_bytes = 4000, .keep_order = true}, NULL,
                           &err));
    EXPECT_CONTAINS("changed", err.message);
    stk_source_free(source);
    EXPECT(!exists(out));
    EXPECT(exists(partial_of(out)));
}

STK_TEST(unfinished_pack_of_other_content_is_refused_unless_restarted)
{
    stk_error   err;
    const char *photos = make_photos("photos11"), *out = stk_test_path("out11");
    fail_at(photos, out, "class2/039.jpg");
    EXPECT_STATUS(STK_E_EXISTS,
                  pack(photos, out, (stk_pack_options){.shard_bytes = 4000}, NULL, &err));
    EXPECT_CONTAINS("--restart", err.message);
    EXPECT_OK(
        pack(photos, out, (stk_pack_options){.shard_bytes = 4000, .restart = true}, NULL, &err));
    EXPECT(!exists(partial_of(out)));
}

STK_TEST(unfinished_pack_without_a_shard_is_begun_anew_unasked)
{
    stk_error   err;
    const char *photos = make_photos("photos27"), *out = stk_test_path("out20");
    fail_at(photos, out, "class0/000.jpg");
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, NULL, &err));
}

STK_TEST(restart_throws_away_nothing_but_packs)
{
    stk_error   err;
    const char *photos = make_photos("photos21"), *out = stk_test_path("out21");
    EXPECT_INT_EQ(0, mkdir(partial_of(out), 0777));
    stk_test_write_file(stk_test_path("out21.partial/thesis.txt"), "mine", 4);
    EXPECT_STATUS(STK_E_EXISTS, pack(photos, out, (stk_pack_options){.restart = true}, NULL, &err));
    EXPECT_CONTAINS("holds other things", err.message);
    EXPECT(exists(stk_test_path("out21.partial/thesis.txt")));
    stk_test_write_file(stk_test_path("out21.partial/.stoker-pack.json"), "torn", 4);
    EXPECT_STATUS(STK_E_FORMAT, pack(photos, out, (stk_pack_options){.restart = true}, NULL, &err));
    EXPECT_CONTAINS("remove the folder", err.message);
}

STK_TEST(out_has_to_end_in_a_name)
{
    static const char *const wrong[] = {"", ".", "..", "/", "x/..", "x/.", "./"};
    stk_error                err;
    const char              *photos = make_photos("photos22");
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        EXPECT_STATUS(STK_E_INVALID, pack(photos, wrong[i], (stk_pack_options){0}, NULL, &err));
        EXPECT_CONTAINS("no name for a new folder", err.message);
    }
    EXPECT(!exists("..partial"));
    EXPECT(!exists(".partial"));
}

STK_TEST(a_link_to_an_empty_folder_is_packed_through)
{
    stk_error   err;
    struct stat st;
    const char *photos = make_photos("photos23"), *out = stk_test_path("out23");
    EXPECT_INT_EQ(0, mkdir(stk_test_path("disk23"), 0777));
    EXPECT_INT_EQ(0, symlink("disk23", out));
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, NULL, &err));
    EXPECT_INT_EQ(0, lstat(out, &st));
    EXPECT(S_ISLNK(st.st_mode));
    EXPECT(exists(stk_test_path("disk23/dataset_info.json")));
    EXPECT(!exists(partial_of(out)));
}

STK_TEST(what_would_fail_at_the_end_fails_at_the_beginning)
{
    stk_error   err;
    const char *photos = make_photos("photos24"), *out = stk_test_path("out24");
    EXPECT_INT_EQ(0, truncate(stk_test_path("photos24/class1/030.jpg"), 0));
    EXPECT_STATUS(STK_E_DATALOSS, pack(photos, out, (stk_pack_options){0}, NULL, &err));
    EXPECT_STR_EQ("class1/030.jpg", err.where);
    EXPECT_CONTAINS("1 of 120 items are empty", err.message);
    EXPECT_INT_EQ(0, truncate(stk_test_path("photos24/class1/031.jpg"), 0));
    EXPECT_STATUS(STK_E_DATALOSS, pack(photos, out, (stk_pack_options){0}, NULL, &err));
    EXPECT_CONTAINS("2 of 120 items are empty", err.message);
    const char *lines = make_photos("photos25");
    EXPECT_INT_EQ(0, rename(stk_test_path("photos25/class1"), stk_test_path("photos25/class\n1")));
    EXPECT_STATUS(STK_E_INVALID, pack(lines, out, (stk_pack_options){0}, NULL, &err));
    EXPECT_CONTAINS("line break", err.message);
    const stk_pack_split tiny[] = {{"train", 0.999}, {"test", 0.001}};
    EXPECT_STATUS(STK_E_INVALID,
                  pack(make_photos("photos26"), out,
                       (stk_pack_options){.splits = tiny, .split_count = 2}, NULL, &err));
    EXPECT_STR_EQ("test", err.where);
    EXPECT_CONTAINS("of 120 items is none", err.message);
    EXPECT(!exists(partial_of(out)));
}

STK_TEST(temporaries_of_a_killed_run_are_swept_away)
{
    stk_error   err;
    const char *photos = make_photos("photos12"), *out = stk_test_path("out12");
    EXPECT_INT_EQ(0, mkdir(stk_test_path("out12.partial"), 0777));
    stk_test_write_file(stk_test_path("out12.partial/.x.tfrecord.99-0.tmp"), "half", 4);
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, NULL, &err));
    EXPECT(!exists(stk_test_path("out12/.x.tfrecord.99-0.tmp")));
}

STK_TEST(second_packer_of_the_same_folder_is_told_so)
{
    stk_error   err;
    stk_lock   *lock;
    const char *photos = make_photos("photos13"), *out = stk_test_path("out13");
    EXPECT_INT_EQ(0, mkdir(partial_of(out), 0777));
    EXPECT_OK(stk_path_lock(&lock, NULL, partial_of(out), &err));
    EXPECT_STATUS(STK_E_BUSY, pack(photos, out, (stk_pack_options){0}, NULL, &err));
    EXPECT_CONTAINS("another process", err.message);
    stk_lock_release(lock);
    EXPECT_OK(pack(photos, out, (stk_pack_options){0}, NULL, &err));
}

STK_TEST(file_that_vanished_or_changed_is_named)
{
    stk_error   err;
    stk_source *source;
    const char *photos = make_photos("photos14"), *out = stk_test_path("out14");
    const char *image = stk_test_path("photos14/class1/007.jpg");
    EXPECT_OK(stk_source_open(&source, NULL, photos, NULL, &err));
    stk_test_write_file(image, "shorter", 7);
    EXPECT_STATUS(STK_E_DATALOSS, stk_pack(source, out, NULL, NULL, &err));
    EXPECT_CONTAINS("class1/007.jpg", err.where);
    EXPECT_INT_EQ(0, unlink(image));
    EXPECT_STATUS(STK_E_NOTFOUND, stk_pack(source, out, NULL, NULL, &err));
    EXPECT_CONTAINS("class1/007.jpg", err.where);
    stk_source_free(source);
    EXPECT(!exists(out));
}

/* A local file system whose disk is full after `space` bytes. */
typedef struct full_disk {
    stk_filesystem     fs;
    stk_filesystem_ops ops;
    int64_t            space;
} full_disk;

typedef struct full_output {
    stk_output  output;
    stk_output *real;
    full_disk  *disk;
} full_output;

static stk_status full_write(stk_output *output, const void *data, size_t size, stk_error *err)
{
    full_output *full = (full_output *)output;
    full->disk->space -= (int64_t)size;
    if (full->disk->space < 0) return stk_fail_errno(err, ENOSPC, "write", output->path, "write");
    return stk_output_write(full->real, data, size, err);
}

static stk_status full_commit(stk_output *output, stk_error *err)
{
    return stk_output_commit(((full_output *)output)->real, err);
}

static void full_close(stk_output *output)
{
    stk_output_close(((full_output *)output)->real);
    free(output);
}

static const stk_output_ops full_ops = {full_write, full_commit, full_close};

static stk_status full_create(const stk_filesystem *fs, const char *path, stk_output **out,
                              stk_error *err)
{
    full_output *full = calloc(1, sizeof *full);
    EXPECT(full != NULL);
    full->disk = (full_disk *)fs;
    const stk_status st = stk_output_create(&full->real, NULL, path, err);
    if (st) {
        free(full);
        return st;
    }
    full->output = (stk_output){.ops = &full_ops, .path = full->real->path};
    *out = &full->output;
    return STK_OK;
}

STK_TEST(full_disk_leaves_finished_shards_and_the_next_run_goes_on)
{
    stk_error       err;
    stk_pack_result result;
    const char     *photos = make_photos("photos15");
    const char     *whole = stk_test_path("whole15/p"), *out = stk_test_path("full15/p");
    full_disk       disk = {.ops = *stk_filesystem_local()->ops, .space = 20000};
    disk.ops.create = full_create;
    disk.fs = (stk_filesystem){.ops = &disk.ops, .name = "full"};
    stk_pack_options options = {.shard_bytes = 5000};
    EXPECT_OK(pack(photos, whole, options, NULL, &err));
    options.filesystem = &disk.fs;
    EXPECT_STATUS(STK_E_NOSPACE, pack(photos, out, options, NULL, &err));
    EXPECT_CONTAINS("No space left", err.message);
    EXPECT(!exists(out));
    disk.space = 1 << 30;
    EXPECT_OK(pack(photos, out, options, &result, &err));
    EXPECT(result.shards_kept > 0);
    expect_same_folders(whole, out);
}

STK_TEST(compressed_packs_hold_the_same_records)
{
    static const stk_compression kinds[] = {STK_COMPRESSION_GZIP, STK_COMPRESSION_ZLIB,
                                            STK_COMPRESSION_ZSTD};
    static seen                  records[CLASSES * IMAGES];
    const char                  *photos = make_photos("photos16");
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        stk_error err;
        char      name[32];
        snprintf(name, sizeof name, "out16_%zu", i);
        const char *out = stk_test_path(name);
        EXPECT_OK(pack(photos, out, (stk_pack_options){.compression = kinds[i]}, NULL, &err));
        EXPECT_INT_EQ(CLASSES * IMAGES, read_split(out, "train", records, COUNT_OF(records)));
    }
}

STK_TEST(pack_stays_under_a_small_memory_ceiling)
{
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    const char       *photos = make_photos("photos17"), *out = stk_test_path("out17");
    EXPECT_OK(stk_ledger_new(&ledger, 2 << 20, &err));
    EXPECT_OK(pack(photos, out, (stk_pack_options){.ledger = ledger, .threads = 8}, NULL, &err));
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    EXPECT(report.peak_bytes > 0 && report.peak_bytes <= 2 << 20);
    stk_ledger_unref(ledger);
}

typedef struct oom_case {
    const char *photos, *out;
    int         threads;
} oom_case;

static stk_status pack_from_nothing(void *context, stk_error *err)
{
    const oom_case *c = context;
    run_shell("rm -rf '%s' '%s.partial'", c->out, c->out);
    return pack(c->photos, c->out, (stk_pack_options){.threads = c->threads, .shard_bytes = 30000},
                NULL, err);
}

STK_TEST(pack_survives_every_failed_allocation)
{
    oom_case one = {make_photos("photos18"), stk_test_path("out18"), 1};
    stk_test_fail_each_allocation(pack_from_nothing, &one);
    oom_case two = {one.photos, stk_test_path("out18b"), 2};
    stk_test_fail_each_allocation(pack_from_nothing, &two);
}
