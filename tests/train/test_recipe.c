/* Training recipes: keys from text and YAML, refusals with line and key, a print that loads again.
 */
#include "harness.h"
#include "train/recipe/train_recipe_internal.h"
#include <stdio.h>
#include <string.h>

static stk_status load(stk_train_recipe *recipe, const char *yaml, stk_error *err)
{
    const char *path = stk_test_path("recipe.yaml");
    stk_test_write_file(path, yaml, strlen(yaml));
    stk_train_recipe_init(recipe);
    return stk_train_recipe_load(recipe, NULL, path, err);
}

STK_TEST(keys_are_set_from_yaml_and_others_stay)
{
    stk_train_recipe recipe;
    stk_error        err;
    EXPECT_OK(load(&recipe,
                   "data:\n  path: photos\n  batch: 64\nmodel:\n  name: resnet20\ntrain:\n"
                   "  epochs: 2.5\n  milestones: [30, 60]\n  deterministic: false\n",
                   &err));
    EXPECT_CONTAINS("/photos", recipe.data.path);
    EXPECT_INT_EQ(64, recipe.data.batch);
    EXPECT_STR_EQ("resnet20", recipe.model.name);
    EXPECT(recipe.train.epochs == 2.5 && !recipe.train.deterministic);
    EXPECT_STR_EQ("30,60", recipe.train.milestones);
    EXPECT_INT_EQ(-1, recipe.data.size);
    EXPECT(recipe.train.momentum < 0 && recipe.train.gamma == 0.1);
}

STK_TEST(weights_of_classes_are_a_word_a_list_or_a_mapping)
{
    static const struct {
        const char *yaml, *text;
    } forms[] = {
        {"train:\n  class_weights: balanced\n", "balanced"},
        {"train:\n  class_weights: [1, 2, 0.5]\n", "1,2,0.5"},
        {"train:\n  class_weights: {cat: 3, 'the dog': 0.5}\n", "cat=3,the dog=0.5"},
    };
    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        stk_train_recipe recipe;
        stk_error        err;
        EXPECT_OK(load(&recipe, forms[i].yaml, &err));
        EXPECT_STR_EQ(forms[i].text, recipe.train.class_weights);
    }
}

STK_TEST(mistakes_are_told_with_line_key_and_the_nearest_word)
{
    static const struct {
        const char *yaml, *where, *message;
    } wrong[] = {
        {"train:\n  epocs: 3\n", "recipe.yaml:2", "did you mean epochs"},
        {"trian:\n  epochs: 3\n", "recipe.yaml:1", "did you mean train"},
        {"train:\n  epochs: many\n", "recipe.yaml:2", "train.epochs is \"many\""},
        {"data:\n  batch: 1.5\n", "recipe.yaml:2", "a whole number from 1"},
        {"data:\n  batch: 0\n", "recipe.yaml:2", "or auto"},
        {"data:\n  batch: 99999999999999999999\n", "recipe.yaml:2", "a whole number from 1"},
        {"data:\n  batch: -1e300\n", "recipe.yaml:2", "a whole number from 1"},
        {"train:\n  optimizer: adam\n", "recipe.yaml:2", "did you mean adamw"},
        {"train:\n  deterministic: yes\n", "recipe.yaml:2", "true or false"},
        {"train:\n  epochs: {a: 1}\n", "recipe.yaml:2", "a mapping"},
        {"train:\n  class_weights: {a: [1, 2]}\n", "recipe.yaml:2", "more than one value"},
        {"train:\n  class_weights: {'a,b': 1}\n", "recipe.yaml:2", "has a comma"},
        {"train: 3\n", "recipe.yaml:1", "takes keys"},
    };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        stk_train_recipe recipe;
        stk_error        err;
        EXPECT_STATUS(STK_E_INVALID, load(&recipe, wrong[i].yaml, &err));
        EXPECT_CONTAINS(wrong[i].where, err.where);
        EXPECT_CONTAINS(wrong[i].message, err.message);
    }
}

static void note(void *context, const char *text)
{
    char        *all = context;
    const size_t used = strlen(all);
    snprintf(all + used, 1000 - used, "%s\n", text);
}

static stk_status load_noting(stk_train_recipe *recipe, const char *yaml, char *notes,
                              stk_error *err)
{
    const stk_params_source source = {.note = note, .context = notes};
    const char             *path = stk_test_path("noted.yaml");
    stk_test_write_file(path, yaml, strlen(yaml));
    stk_train_recipe_init(recipe);
    *notes = 0;
    return stk_train_recipe_load_from(recipe, NULL, path, &source, err);
}

STK_TEST(former_keys_work_and_are_noted)
{
    stk_train_recipe recipe;
    stk_error        err;
    char             notes[1000];
    EXPECT_OK(load_noting(&recipe,
                          "train: {rise: 0.4, start_share: 0.3, end_share: 0.1}\n"
                          "knobs: {ahead: 1, passes_off: 'fuse,record'}\n",
                          notes, &err));
    EXPECT(recipe.train.rise_fraction == 0.4 && recipe.train.start_factor == 0.3);
    EXPECT(recipe.train.end_factor == 0.1 && recipe.knobs.steps_in_flight == 1);
    EXPECT_STR_EQ("train.rise is now called train.rise_fraction\n"
                  "train.start_share is now called train.start_factor\n"
                  "train.end_share is now called train.end_factor\n"
                  "knobs.ahead is now called knobs.steps_in_flight\n"
                  "knobs.passes_off=record is now called knobs.passes_off=capture\n",
                  notes);
    EXPECT_OK(load(&recipe, "train:\n  rise: 0.2\n", &err)); /* nobody listens */
    EXPECT(recipe.train.rise_fraction == 0.2);
}

STK_TEST(keys_of_today_are_not_noted)
{
    stk_train_recipe recipe;
    stk_error        err;
    char             notes[1000];
    EXPECT_OK(load_noting(&recipe,
                          "train: {rise_fraction: 0.4, start_factor: 0.3, end_factor: 0.1}\n"
                          "knobs: {steps_in_flight: 1, passes_off: 'fuse,capture'}\n",
                          notes, &err));
    EXPECT_STR_EQ("", notes);
}

STK_TEST(a_key_by_both_its_names_is_refused)
{
    static const char *const both[] = {"train: {rise: 0.4, rise_fraction: 0.4}\n",
                                       "train: {start_factor: 0.4, start_share: 0.4}\n",
                                       "train: {end_factor: 0.4, end_share: 0.4}\n",
                                       "knobs: {ahead: 1, steps_in_flight: 1}\n"};
    for (size_t i = 0; i < COUNT_OF(both); i++) {
        stk_train_recipe recipe;
        stk_error        err;
        EXPECT_STATUS(STK_E_INVALID, load(&recipe, both[i], &err));
        EXPECT_CONTAINS("twice", err.message);
    }
}

STK_TEST(what_is_printed_loads_as_the_same)
{
    stk_train_recipe a, b;
    stk_error        err;
    stk_blob         text;
    stk_train_recipe_init(&a);
    EXPECT_OK(stk_train_recipe_set(&a, "data.path", "/a b/\"c\"", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&a, "train.learning_rate", "0.1", "test", &err));
    EXPECT_OK(stk_train_recipe_set(&a, "train.optimizer", "lamb", "test", &err));
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_train_recipe_print(&a, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    EXPECT_OK(load(&b, (const char *)text.data, &err));
    stk_blob_release(&text);
    EXPECT_MEM_EQ(&a, &b, sizeof a);
}

STK_TEST(every_default_is_a_value_of_its_key)
{
    stk_train_recipe recipe;
    stk_error        err;
    const stk_param *key;
    stk_train_recipe_init(&recipe);
    for (size_t i = 0; (key = stk_train_key_at(i)); i++) {
        char name[128];
        snprintf(name, sizeof name, "%s.%s", key->group, key->name);
        EXPECT_OK(stk_train_recipe_set(&recipe, name, key->default_value, "test", &err));
        EXPECT(key->help != NULL);
    }
}

STK_TEST(words_become_enums_and_stay_words_in_files)
{
    static const struct {
        const char *key, *word;
        size_t      offset;
        int         value;
    } rows[] = {
#define WORD(section, member, word, value)                                                         \
    {#section "." #member, word, offsetof(stk_train_recipe, section.member), value}
        WORD(data, on_bad_sample, "skip", STK_ON_BAD_SKIP),
        WORD(data, cache, "none", STK_CACHE_NONE),
        WORD(data, cache, "disk", STK_CACHE_DISK),
        WORD(data, resident, "off", STK_RESIDENT_OFF),
        WORD(data, flip, "alternate", STK_FLIP_ALTERNATE),
        WORD(data, balance, "classes", STK_BALANCE_CLASSES),
        WORD(train, optimizer, "auto", STK_OPTIMIZER_AUTO),
        WORD(train, optimizer, "lamb", STK_OPTIMIZER_LAMB),
        WORD(train, decay, "even", STK_DECAY_EVEN),
        WORD(train, schedule, "one-cycle", STK_SCHEDULE_ONE_CYCLE),
        WORD(train, schedule, "plateau", STK_SCHEDULE_PLATEAU),
        WORD(train, loss, "focal", STK_LOSS_FOCAL),
        WORD(train, precision, "fp32", STK_PRECISION_FP32),
        WORD(train, precision, "fp16", STK_PRECISION_FP16),
        WORD(train, tta, "mirror-shift", STK_TTA_MIRROR_SHIFT),
        WORD(knobs, augment, "device", STK_AUGMENT_DEVICE),
        WORD(knobs, decode, "gpu", STK_DECODE_GPU),
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        stk_train_recipe recipe;
        stk_error        err;
        stk_blob         text;
        char             line[64];
        stk_train_recipe_init(&recipe);
        EXPECT_OK(stk_train_recipe_set(&recipe, rows[i].key, rows[i].word, "test", &err));
        EXPECT_INT_EQ(rows[i].value,
                      *(const int *)(const void *)((char *)&recipe + rows[i].offset));
        EXPECT_STR_EQ(rows[i].word, stk_train_recipe_word(&recipe, rows[i].key));
        stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_train_recipe_print(&recipe, &text, &err));
        EXPECT_OK(stk_blob_append(&text, "", 1, &err));
        snprintf(line, sizeof line, "  %s: \"%s\"\n", strchr(rows[i].key, '.') + 1, rows[i].word);
        EXPECT_CONTAINS(line, (const char *)text.data);
        stk_blob_release(&text);
    }
    stk_train_recipe recipe;
    stk_train_recipe_init(&recipe);
    EXPECT(!stk_train_recipe_word(&recipe, "data.batch"));
    EXPECT(!stk_train_recipe_word(&recipe, "data.bach"));
    EXPECT_INT_EQ(STK_DTYPE_F16, stk_precision_dtype(STK_PRECISION_FP16));
    EXPECT_INT_EQ(STK_DTYPE_BF16, stk_precision_dtype(STK_PRECISION_BF16));
    EXPECT_INT_EQ(STK_DTYPE_F32, stk_precision_dtype(STK_PRECISION_TF32));
}

/* The kinds by name are in the order of their enums, which the rows' words have. */
STK_TEST(optimizers_and_schedules_are_all_words_of_a_recipe)
{
    stk_train_recipe recipe;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    size_t i = 0;
    for (; stk_optimizer_kind_at(i); i++) {
        const char *name = stk_optimizer_kind_at(i)->name;
        EXPECT_OK(stk_train_recipe_set(&recipe, "train.optimizer", name, "test", &err));
        EXPECT_INT_EQ(i + 1, recipe.train.optimizer);
    }
    EXPECT_INT_EQ(STK_OPTIMIZER_LAMB, i);
    for (i = 0; stk_schedule_kind_at(i); i++)
        EXPECT_OK(stk_train_recipe_set(&recipe, "train.schedule", stk_schedule_kind_at(i)->name,
                                       "test", &err));
    EXPECT_INT_EQ(STK_SCHEDULE_PLATEAU, i);
}

/* Names of files may be any bytes; YAML has UTF-8 without most control characters. */
STK_TEST(paths_that_are_not_utf8_are_printed_and_load_as_the_same)
{
    static const char *const paths[] = {"/ph\xe9tos/x", "/a\x80\xff",    "/del\x7f",
                                        "/c1\xc2\x85",  "/\xef\xbf\xbe", "/\xc3\xa9t\xc3\xa9",
                                        "/tab\t\"q\\"};
    stk_error                err;
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        stk_train_recipe recipe, again;
        stk_blob         text;
        stk_train_recipe_init(&recipe);
        stk_train_recipe_init(&again);
        stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
        EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", paths[i], "test", &err));
        EXPECT_OK(stk_train_recipe_print(&recipe, &text, &err));
        EXPECT_OK(stk_train_recipe_parse(&again, stk_blob_bytes(&text), "recipe.yaml", &err));
        EXPECT_STR_EQ(paths[i], again.data.path);
        stk_blob_release(&text);
    }
    stk_train_recipe recipe;
    EXPECT_STATUS(STK_E_FORMAT, load(&recipe, "data:\n  path: !!binary \"Zg\"\n", &err));
    EXPECT_STATUS(STK_E_FORMAT, load(&recipe, "data:\n  path: !!binary \"AAAA\"\n", &err));
    EXPECT_STATUS(STK_E_FORMAT, load(&recipe, "data:\n  path: !!str x\n", &err));
}
