/* Image folders: classes, splits, order, refusals. */
#include "source_support.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void make_classes(const char *folder)
{
    char name[128];
    for (int i = 0; i < 6; i++) {
        snprintf(name, sizeof name, "%s/%s/%d.jpg", folder, i % 2 ? "dog" : "cat", i);
        put(name, i % 2 ? "woof" : "meow");
    }
}

STK_TEST(a_folder_per_class_gives_labels_in_bytewise_order)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    make_classes("classes");
    put("classes/Zebra/deep/down/z.PNG", "stripes");
    put("classes/.hidden/x.jpg", "no");
    put("classes/cat/.hidden.jpg", "no");
    put("classes/cat/notes.txt", "no");
    stk_source *source = open_source(stk_test_path("classes"), NULL);
    EXPECT_STR_EQ("folder", stk_source_kind_name(source));
    EXPECT_INT_EQ(7, stk_source_count(source));
    EXPECT_INT_EQ(1, stk_source_split_count(source));
    EXPECT_STR_EQ("train", stk_source_split_name(source, 0));

    const stk_feature_info *label = find_feature(source, "label");
    EXPECT_INT_EQ(STK_MEANING_LABEL, label->meaning);
    EXPECT_INT_EQ(3, label->class_count);
    EXPECT_STR_EQ("Zebra", label->class_names[0]);
    EXPECT_STR_EQ("cat", label->class_names[1]);
    EXPECT_STR_EQ("dog", label->class_names[2]);
    EXPECT_STR_EQ("", find_feature(source, "image")->encoding);

    stk_source_item_at(source, 0, &item);
    EXPECT_STR_EQ("Zebra/deep/down/z.PNG", item.name);
    EXPECT_INT_EQ(7, item.bytes);
    EXPECT_INT_EQ(0, item.label);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 5, &sample, &err));
    expect_text_field(sample, "image", "woof");
    expect_text_field(sample, "image/filename", "dog/3.jpg");
    expect_int_field(sample, "label", 2);
    EXPECT_STR_EQ(stk_test_path("classes/dog/3.jpg"), sample->from.file);
    EXPECT_STATUS(STK_E_RANGE, stk_source_read(cursor, 7, &sample, &err));
    EXPECT(sample == NULL);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(entries_are_ordered_as_whole_paths_are)
{
    static const char *const sorted[] = {"a-b/1.jpg", "a/1.jpg", "a/1.png", "a0/1.jpg"};
    stk_source_item          item;
    put("order/a/1.png", "x");
    put("order/a/1.jpg", "x");
    put("order/a0/1.jpg", "x");
    put("order/a-b/1.jpg", "x");
    stk_source *source = open_source(stk_test_path("order"), NULL);
    for (size_t i = 0; i < COUNT_OF(sorted); i++) {
        stk_source_item_at(source, i, &item);
        EXPECT_STR_EQ(sorted[i], item.name);
    }
    stk_source_free(source);
}

STK_TEST(folders_named_as_splits_are_splits_with_one_set_of_classes)
{
    stk_source_item item;
    put("splits/train/b/1.jpg", "x");
    put("splits/train/c/1.jpeg", "x");
    put("splits/val/a/1.jpe", "x");
    put("splits/val/b/1.JPG", "x");
    stk_source *source = open_source(stk_test_path("splits"), NULL);
    EXPECT_INT_EQ(2, stk_source_split_count(source));
    EXPECT_STR_EQ("train", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("val", stk_source_split_name(source, 1));
    EXPECT_INT_EQ(3, find_feature(source, "label")->class_count);
    EXPECT_STR_EQ("jpeg", find_feature(source, "image")->encoding);
    stk_source_item_at(source, 3, &item);
    EXPECT_STR_EQ("val/b/1.JPG", item.name);
    EXPECT_INT_EQ(1, item.label);
    EXPECT_INT_EQ(1, item.split);
    stk_source_free(source);
}

STK_TEST(splits_may_be_written_in_capitals)
{
    put("capitals/Train/cat/1.jpg", "x");
    put("capitals/TEST/cat/1.jpg", "x");
    stk_source *source = open_source(stk_test_path("capitals"), NULL);
    EXPECT_INT_EQ(2, stk_source_split_count(source));
    EXPECT_STR_EQ("TEST", stk_source_split_name(source, 0));
    EXPECT_STR_EQ("Train", stk_source_split_name(source, 1));
    EXPECT_STR_EQ("cat", find_feature(source, "label")->class_names[0]);
    stk_source_free(source);
    put("longer/trains/1.jpg", "x");
    put("longer/tests/1.jpg", "x");
    source = open_source(stk_test_path("longer"), NULL);
    EXPECT_INT_EQ(1, stk_source_split_count(source));
    stk_source_free(source);
}

STK_TEST(splits_beside_other_folders_are_not_taken_for_classes)
{
    stk_error err;
    put("half/val/cat/1.jpg", "x");
    put("half/unlabelled/1.jpg", "x");
    refuse(STK_E_FORMAT, stk_test_path("half"), NULL, &err);
    EXPECT_CONTAINS("'val' is named as a split and holds classes, but 'unlabelled'", err.message);
    put("vehicles/train/1.jpg", "x");
    put("vehicles/car/1.jpg", "x");
    stk_source *source = open_source(stk_test_path("vehicles"), NULL);
    EXPECT_STR_EQ("train", find_feature(source, "label")->class_names[1]);
    stk_source_free(source);
}

STK_TEST(a_lone_folder_around_splits_or_classes_is_passed_over)
{
    stk_source_item item;
    put("wrapped/photos/train/cat/1.jpg", "x");
    put("wrapped/photos/test/cat/1.jpg", "x");
    stk_source *source = open_source(stk_test_path("wrapped"), NULL);
    EXPECT_INT_EQ(2, stk_source_split_count(source));
    EXPECT_INT_EQ(1, find_feature(source, "label")->class_count);
    stk_source_item_at(source, 0, &item);
    EXPECT_STR_EQ("photos/test/cat/1.jpg", item.name);
    stk_source_free(source);
}

STK_TEST(images_without_class_folders_have_no_label)
{
    stk_error          err;
    stk_source_item    item;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    put("flat/b.png", "two");
    put("flat/a.png", "one");
    stk_source *source = open_source(stk_test_path("flat"), NULL);
    EXPECT(find_feature(source, "label") == NULL);
    EXPECT_STR_EQ("png", find_feature(source, "image")->encoding);
    stk_source_item_at(source, 1, &item);
    EXPECT_INT_EQ(-1, item.label);
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 1, &sample, &err));
    EXPECT_INT_EQ(2, sample->field_count);
    expect_text_field(sample, "image", "two");
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(an_image_beside_class_folders_is_refused_by_name)
{
    stk_error err;
    put("stray/cat/1.jpg", "x");
    put("stray/loose.jpg", "x");
    refuse(STK_E_FORMAT, stk_test_path("stray"), NULL, &err);
    EXPECT_CONTAINS("'loose.jpg' lies in no class folder, but 'cat/1.jpg' does", err.message);
}

STK_TEST(a_folder_without_images_says_what_was_looked_for)
{
    stk_error err;
    put("none/a.txt", "x");
    put("none/sub/b.txt", "x");
    refuse(STK_E_NOTFOUND, stk_test_path("none"), NULL, &err);
    EXPECT_CONTAINS(".webp", err.message);
    EXPECT_CONTAINS("found 2 other files", err.message);
    mkdir(stk_test_path("empty"), 0777);
    refuse(STK_E_NOTFOUND, stk_test_path("empty"), NULL, &err);
    EXPECT_CONTAINS("found 0 other files", err.message);
}

STK_TEST(other_archives_are_to_be_unpacked)
{
    static const struct {
        const char *magic, *name;
    } archives[] = {{"\xfd"
                     "7zXZ",
                     "xz"},
                    {"BZh9", "bzip2"},
                    {"PK\3\4", "zip"},
                    {"\x28\xb5\x2f\xfd", "zstd"}};
    for (size_t i = 0; i < COUNT_OF(archives); i++) {
        stk_error err;
        refuse(STK_E_UNSUPPORTED, put("archive", archives[i].magic), NULL, &err);
        EXPECT_CONTAINS(archives[i].name, err.message);
        EXPECT_CONTAINS("unpack it first", err.message);
    }
}

STK_TEST(missing_unknown_and_wrong_kinds_are_told_apart)
{
    stk_error err;
    refuse(STK_E_NOTFOUND, stk_test_path("nowhere"), NULL, &err);
    const char *odd = put("odd.xyz", "just some text");
    refuse(STK_E_FORMAT, odd, NULL, &err);
    EXPECT_CONTAINS("tried: ", err.message);
    refuse(STK_E_FORMAT, odd, "folder", &err);
    EXPECT_CONTAINS("is a file, but a source of kind folder is a folder", err.message);
    refuse(STK_E_INVALID, odd, "zip", &err);
    EXPECT_CONTAINS("is no kind of source; there are: folder", err.message);
}

STK_TEST(a_folder_that_may_not_be_read_is_a_question_of_permission)
{
    stk_error err;
    if (geteuid() == 0) skip(); /* root may read everything */
    put("locked/a/1.jpg", "x");
    chmod(stk_test_path("locked/a"), 0);
    refuse(STK_E_PERMISSION, stk_test_path("locked"), NULL, &err);
}

STK_TEST(links_to_files_are_followed_and_circles_end_with_an_error)
{
    stk_error err;
    put("links/a/1.jpg", "one");
    EXPECT(symlink("1.jpg", stk_test_path("links/a/2.jpg")) == 0);
    stk_source *source = open_source(stk_test_path("links"), NULL);
    EXPECT_INT_EQ(2, stk_source_count(source));
    stk_source_free(source);
    EXPECT(symlink("..", stk_test_path("links/a/back")) == 0);
    refuse(STK_E_LIMIT, stk_test_path("links"), NULL, &err);
    EXPECT_CONTAINS("links/a/back", err.where);
    EXPECT_CONTAINS("leads back up", err.message);
    EXPECT_CONTAINS("--on-bad skip", err.message);
}

/* What was left out for this reason and ending; NULL: nothing. */
static const stk_source_left_out *find_left_out(const stk_source   *source,
                                                stk_left_out_reason reason, const char *ending)
{
    size_t                     count;
    const stk_source_left_out *all = stk_source_left_outs(source, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].reason == reason && !strcmp(all[i].ending, ending)) return &all[i];
    return NULL;
}

static stk_source *open_skipping(const char *path)
{
    stk_error                err;
    stk_source              *source;
    const stk_source_options options = {.skip_bad = true};
    EXPECT_OK(stk_source_open(&source, NULL, path, &options, &err));
    return source;
}

STK_TEST(links_to_nothing_and_back_up_are_left_out_where_that_is_asked_for)
{
    put("bad/a/1.jpg", "one");
    put("bad/b/1.jpg", "two");
    EXPECT(symlink("gone.jpg", stk_test_path("bad/a/2.jpg")) == 0);
    EXPECT(symlink("self.jpg", stk_test_path("bad/a/self.jpg")) == 0);
    EXPECT(symlink("/nowhere/at/all", stk_test_path("bad/c")) == 0);
    EXPECT(symlink("..", stk_test_path("bad/a/back")) == 0);
    stk_source                *source = open_skipping(stk_test_path("bad"));
    const stk_source_left_out *links = find_left_out(source, STK_LEFT_OUT_LINK, "");
    const stk_source_left_out *loops = find_left_out(source, STK_LEFT_OUT_LOOP, "");
    EXPECT_INT_EQ(2, stk_source_count(source));
    EXPECT_INT_EQ(3, links->count);
    EXPECT_STR_EQ("a/2.jpg", links->example);
    EXPECT_INT_EQ(1, loops->count);
    EXPECT_STR_EQ("a/back", loops->example);
    EXPECT(stk_left_out_is_bad(loops->reason));
    stk_source_free(source);
}

STK_TEST(a_folder_beside_its_link_is_no_circle)
{
    put("beside/a/1.jpg", "one");
    EXPECT(symlink("a", stk_test_path("beside/b")) == 0);
    stk_source *source = open_source(stk_test_path("beside"), NULL);
    EXPECT_INT_EQ(2, stk_source_count(source));
    stk_source_free(source);
}

static stk_status deny(const stk_filesystem *fs, const char *path, stk_list_detail detail,
                       stk_list_visit visit, void *context, stk_error *err)
{
    (void)fs;
    if (strstr(path, "secret")) return stk_fail(err, STK_E_PERMISSION, "list", path, "denied");
    return stk_path_list(NULL, path, detail, visit, context, err);
}

STK_TEST(folders_that_may_not_be_read_stop_or_are_left_out)
{
    stk_error          err;
    stk_source        *source;
    stk_filesystem_ops ops = *stk_filesystem_local()->ops;
    ops.list = deny;
    const stk_filesystem     fs = {.ops = &ops, .name = "denying"};
    const stk_source_options skip = {.skip_bad = true};
    put("partly/a/1.jpg", "one");
    put("partly/secret/1.jpg", "two");
    EXPECT_STATUS(STK_E_PERMISSION,
                  stk_source_open(&source, &fs, stk_test_path("partly"), NULL, &err));
    EXPECT_CONTAINS("partly/secret", err.where);
    EXPECT_CONTAINS("--on-bad skip", err.message);
    EXPECT_OK(stk_source_open(&source, &fs, stk_test_path("partly"), &skip, &err));
    EXPECT_INT_EQ(1, stk_source_count(source));
    EXPECT_STR_EQ("secret", find_left_out(source, STK_LEFT_OUT_DENIED, "")->example);
    EXPECT(!find_left_out(source, STK_LEFT_OUT_EMPTY, ""));
    stk_source_free(source);
}

STK_TEST(what_is_left_out_is_counted_and_named)
{
    char text[300];
    put("messy/cat/1.jpg", "x");
    put("messy/cat/2.tif", "x");
    put("messy/cat/3.PPM", "x");
    put("messy/cat/a.HEIC", "x");
    put("messy/cat/b.heic", "x");
    put("messy/dog/c.avif", "x");
    put("messy/dog/1.jfif", "x");
    put("messy/notes.txt", "x");
    put("messy/README", "x");
    put("messy/.DS_Store", "x");
    put("messy/empty/nested/.keep", "x");
    stk_source *source = open_source(stk_test_path("messy"), NULL);
    EXPECT_INT_EQ(4, stk_source_count(source));
    EXPECT_INT_EQ(2, find_left_out(source, STK_LEFT_OUT_FORMAT, ".heic")->count);
    EXPECT_STR_EQ("cat/a.HEIC", find_left_out(source, STK_LEFT_OUT_FORMAT, ".heic")->example);
    EXPECT_INT_EQ(1, find_left_out(source, STK_LEFT_OUT_FORMAT, ".avif")->count);
    EXPECT_INT_EQ(1, find_left_out(source, STK_LEFT_OUT_OTHER, ".txt")->count);
    EXPECT_INT_EQ(1, find_left_out(source, STK_LEFT_OUT_OTHER, "")->count);
    EXPECT_INT_EQ(2, find_left_out(source, STK_LEFT_OUT_HIDDEN, "")->count);
    EXPECT_INT_EQ(1, find_left_out(source, STK_LEFT_OUT_EMPTY, "")->count);
    EXPECT_STR_EQ("empty/nested", find_left_out(source, STK_LEFT_OUT_EMPTY, "")->example);
    EXPECT_STR_EQ("2 .heic images, 1 .avif image, 1 folder without images ('empty/nested'), "
                  "1 file, 1 .txt file, 2 hidden files and folders; convert images of formats "
                  "that are not read to JPEG or PNG",
                  stk_source_left_out_text(source, text, sizeof text));
    stk_source_free(source);
}

STK_TEST(an_image_that_is_a_link_to_nothing_is_named)
{
    stk_error err;
    put("dangling/a/1.jpg", "one");
    EXPECT(symlink("gone.jpg", stk_test_path("dangling/a/2.jpg")) == 0);
    refuse(STK_E_NOTFOUND, stk_test_path("dangling"), NULL, &err);
    EXPECT_CONTAINS("dangling/a/2.jpg", err.where);
    EXPECT_CONTAINS("is a link to nothing", err.message);
    EXPECT_CONTAINS("--on-bad skip", err.message);
}

STK_TEST(a_file_that_changed_since_the_listing_is_damage)
{
    stk_error          err;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    put("changing/a/1.jpg", "12345");
    put("changing/a/2.jpg", "12345");
    put("changing/a/3.jpg", "");
    stk_source *source = open_source(stk_test_path("changing"), NULL);
    put("changing/a/1.jpg", "1234567");
    put("changing/a/2.jpg", "123");
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_STATUS(STK_E_DATALOSS, stk_source_read(cursor, 0, &sample, &err));
    EXPECT_CONTAINS("changed while being read: was 5 bytes, now 7", err.message);
    EXPECT_CONTAINS("changing/a/1.jpg", err.where);
    EXPECT_STATUS(STK_E_DATALOSS, stk_source_read(cursor, 1, &sample, &err));
    EXPECT_CONTAINS("was 5 bytes, now 3", err.message);
    EXPECT_STATUS(STK_E_DATALOSS, stk_source_read(cursor, 2, &sample, &err));
    EXPECT_CONTAINS("the file is empty", err.message);
    EXPECT_CONTAINS("3.jpg", err.where);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(a_listing_can_be_cancelled_and_is_accounted)
{
    stk_error         err;
    stk_source       *source;
    stk_ledger       *ledger;
    stk_ledger_report report;
    stk_cancel        cancel = STK_CANCEL_INIT;
    make_classes("accounted");
    EXPECT_OK(stk_ledger_new(&ledger, 1 << 20, &err));
    stk_source_options options = {.ledger = ledger, .cancel = &cancel};
    EXPECT_OK(stk_source_open(&source, NULL, stk_test_path("accounted"), &options, &err));
    stk_ledger_read(ledger, &report);
    EXPECT(report.lines[STK_MEMORY_INDEX].bytes > 0);
    stk_source_free(source);
    stk_cancel_request(&cancel);
    EXPECT_STATUS(STK_E_CANCELLED,
                  stk_source_open(&source, NULL, stk_test_path("accounted"), &options, &err));
    stk_ledger_read(ledger, &report);
    EXPECT_INT_EQ(0, report.bytes);
    stk_ledger_unref(ledger);
}

static void *read_often(void *context)
{
    stk_error          err;
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    intptr_t           wrong = stk_source_cursor_new(&cursor, context, &err) != STK_OK;
    for (int i = 0; !wrong && i < 600; i++) {
        wrong = stk_source_read(cursor, (uint64_t)i % 6, &sample, &err) != STK_OK;
        if (wrong) break;
        const stk_bytes *bytes = find_field(sample, "image")->data;
        wrong = memcmp(bytes->data, i % 6 < 3 ? "meow" : "woof", 4) != 0;
    }
    stk_source_cursor_free(cursor);
    return (void *)wrong;
}

STK_TEST(cursors_on_two_threads_are_independent)
{
    pthread_t threads[2];
    make_classes("threads");
    stk_source *source = open_source(stk_test_path("threads"), NULL);
    for (size_t i = 0; i < COUNT_OF(threads); i++)
        EXPECT_INT_EQ(0, pthread_create(&threads[i], NULL, read_often, source));
    for (size_t i = 0; i < COUNT_OF(threads); i++) {
        void *wrong;
        EXPECT_INT_EQ(0, pthread_join(threads[i], &wrong));
        EXPECT(wrong == NULL);
    }
    stk_source_free(source);
}

STK_TEST(an_image_folder_survives_every_failed_allocation)
{
    put("failing/train/a/1.jpg", "x");
    put("failing/test/a/1.jpg", "x");
    put("failing/test/a/1.heic", "x");
    put("failing/test/none/.hidden", "x");
    stk_test_fail_each_allocation(read_everything, (void *)stk_test_path("failing"));
}
