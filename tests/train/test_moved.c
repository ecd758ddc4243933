/* Where data lies is no part of what is learnt: copies train alike, and a run goes on after its
 * data was moved. */
#include "class_folders.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const wave_class classes[] = {{"ant", 0, 20, 6}, {"bee", 3, 20, 6}, {"cat", 6, 20, 6}};

static void run_shell(const char *format, const char *a, const char *b)
{
    char command[1200];
    snprintf(command, sizeof command, format, a, b);
    EXPECT_INT_EQ(0, system(command));
}

/* Lives as long as the test's folder, as stk_test_path's. */
static const char *path_of(const char *folder, const char *name)
{
    char         path[1024];
    const size_t root = strlen(stk_test_folder()) + 1;
    snprintf(path, sizeof path, "%s/%s", folder + root, name);
    return stk_test_path(path);
}

/* Each kind puts its data into a folder that is there; what is then given is FOLDER/given. */
typedef struct kind {
    const char *name, *given;
    void (*make)(const char *folder);
} kind;

static void make_folder(const char *folder)
{
    run_shell("cp -r '%s/.' '%s'", wave_folders("images", classes, COUNT_OF(classes), 20), folder);
}

static void make_pack(const char *folder)
{
    stk_error              err;
    stk_source            *source;
    const stk_pack_options options = {.name = "waves", .shard_bytes = 4000};
    EXPECT_OK(stk_source_open(&source, NULL, wave_folders("images", classes, COUNT_OF(classes), 20),
                              NULL, &err));
    EXPECT_OK(stk_pack(source, path_of(folder, "pack"), &options, NULL, &err));
    stk_source_free(source);
}

/* Records as other programs leave them. */
static void make_records(const char *folder)
{
    make_pack(folder);
    run_shell("cd '%s'/%s && rm *.json .stoker-pack.json", folder, "pack");
}

static void make_table(const char *folder)
{
    make_folder(folder);
    run_shell("cd '%s' && (echo file,label,split; for f in */*/*.png; do l=${f#*/}; "
              "echo \"$f,${l%%/*},${f%%%%/*}\"; done) > %s",
              folder, "table.csv");
}

static void make_archive(const char *folder)
{
    make_folder(folder);
    run_shell("cd '%s' && tar cf %s train val && rm -r train val", folder, "all.tar");
}

static const char stages[] = "data:\n"
                             "- source: {path: train}\n"
                             "- cache: {directory: kept}\n"
                             "- shuffle: 40\n"
                             "- repeat: 2\n";

static const kind kinds[] = {{"folder", ".", make_folder},
                             {"pack", "pack", make_pack},
                             {"records", "pack", make_records},
                             {"table", "table.csv", make_table},
                             {"archive", "all.tar", make_archive}};

static void settle(stk_train_recipe *recipe, stk_train_data *data, const char *path,
                   const char *run, const char *steps)
{
    const char *const settings[] = {"model.name",
                                    "mlp",
                                    "data.batch",
                                    "8",
                                    "train.steps",
                                    steps,
                                    "knobs.backend",
                                    "ref",
                                    "train.schedule",
                                    "constant",
                                    "train.deterministic",
                                    "true",
                                    "data.path",
                                    path,
                                    "output.folder",
                                    run,
                                    NULL};
    stk_error         err;
    stk_train_recipe_init(recipe);
    for (const char *const *s = settings; *s; s += 2)
        EXPECT_OK(stk_train_recipe_set(recipe, s[0], s[1], "test", &err));
    EXPECT_OK(stk_train_data_read(data, recipe, &err));
    EXPECT_OK(stk_train_resolve(recipe, data, NULL, &err));
}

static stk_status train(const char *path, const char *run, const char *steps, bool resume,
                        stk_error *err)
{
    stk_train_recipe          recipe;
    stk_train_data            data;
    stk_train_result          result;
    stk_trainer              *trainer;
    const stk_trainer_options how = {.resume = resume};
    settle(&recipe, &data, path, run, steps);
    stk_status st = stk_trainer_open(&trainer, &recipe, &data, &how, err);
    if (!st) st = stk_trainer_run(trainer, &result, err);
    stk_trainer_free(trainer);
    stk_train_data_release(&data);
    return st;
}

static void expect_same_weights(const char *a, const char *b)
{
    const stk_bytes x = stk_test_read_file(path_of(a, "final.safetensors"));
    const stk_bytes y = stk_test_read_file(path_of(b, "final.safetensors"));
    EXPECT_INT_EQ(x.size, y.size);
    EXPECT_MEM_EQ(x.data, y.data, x.size);
}

static const char *new_path(const char *of, const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "%s-%s", of, name);
    return stk_test_path(text);
}

STK_TEST(copies_at_other_places_give_the_same_weights)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const kind *k = &kinds[i];
        stk_error   err;
        const char *here = new_path(k->name, "here"), *there = new_path(k->name, "some where");
        run_shell("mkdir -p '%s' '%s/deeper'", here, there);
        k->make(here);
        run_shell("cp -r '%s' '%s/deeper/copy of it'", here, there);
        const char *one = new_path(k->name, "run-1"), *two = new_path(k->name, "run-2");
        EXPECT_OK(train(path_of(here, k->given), one, "6", false, &err));
        EXPECT_OK(
            train(path_of(path_of(there, "deeper/copy of it"), k->given), two, "6", false, &err));
        expect_same_weights(one, two);
    }
}

STK_TEST(a_run_goes_on_when_its_data_was_moved)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const kind *k = &kinds[i];
        stk_error   err;
        const char *here = new_path(k->name, "before"), *there = new_path(k->name, "after");
        run_shell("mkdir -p '%s'%s", here, "");
        k->make(here);
        const char *whole = new_path(k->name, "whole"), *parts = new_path(k->name, "parts");
        EXPECT_OK(train(path_of(here, k->given), whole, "6", false, &err));
        EXPECT_OK(train(path_of(here, k->given), parts, "3", false, &err));
        run_shell("mv '%s' '%s'", here, there);
        EXPECT_OK(train(path_of(there, k->given), parts, "6", true, &err));
        expect_same_weights(whole, parts);
        stk_train_recipe kept;
        stk_train_recipe_init(&kept);
        EXPECT_OK(stk_train_recipe_load(&kept, NULL, path_of(parts, "recipe.yaml"), &err));
        EXPECT_CONTAINS("after", kept.data.path);
    }
}

STK_TEST(other_data_is_no_place_to_go_on)
{
    stk_error   err;
    const char *here = new_path("other", "here"), *there = new_path("other", "there");
    run_shell("mkdir -p '%s' '%s'", here, there);
    make_folder(here);
    make_folder(there);
    EXPECT_OK(train(here, new_path("other", "run"), "3", false, &err));
    run_shell("mv '%s/train/ant/0000.png' '%s/train/ant/other.png'", there, there);
    EXPECT_STATUS(STK_E_INVALID, train(there, new_path("other", "run"), "6", true, &err));
    EXPECT_CONTAINS("another pipeline", err.message);
    run_shell("rm '%s/train/ant/other.png'%s", there, "");
    EXPECT_STATUS(STK_E_INVALID, train(there, new_path("other", "run"), "6", true, &err));
    EXPECT_CONTAINS("another number of images", err.message);
}

/* A cache on disk is of what was read, not of where that lay. */
static stk_status read_stages(const char *folder, stk_blob *seen, stk_error *err)
{
    stk_dataset  *data;
    stk_iterator *it;
    STK_TRY(stk_recipe_load(&data, path_of(folder, "stages.yaml"), NULL, err));
    stk_status st = stk_iterator_start(&it, data, &(stk_iterator_options){.seed = 3}, err);
    for (stk_element *element = NULL; !st;) {
        st = stk_iterator_next(it, &element, err);
        if (st || !element) break;
        const stk_value *label = stk_element_value(element, 1);
        st = stk_blob_append(seen, stk_value_data(label), sizeof(int64_t), err);
        stk_element_unref(element);
    }
    stk_iterator_free(it);
    stk_dataset_unref(data);
    return st;
}

STK_TEST(a_cache_goes_with_data_that_is_moved_and_refuses_other_data)
{
    stk_error   err;
    stk_blob    first, second;
    const char *here = new_path("cache", "here"), *there = new_path("cache", "there");
    stk_blob_init(&first, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&second, NULL, STK_MEMORY_INDEX);
    run_shell("mkdir -p '%s'%s", here, "");
    make_folder(here);
    stk_test_write_file(path_of(here, "stages.yaml"), stages, sizeof stages - 1);
    EXPECT_OK(read_stages(here, &first, &err));
    EXPECT_INT_EQ(120 * sizeof(int64_t), first.size);
    run_shell("mv '%s' '%s'", here, there);
    EXPECT_OK(read_stages(there, &second, &err));
    EXPECT_INT_EQ(first.size, second.size);
    EXPECT_MEM_EQ(first.data, second.data, first.size);
    run_shell("cp '%s/train/bee/0000.png' '%s/train/ant/0000.png'", there, there);
    EXPECT_STATUS(STK_E_INVALID, read_stages(there, &second, &err));
    EXPECT_CONTAINS("over other files", err.message);
    stk_blob_release(&first);
    stk_blob_release(&second);
}
