/* Each rule about a recipe and its data: what triggers it, and what does not. */
#include "harness.h"

#include <stdio.h>
#include <stoker/lint.h>
#include <string.h>

static const stk_lint_machine machine = {
    .cores = 8, .physical = 8, .memory = 8000000000, .flops = 1e11, .memory_bytes = 1e10};

/* A recipe that nothing is wrong with. */
typedef struct subject {
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_lint_machine machine;
    stk_lint_storage storage;
} subject;

static void set(subject *s, const char *key, const char *text)
{
    stk_error err;
    EXPECT_OK(stk_train_recipe_set(&s->recipe, key, text, "test", &err));
}

static subject usual(void)
{
    static const char *const settings[] = {
        "data.path",     "photos/", "data.size",           "224", "data.batch",   "64",
        "knobs.threads", "7",       "knobs.input_threads", "2",   "train.epochs", "10",
        "train.steps",   "10000",   "output.log_every",    "100", "model.name",   "resnet18"};
    subject s = {.machine = machine,
                 .data = {.train_count = 64000, .width = 300, .height = 256, .channels = 3},
                 .storage = {.kind = "folder", .files = 900, .bytes = 90000000}};
    stk_train_recipe_init(&s.recipe);
    for (size_t i = 0; i < COUNT_OF(settings); i += 2)
        set(&s, settings[i], settings[i + 1]);
    return s;
}

/* The one finding of rule (NULL: there is none at all). */
static stk_lint only(const subject *s, const char *rule)
{
    stk_lint_list list = {0};
    stk_lint_recipe(&list, &s->recipe, &s->data, &s->machine, &s->storage);
    stk_lint_rank(&list, NULL);
    if (!rule) {
        EXPECT_STR_EQ("", list.count ? list.items[0].rule : "");
        return (stk_lint){0};
    }
    EXPECT_INT_EQ(1, list.count);
    EXPECT_STR_EQ(rule, list.items[0].rule);
    return list.items[0];
}

static stk_lint with(const char *key, const char *text, const char *rule)
{
    subject s = usual();
    set(&s, key, text);
    return only(&s, rule);
}

STK_TEST(a_usual_recipe_is_clean)
{
    const subject s = usual();
    only(&s, NULL);
    only(&(subject){.recipe = s.recipe, .data = s.data, .machine = machine}, NULL);
}

STK_TEST(batches_that_are_odd_or_tiny_are_told)
{
    const stk_lint odd = with("data.batch", "60", "odd_batch");
    EXPECT_CONTAINS("60 is no multiple of 8", odd.message);
    EXPECT_CONTAINS("compute it as 64", odd.message);
    EXPECT_STR_EQ("data: {batch: 64}", odd.recipe);
    EXPECT(odd.saves < 0 && odd.changes_training);
    subject s = usual();
    set(&s, "data.batch", "60");
    s.data.train_count = 63; /* 64 are not there */
    EXPECT_STR_EQ("data: {batch: 56}", only(&s, "odd_batch").recipe);
    s = usual();
    set(&s, "data.batch", "2");
    set(&s, "output.log_every", "1000");
    const stk_lint tiny = only(&s, "tiny_batch");
    EXPECT_STR_EQ("data: {batch: 32}", tiny.recipe);
    EXPECT(tiny.saves < 0 && tiny.changes_training);
}

STK_TEST(threads_are_weighed_against_cores)
{
    stk_lint item = with("knobs.threads", "16", "too_many_threads");
    EXPECT_CONTAINS("16 that compute and 1 that prepare input share 8 cores", item.message);
    EXPECT_STR_EQ("knobs: {threads: 7}", item.recipe);
    item = with("knobs.threads", "2", "idle_cores");
    EXPECT_CONTAINS("leave 5 of 8 cores idle", item.message);
    EXPECT(item.gain > 2.4 && item.gain < 2.6);
    subject s = usual();
    s.machine.physical = 4;
    item = only(&s, "second_threads");
    EXPECT_STR_EQ("knobs: {threads: 4}", item.recipe);
}

STK_TEST(switches_that_are_for_searching_are_told)
{
    EXPECT_CONTAINS("plain C", with("knobs.backend", "ref", "reference_backend").message);
    EXPECT_CONTAINS("one by one", with("knobs.eager", "true", "eager").message);
    EXPECT_CONTAINS("passes fuse,layout are off",
                    with("knobs.passes_off", "fuse,layout", "passes_off").message);
    EXPECT_CONTAINS("one of 7 threads",
                    with("train.deterministic", "true", "deterministic").message);
}

STK_TEST(checkpoints_and_rows_that_come_too_often_are_told)
{
    const stk_lint saved = with("output.checkpoint_every", "5", "many_checkpoints");
    EXPECT_INT_EQ(STK_STAGE_WRITE, saved.stage);
    EXPECT_CONTAINS("every 5 of 10000 steps", saved.message);
    with("output.checkpoint_every", "500", NULL);
    const stk_lint rows = with("output.log_every", "1", "many_rows");
    EXPECT_CONTAINS("every 1 of 1000 steps", rows.message);
    EXPECT_STR_EQ("output: {log_every: 20}", rows.recipe);
}

STK_TEST(images_that_are_much_too_large_are_told)
{
    subject s = usual();
    s.data.width = 4000;
    s.data.height = 3000;
    const stk_lint item = only(&s, "large_images");
    EXPECT_CONTAINS("4000x3000 and used at 224: 239 times the pixels", item.message);
    EXPECT_STR_EQ("stoker pack photos/ photos-256 --resize 256", item.command);
    EXPECT(item.saves > 0.99 && item.gain < 0);
    s.data.width = s.data.height = 448;
    only(&s, NULL);
}

STK_TEST(commands_are_quoted_for_the_shell)
{
    subject s = usual();
    s.data.width = 4000;
    s.data.height = 3000;
    snprintf(s.recipe.data.path, sizeof s.recipe.data.path, "it's `id`\n/");
    EXPECT_STR_EQ("stoker pack \"$(printf 'it\\047s \\140id\\140\\012/')\" \"$(printf 'it\\047s "
                  "\\140id\\140\\012\\055256')\" --resize 256",
                  only(&s, "large_images").command);
    memset(s.recipe.data.path, '/', 200);
    s.recipe.data.path[200] = 0;
    EXPECT_STR_EQ("stoker pack DATA DATA-256 --resize 256", only(&s, "large_images").command);
}

STK_TEST(many_small_files_are_told)
{
    subject s = usual();
    s.storage.files = 60000;
    const stk_lint item = only(&s, "many_files");
    EXPECT_CONTAINS("60000 files of 2 KB", item.message); /* 1.5 */
    EXPECT_STR_EQ("stoker pack photos/ photos-packed", item.command);
    snprintf(s.storage.kind, sizeof s.storage.kind, "pack");
    only(&s, NULL);
}

STK_TEST(a_cache_that_is_off_for_nothing_is_told)
{
    const stk_lint item = with("data.cache", "none", "cache_off");
    EXPECT_CONTAINS("90.0 MB of data fit into the 2000.0 MB", item.message);
    EXPECT_STR_EQ("data: {cache: auto}", item.recipe);
    subject s = usual();
    set(&s, "data.cache", "none");
    s.storage.bytes = 3000000000;
    only(&s, NULL);
}

/* What a recipe line says can be written: it is read back. */
STK_TEST(a_line_of_advice_is_a_recipe)
{
    const char      *path = stk_test_path("advice.yaml");
    const stk_lint   item = with("data.batch", "60", "odd_batch");
    stk_train_recipe recipe;
    stk_error        err;
    stk_test_write_file(path, item.recipe, strlen(item.recipe));
    stk_train_recipe_init(&recipe);
    EXPECT_OK(stk_train_recipe_load(&recipe, NULL, path, &err));
    EXPECT_INT_EQ(64, recipe.data.batch);
}

/* A profile tells what share of a step a stage has, so that what is saved of it becomes a gain. */
STK_TEST(gains_come_from_the_stages_share_of_a_step)
{
    stk_lint_list list = {0};
    stk_profile   profile;
    subject       s = usual();
    set(&s, "knobs.threads", "8");
    set(&s, "output.checkpoint_every", "5");
    stk_profile_init(&profile);
    profile.measured_ns = 1000;
    profile.stages[STK_STAGE_WRITE].exposed_ns = 500;
    profile.stages[STK_STAGE_COMPUTE].exposed_ns = 500;
    stk_lint_recipe(&list, &s.recipe, &s.data, &s.machine, &s.storage);
    stk_lint_rank(&list, &profile);
    EXPECT_INT_EQ(2, list.count);
    EXPECT_STR_EQ("many_checkpoints", list.items[0].rule); /* 0.9 of a half */
    EXPECT(list.items[0].gain > 0.81 && list.items[0].gain < 0.82);
    EXPECT(list.items[1].gain > 0.05 && list.items[1].gain < 0.06); /* 1 of 9 of a half */
    stk_profile_release(&profile);
}

STK_TEST(findings_become_fixes_behind_what_is_predicted)
{
    stk_lint_list list = {0};
    stk_diagnosis diagnosis = {.samples_per_s = {100, 90, 110}};
    subject       s = usual();
    set(&s, "knobs.threads", "8");
    set(&s, "output.checkpoint_every", "5");
    stk_lint_recipe(&list, &s.recipe, &s.data, &s.machine, &s.storage);
    stk_lint_rank(&list, NULL);
    diagnosis.fix_count = 2;
    diagnosis.fixes[0] =
        (stk_fix){.gain = 0.01, .title = "second", .samples_per_s = {101, 99, 103}};
    diagnosis.fixes[1] = (stk_fix){.gain = 0.5, .title = "first", .samples_per_s = {150, 140, 160}};
    stk_lint_add_fixes(&list, &diagnosis);
    EXPECT_INT_EQ(4, diagnosis.fix_count);
    EXPECT_STR_EQ("first", diagnosis.fixes[0].title);
    EXPECT_STR_EQ("second", diagnosis.fixes[1].title);
    EXPECT_CONTAINS("knobs.threads: 8 that compute", diagnosis.fixes[2].title);
    EXPECT(diagnosis.fixes[2].samples_per_s.value > 112 && diagnosis.fixes[2].at_most);
    EXPECT_CONTAINS("knobs.threads=", diagnosis.fixes[2].set[0]);
    EXPECT_STR_EQ("output.checkpoint_every=auto", diagnosis.fixes[3].set[0]);
    EXPECT(diagnosis.fixes[3].samples_per_s.value < 0);
    diagnosis.fix_count = STK_DIAGNOSIS_FIXES;
    stk_lint_add_fixes(&list, &diagnosis);
    EXPECT_INT_EQ(STK_DIAGNOSIS_FIXES, diagnosis.fix_count);
}

STK_TEST(a_rule_is_silent_where_its_key_was_measured)
{
    stk_lint_list list = {0};
    stk_diagnosis diagnosis = {.samples_per_s = {100, 90, 110}, .fix_count = 1};
    subject       s = usual();
    set(&s, "knobs.threads", "8");
    stk_lint_recipe(&list, &s.recipe, &s.data, &s.machine, &s.storage);
    stk_lint_rank(&list, NULL);
    diagnosis.fixes[0] = (stk_fix){
        .gain = 0.2, .samples_per_s = {120, 110, 130}, .set_count = 1, .set = {"knobs.threads=2"}};
    stk_lint_add_fixes(&list, &diagnosis);
    EXPECT_INT_EQ(1, diagnosis.fix_count);
}

STK_TEST(the_list_is_written_as_json)
{
    stk_lint_list      list = {0};
    stk_json_document *doc;
    stk_blob           text;
    stk_error          err;
    subject            s = usual();
    set(&s, "knobs.threads", "8");
    set(&s, "output.checkpoint_every", "5");
    stk_lint_recipe(&list, &s.recipe, &s.data, &s.machine, &s.storage);
    stk_lint_rank(&list, NULL);
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_lint_write(&list, &text, &err));
    EXPECT_OK(stk_json_parse(&doc, stk_blob_bytes(&text), "lint", &err));
    const stk_json_value *first = stk_json_at(stk_json_root(doc), 0);
    EXPECT_INT_EQ(2, stk_json_count(stk_json_root(doc)));
    EXPECT_STR_EQ("too_many_threads", stk_json_text(stk_json_get(first, "rule"), ""));
    EXPECT_STR_EQ("S4 compute", stk_json_text(stk_json_get(first, "stage"), ""));
    EXPECT(stk_json_number(stk_json_get(first, "gain"), -1) > 0.12);
    EXPECT_INT_EQ(STK_JSON_NULL,
                  stk_json_type_of(stk_json_get(stk_json_at(stk_json_root(doc), 1), "gain")));
    stk_json_document_free(doc);
    stk_blob_release(&text);
}
