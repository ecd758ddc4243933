/* Data from elsewhere must not reach files of this machine that nobody gave it: names that lead out
 * of the data's folder are refused, left out and counted, or followed because somebody says so. */
#include "source_support.h"

#include <stdio.h>
#include <stdlib.h>
#include <stoker/inspect.h>
#include <stoker/presets.h>
#include <unistd.h>

static void link_to(const char *target, const char *name)
{
    EXPECT_INT_EQ(0, symlink(target, stk_test_path(name)));
}

static stk_source *open_with(const char *path, bool skip_bad, bool follow_outside)
{
    const stk_source_options options = {.skip_bad = skip_bad, .follow_outside = follow_outside};
    stk_error                err;
    stk_source              *source;
    EXPECT_OK(stk_source_open(&source, NULL, path, &options, &err));
    return source;
}

static const stk_source_left_out *find_outside(const stk_source *source)
{
    size_t                     count;
    const stk_source_left_out *all = stk_source_left_outs(source, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].reason == STK_LEFT_OUT_OUTSIDE) return &all[i];
    return NULL;
}

static bool has_item(const stk_source *source, const char *name)
{
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        if (strcmp(item.name, name) == 0) return true;
    }
    return false;
}

/* Two links lead out, a file and a folder; two stay inside. */
static const char *make_folder(const char *name)
{
    char path[128], outside[128];
    snprintf(path, sizeof path, "%s/a/1.jpg", name);
    put(path, "inside");
    snprintf(path, sizeof path, "%s/b/1.jpg", name);
    put(path, "inside");
    snprintf(outside, sizeof outside, "%s-secret/key.jpg", name);
    put(outside, "secret");
    snprintf(path, sizeof path, "%s/a/2.jpg", name);
    link_to(stk_test_path(outside), path);
    snprintf(outside, sizeof outside, "../%s-secret", name);
    snprintf(path, sizeof path, "%s/c", name);
    link_to(outside, path);
    snprintf(path, sizeof path, "%s/a/3.jpg", name);
    link_to("../b/1.jpg", path);
    snprintf(path, sizeof path, "%s/d", name);
    link_to("b", path);
    return stk_test_path(name);
}

STK_TEST(links_that_lead_out_of_a_folder_are_refused_and_counted)
{
    stk_error   err;
    const char *path = make_folder("out");
    refuse(STK_E_INVALID, path, NULL, &err);
    EXPECT_STR_EQ(path, err.where);
    EXPECT_CONTAINS("2 links lead out of the data's folder, first 'a/2.jpg'", err.message);
    EXPECT_CONTAINS("--follow-outside", err.message);
    EXPECT_CONTAINS("data.follow_outside: true", err.message);
}

STK_TEST(links_that_lead_out_are_left_out_where_bad_ones_are)
{
    char        text[300];
    stk_source *source = open_with(make_folder("skipped"), true, false);
    EXPECT_INT_EQ(4, stk_source_count(source));
    EXPECT(has_item(source, "a/3.jpg") && has_item(source, "d/1.jpg"));
    EXPECT(!has_item(source, "a/2.jpg") && !has_item(source, "c/key.jpg"));
    const stk_source_left_out *met = find_outside(source);
    EXPECT(met != NULL);
    EXPECT_INT_EQ(2, met->count);
    EXPECT_STR_EQ("a/2.jpg", met->example);
    EXPECT(stk_left_out_is_bad(met->reason));
    EXPECT_STR_EQ("outside", stk_left_out_reason_name(met->reason));
    EXPECT_CONTAINS("2 names that lead out of the data's folder ('a/2.jpg', ...)",
                    stk_source_left_out_text(source, text, sizeof text));
    stk_source_free(source);
}

STK_TEST(links_that_lead_out_are_followed_where_somebody_says_so)
{
    stk_source *source = open_with(make_folder("followed"), false, true);
    EXPECT_INT_EQ(6, stk_source_count(source));
    EXPECT(has_item(source, "a/2.jpg") && has_item(source, "c/key.jpg"));
    EXPECT(find_outside(source) == NULL);
    EXPECT_CONTAINS("were followed: 2, first 'a/2.jpg'", stk_source_next_note(source, NULL));
    stk_source_free(source);
}

STK_TEST(a_folder_may_itself_be_named_by_a_link)
{
    put("real/a/1.jpg", "x");
    put("real/b/1.jpg", "x");
    link_to("../real/a/1.jpg", "real/b/2.jpg"); /* goes out and comes back */
    link_to("real", "named");
    EXPECT_INT_EQ(0, remove(stk_test_path("real/b/2.jpg")));
    link_to(stk_test_path("named/a/1.jpg"), "real/b/2.jpg");
    stk_source *source = open_with(stk_test_path("named"), false, false);
    EXPECT_INT_EQ(3, stk_source_count(source));
    stk_source_free(source);
}

/* A folder beside it whose name begins alike is not it. */
STK_TEST(a_name_that_only_begins_like_the_folder_is_outside)
{
    stk_error err;
    put("like/a/1.jpg", "x");
    put("like-it/1.jpg", "x");
    link_to("../../like-it/1.jpg", "like/a/2.jpg");
    refuse(STK_E_INVALID, stk_test_path("like"), NULL, &err);
    EXPECT_CONTAINS("1 link leads out", err.message);
}

static const char *make_table(const char *name)
{
    char path[128], text[2048];
    snprintf(path, sizeof path, "%s/in/1.jpg", name);
    put(path, "one");
    snprintf(path, sizeof path, "%s/in/2.jpg", name);
    const char *inside = put(path, "two");
    snprintf(path, sizeof path, "%s-else/key.jpg", name);
    const char *outside = put(path, "secret");
    snprintf(path, sizeof path, "%s/far", name);
    snprintf(text, sizeof text, "../%s-else", name);
    link_to(text, path);
    snprintf(text, sizeof text,
             "file,label\nin/1.jpg,x\n%s,a\n../%s-else/key.jpg,b\n%s,y\nin/../in/1.jpg,y\n"
             "far/key.jpg,c\n",
             outside, name, inside);
    snprintf(path, sizeof path, "%s/table.csv", name);
    return put(path, text);
}

STK_TEST(rows_that_lead_out_of_the_tables_folder_are_refused_and_counted)
{
    stk_error err;
    refuse(STK_E_INVALID, make_table("rows"), NULL, &err);
    EXPECT_CONTAINS("3 rows lead out of the data's folder, first '/", err.message);
    EXPECT_CONTAINS("--follow-outside", err.message);
}

STK_TEST(rows_that_lead_out_are_left_out_with_their_labels)
{
    stk_source             *source = open_with(make_table("rest"), true, false);
    const stk_feature_info *label = find_feature(source, "label");
    EXPECT_INT_EQ(3, stk_source_count(source));
    EXPECT_INT_EQ(2, label->class_count);
    EXPECT_STR_EQ("x", label->class_names[0]);
    EXPECT_STR_EQ("y", label->class_names[1]);
    EXPECT_INT_EQ(3, find_outside(source)->count);
    stk_source_cursor *cursor;
    const stk_sample  *sample;
    stk_error          err;
    EXPECT_OK(stk_source_cursor_new(&cursor, source, &err));
    EXPECT_OK(stk_source_read(cursor, 1, &sample, &err));
    expect_text_field(sample, "image", "two");
    expect_int_field(sample, "label", 1);
    stk_source_cursor_free(cursor);
    stk_source_free(source);
}

STK_TEST(rows_that_lead_out_are_followed_where_somebody_says_so)
{
    stk_source *source = open_with(make_table("all"), false, true);
    EXPECT_INT_EQ(6, stk_source_count(source));
    EXPECT_CONTAINS("were followed: 3", stk_source_next_note(source, NULL));
    stk_source_free(source);
}

STK_TEST(a_table_all_of_whose_rows_lead_out_has_no_items)
{
    stk_error                err;
    stk_source              *source;
    const stk_source_options options = {.skip_bad = true};
    put("gone/key.jpg", "secret");
    put("gone/table/t.csv", "file,label\n../key.jpg,a\n");
    EXPECT_STATUS(STK_E_NOTFOUND, stk_source_open(&source, NULL, stk_test_path("gone/table/t.csv"),
                                                  &options, &err));
    EXPECT_CONTAINS("no items", err.message);
}

static void copy_tiny(const char *folder)
{
    char command[1024];
    snprintf(command, sizeof command, "cp -r '%s' '%s'", STK_TEST_DATA "/tfds/tiny/1.0.0", folder);
    EXPECT_INT_EQ(0, system(command));
}

/* Lines of any text would become names of classes, and go into the pack. */
STK_TEST(files_beside_records_are_no_way_out)
{
    stk_error    err;
    stk_source  *source;
    stk_dataset *data;
    const char  *folder = stk_test_path("tiny");
    copy_tiny(folder);
    source = open_with(folder, false, false);
    stk_source_free(source);
    EXPECT_INT_EQ(0, remove(stk_test_path("tiny/label.labels.txt")));
    put("private", "root\nme\n");
    link_to("../private", "tiny/label.labels.txt");
    refuse(STK_E_INVALID, folder, NULL, &err);
    EXPECT_CONTAINS("1 link leads out of the data's folder, first 'label.labels.txt'", err.message);
    EXPECT_STATUS(STK_E_INVALID, stk_dataset_images(&data, folder, NULL, &err));
    EXPECT_CONTAINS("label.labels.txt", err.message);
    source = open_with(folder, false, true);
    EXPECT_CONTAINS("label.labels.txt", stk_source_next_note(source, NULL));
    stk_source_free(source);
    EXPECT_OK(
        stk_dataset_images(&data, folder, &(stk_images_options){.follow_outside = true}, &err));
    stk_dataset_unref(data);
}

static void expect_inspect_refuses(const char *path, const char *part)
{
    stk_error                 err;
    stk_inspect_report        report;
    const stk_inspect_options followed = {.follow_outside = true};
    EXPECT_STATUS(STK_E_INVALID, stk_inspect(&report, NULL, path, &(stk_inspect_options){0}, &err));
    EXPECT_CONTAINS(part, err.message);
    EXPECT_CONTAINS("--follow-outside", err.message);
    EXPECT_OK(stk_inspect(&report, NULL, path, &followed, &err));
    EXPECT_INT_EQ(0, report.bad_count);
    stk_inspect_report_release(&report);
}

STK_TEST(inspecting_a_pack_shows_nothing_that_links_name_elsewhere)
{
    static const char *const names[] = {"label.labels.txt", "features.json", "dataset_info.json",
                                        "tiny-train.tfrecord-00000-of-00001"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        char name[128], elsewhere[128], part[128];
        snprintf(name, sizeof name, "looked-at-%zu", i);
        const char *folder = stk_test_path(name);
        copy_tiny(folder);
        snprintf(name, sizeof name, "looked-at-%zu/%s", i, names[i]);
        snprintf(elsewhere, sizeof elsewhere, "elsewhere-%zu", i);
        EXPECT_INT_EQ(0, rename(stk_test_path(name), stk_test_path(elsewhere)));
        link_to(stk_test_path(elsewhere), name);
        snprintf(part, sizeof part, "first '%s'", names[i]);
        expect_inspect_refuses(folder, part);
    }
}

/* A shard that was named may be a link; nobody named what lies beside it. */
STK_TEST(a_description_beside_a_named_file_is_no_way_out)
{
    stk_error   err;
    const char *shard = "one/tiny-train.tfrecord-00000-of-00001";
    copy_tiny(stk_test_path("one"));
    EXPECT_INT_EQ(0, rename(stk_test_path(shard), stk_test_path("far.tfrecord")));
    link_to(stk_test_path("far.tfrecord"), shard);
    stk_inspect_report report;
    EXPECT_OK(stk_inspect(&report, NULL, stk_test_path(shard), &(stk_inspect_options){0}, &err));
    stk_inspect_report_release(&report);
    EXPECT_INT_EQ(0, rename(stk_test_path("one/label.labels.txt"), stk_test_path("far.txt")));
    link_to(stk_test_path("far.txt"), "one/label.labels.txt");
    expect_inspect_refuses(stk_test_path(shard), "first 'label.labels.txt'");
    refuse(STK_E_INVALID, stk_test_path(shard), NULL, &err);
    EXPECT_CONTAINS("first 'label.labels.txt'", err.message);
}

/* Files of that name are hidden, but are read for a label that is called so. */
STK_TEST(a_label_with_a_hidden_name_is_no_way_out)
{
    stk_error err;
    copy_tiny(stk_test_path("hidden"));
    put("private-lines", "root\n");
    link_to("../private-lines", "hidden/.x.labels.txt");
    refuse(STK_E_INVALID, stk_test_path("hidden"), NULL, &err);
    EXPECT_CONTAINS("first '.x.labels.txt'", err.message);
}

static stk_status open_and_free(void *context, stk_error *err)
{
    const stk_source_options options = {.skip_bad = true};
    stk_source              *source;
    STK_TRY(stk_source_open(&source, NULL, context, &options, err));
    stk_source_free(source);
    return STK_OK;
}

STK_TEST(names_that_lead_out_survive_every_failed_allocation)
{
    stk_test_fail_each_allocation(open_and_free, (void *)make_folder("failing"));
    stk_test_fail_each_allocation(open_and_free, (void *)make_table("failing-table"));
}
