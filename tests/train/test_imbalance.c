/* Rare classes: drawn as often as others, counting as much as others, or by how sure the network
 * is.
 */
#include "train/class_folders.h"
#include "train/input/class_labels.h"
#include "train/input/class_weights.h"
#include "train/input/input_plan.h"
#include "train/input/loader.h"
#include "train/input/resident.h"
#include "train/tiny_data.h"
#include <stdlib.h>
#include <string.h>

/* What is rare lies between what is not. */
static const wave_class uneven[] = {
    {"far", 0, 150, 50}, {"near", 4, 90, 50}, {"rare", 2, 10, 50}, {"seldom", 6, 12, 50}};

/* An epoch has 66 of each class. */
enum { CLASSES = COUNT_OF(uneven), IMAGES = 150 + 90 + 10 + 12, EACH = 66, EPOCH = 4 * EACH };

static const char *folders(void)
{
    static const char *path;
    if (!path) path = wave_folders("uneven", uneven, CLASSES, 90);
    return path;
}

/* The same as a pack, shuffled. */
static const char *pack(void)
{
    static const char *path;
    stk_source        *source;
    stk_error          err;
    if (path) return path;
    const char *to = stk_test_path("uneven-pack");
    EXPECT_OK(stk_source_open(&source, NULL, folders(), NULL, &err));
    EXPECT_OK(
        stk_pack(source, to, &(stk_pack_options){.shard_bytes = 20000, .seed = 3}, NULL, &err));
    stk_source_free(source);
    return path = to;
}

static const char *const small[] = {"model.name",
                                    "cnn",
                                    "model.width",
                                    "0.25",
                                    "knobs.backend",
                                    "cpu",
                                    "data.validation",
                                    "val",
                                    "knobs.threads",
                                    "1",
                                    "output.tensorboard",
                                    "false",
                                    "knobs.input_threads",
                                    "2",
                                    NULL};

static void recipe_of(stk_train_recipe *recipe, stk_train_data *data, const char *path,
                      const char *folder, const char *const *more)
{
    const char *all[64];
    size_t      count = 0;
    for (const char *const *s = small; *s; s++)
        all[count++] = *s;
    for (const char *const *s = more; s && *s; s++)
        all[count++] = *s;
    all[count] = NULL;
    tiny_recipe(recipe, data, path, stk_test_path(folder), all);
}

static void stop_at(void *context, const stk_train_progress *p)
{
    if (p->step == 7) stk_cancel_request(context);
}

/* Trains, with one stop and a way on where stops; gives the last weights. */
static stk_bytes train(const char *path, const char *folder, const char *const *more, bool stops,
                       stk_train_result *result)
{
    stk_train_recipe   recipe;
    stk_train_data     data;
    stk_error          err;
    stk_cancel         cancel = {0};
    char               file[600];
    const stk_callback stop = {.name = "stop", .on_step = stop_at, .context = &cancel};
    recipe_of(&recipe, &data, path, folder, more);
    for (int part = !stops; part < 2; part++) {
        stk_trainer_options options = {.resume = stops && part,
                                       .cancel = part ? NULL : &cancel,
                                       .callbacks = &stop,
                                       .callback_count = part ? 0 : 1};
        stk_trainer        *trainer;
        EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, &options, &err));
        EXPECT_OK(stk_trainer_run(trainer, result, &err));
        EXPECT_INT_EQ(!part, result->interrupted);
        stk_trainer_free(trainer);
    }
    stk_train_data_release(&data);
    snprintf(file, sizeof file, "%s/final.safetensors", recipe.output.folder);
    return stk_test_read_file(file);
}

/* Classes have equally many images to evaluate on: the accuracy is the balanced one. */
STK_TEST(rare_classes_are_learnt_where_they_are_made_up_for)
{
    stk_train_result  plain, drawn, weighed, both;
    const char *const epochs[] = {"train.epochs", "10", NULL};
    const char *const balance[] = {"train.epochs", "10", "data.balance", "classes", NULL};
    const char *const weights[] = {"train.epochs", "10", "train.class_weights", "balanced", NULL};
    const char *const focal[] = {
        "train.epochs", "10", "train.class_weights", "balanced", "train.loss", "focal", NULL};
    train(folders(), "plain", epochs, false, &plain);
    train(folders(), "drawn", balance, false, &drawn);
    train(folders(), "weighed", weights, false, &weighed);
    train(folders(), "focal", focal, false, &both);
    EXPECT(drawn.last.validation_accuracy > plain.last.validation_accuracy + 0.1);
    EXPECT(weighed.last.validation_accuracy > plain.last.validation_accuracy + 0.1);
    EXPECT(both.last.validation_accuracy > plain.last.validation_accuracy + 0.1);
}

/* Batches of the recipe's feed; counts what comes of each class in the first so many. */
static void count_drawn(const char *path, const char *const *more, int64_t epochs,
                        int64_t counts[CLASSES])
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_loader      *loader;
    stk_loader_batch batch;
    stk_error        err;
    recipe_of(&recipe, &data, path, "unused", more);
    const stk_loader_options options = {
        .recipe = &recipe, .data = &data, .size = recipe.data.size, .seed = 7};
    EXPECT_OK(stk_loader_open(&loader, &options, &err));
    memset(counts, 0, CLASSES * sizeof *counts);
    for (int64_t i = 0; i < epochs * EPOCH / recipe.data.batch; i++) {
        EXPECT_OK(stk_loader_next(loader, &batch, &err));
        for (int64_t row = 0; row < batch.rows; row++)
            counts[((const int64_t *)batch.labels)[row]]++;
    }
    stk_loader_free(loader);
    stk_train_data_release(&data);
}

STK_TEST(an_epoch_has_equally_many_of_each_class)
{
    const char *const on[] = {"data.balance", "classes", "data.batch", "8", NULL};
    int64_t           counts[CLASSES];
    const char       *paths[] = {folders(), pack()};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        count_drawn(paths[i], on, 3, counts);
        for (int c = 0; c < CLASSES; c++)
            EXPECT_INT_EQ(3 * EACH, counts[c]);
    }
}

/* A pack's labels are those of its records, in their order: else balance would draw others. */
STK_TEST(labels_are_read_from_packs_and_parts_that_are_held_back)
{
    static const char *const parts[] = {"val", "0.25"};
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const char *const on[] = {"data.balance", "classes", "data.validation", parts[i], NULL};
        stk_train_recipe  recipe;
        stk_train_data    listed, read;
        int64_t           counts[2][CLASSES] = {{0}};
        recipe_of(&recipe, &listed, folders(), "unused", on);
        recipe_of(&recipe, &read, pack(), "unused", on);
        EXPECT_INT_EQ(listed.train_count, read.train_count);
        EXPECT_INT_EQ(i ? IMAGES - IMAGES / 4 : IMAGES, listed.train_count);
        for (int64_t k = 0; k < listed.train_count; k++) {
            counts[0][listed.labels[k]]++;
            counts[1][read.labels[k]]++;
        }
        for (int c = 0; c < CLASSES && !i; c++)
            EXPECT_INT_EQ(uneven[c].train, counts[0][c]);
        for (int c = 0; c < CLASSES && !i; c++)
            EXPECT_INT_EQ(uneven[c].train, counts[1][c]);
        stk_train_data_release(&listed);
        stk_train_data_release(&read);
    }
}

/* With all that the loss and the draws go together with, on 1 and 3 threads, in one piece and two.
 */
static void expect_the_same(const char *path, const char *name, const char *const *settings)
{
    stk_bytes        found[3];
    stk_train_result result;
    const char      *all[40];
    size_t           count = 0;
    for (const char *const *s = settings; *s; s++)
        all[count++] = *s;
    all[count++] = "knobs.input_threads";
    all[count++] = "1";
    all[count] = NULL;
    for (int i = 0; i < 3; i++) {
        char folder[64];
        snprintf(folder, sizeof folder, "%s-%d", name, i);
        all[count - 1] = i ? "3" : "1";
        found[i] = train(path, folder, all, i == 2, &result);
        EXPECT_INT_EQ(found[0].size, found[i].size);
        EXPECT_MEM_EQ(found[0].data, found[i].data, found[0].size);
    }
}

STK_TEST(runs_with_balanced_draws_end_with_the_same_bits)
{
    const char *const plain[] = {"data.balance", "classes", "train.epochs", "1", NULL};
    const char *const much[] = {"data.balance",
                                "classes",
                                "train.epochs",
                                "2",
                                "data.mixup",
                                "0.2",
                                "train.class_weights",
                                "rare=2,seldom=1.5",
                                "train.loss",
                                "focal",
                                "train.label_smoothing",
                                "0.1",
                                "train.accumulate",
                                "2",
                                "train.ema",
                                "0.9",
                                "train.lookahead",
                                "2",
                                "progressive.sample_from",
                                "0.5",
                                "train.deterministic",
                                "true",
                                NULL};
    expect_the_same(folders(), "same-folder", plain);
    expect_the_same(pack(), "same-pack", plain);
    expect_the_same(folders(), "same-much", much);
}

/* Where images stay on the device they are drawn by the same rule; no two of an epoch look alike.
 */
STK_TEST(resident_images_are_balanced_too)
{
    const char *const on[] = {
        "data.balance", "classes", "data.resident", "on", "data.batch", "8", "knobs.backend",
        "ref",          NULL};
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_resident    *resident;
    stk_loader      *loader;
    stk_loader_batch batch;
    stk_error        err;
    int64_t          counts[CLASSES] = {0};
    recipe_of(&recipe, &data, folders(), "unused", on);
    stk_loader_options options = {
        .recipe = &recipe, .data = &data, .size = recipe.data.size, .seed = 7};
    EXPECT_OK(stk_resident_load(&resident, &options, &err));
    options.resident = resident;
    EXPECT_OK(stk_loader_open(&loader, &options, &err));
    stk_edit rare[EACH];
    for (int64_t i = 0, found = 0; i < EPOCH / 8; i++) {
        EXPECT_OK(stk_loader_next(loader, &batch, &err));
        for (int64_t row = 0; row < batch.rows; row++) {
            const int64_t label = ((const int64_t *)batch.labels)[row];
            EXPECT_INT_EQ(resident->labels[batch.edits[row].source], label);
            if (label == 2) rare[found++] = batch.edits[row];
            counts[label]++;
        }
    }
    int alike = 0;
    for (int c = 0; c < CLASSES; c++)
        EXPECT_INT_EQ(EACH, counts[c]);
    for (int i = 1; i < EACH; i++)
        alike += rare[i].source == rare[0].source && memcmp(&rare[i], &rare[0], sizeof *rare) == 0;
    EXPECT(alike < 5); /* of six or seven of the same image */
    stk_loader_free(loader);
    stk_resident_free(resident);
    stk_train_data_release(&data);
}

/* What is evaluated is the plain loss, whatever is trained with. */
STK_TEST(evaluation_is_not_weighed)
{
    stk_train_result  plain, weighed;
    const char *const still[] = {"train.steps", "1", "train.epochs", "0.01", "train.learning_rate",
                                 "0",           NULL};
    const char *const uneven_[] = {"train.steps",
                                   "1",
                                   "train.epochs",
                                   "0.01",
                                   "train.learning_rate",
                                   "0",
                                   "train.class_weights",
                                   "1,2,30,0.5",
                                   "train.loss",
                                   "focal",
                                   NULL};
    train(folders(), "evaluate-plain", still, false, &plain);
    train(folders(), "evaluate-weighed", uneven_, false, &weighed);
    EXPECT(plain.last.validation_loss > 0.1);
    EXPECT(plain.last.validation_loss == weighed.last.validation_loss);
    EXPECT(plain.last.loss != weighed.last.loss);
}

static stk_status weights_of(const char *text, float *out, stk_error *err)
{
    static char         *names[] = {"far", "near", "rare", "seldom"};
    int64_t              labels[] = {0, 0, 0, 0, 1, 1, 3, 0};
    const stk_train_data data = {
        .classes = 4, .class_names = names, .train_count = 8, .labels = labels};
    stk_train_recipe recipe;
    float           *weights;
    stk_train_recipe_init(&recipe);
    recipe.model.classes = 4;
    STK_TRY(stk_train_recipe_set(&recipe, "train.class_weights", text, "test", err));
    STK_TRY(stk_class_weights(&recipe, &data, &weights, err));
    for (int i = 0; i < 4; i++)
        out[i] = weights ? weights[i] : -1;
    free(weights);
    return STK_OK;
}

STK_TEST(weights_are_balanced_listed_or_named)
{
    static const struct {
        const char *text;
        float       weights[4];
    } cases[] = {
        {"none", {-1, -1, -1, -1}},
        {"balanced", {8 / 15.f, 8 / 6.f, 1, 8 / 3.f}}, /* images / (3 classes * its own) */
        {"1,2,0.5,0", {1, 2, 0.5f, 0}},
        {"rare=3", {1, 1, 3, 1}},
        {"seldom=0.25,far=7", {7, 1, 1, 0.25f}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        float     found[4];
        stk_error err;
        EXPECT_OK(weights_of(cases[i].text, found, &err));
        for (int c = 0; c < 4; c++)
            assert_float_equal(cases[i].weights[c], found[c], 1e-6);
    }
}

STK_TEST(weights_that_make_no_sense_are_refused)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1,2", "it has 2 weights, but there are 4 classes"},
        {"1,2,3,4,5", "it has more than 4 weights"},
        {"raer=2", "there is no class \"raer\"; did you mean rare?"},
        {"rare=much", "\"much\" is no weight"},
        {"1,-2,3,4", "\"-2\" is no weight"},
        {"0,0,0,0", "all weights are 0"},
        {"rare=2,1", "it has 1 weights"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        float     found[4];
        stk_error err;
        EXPECT_STATUS(STK_E_INVALID, weights_of(cases[i].text, found, &err));
        EXPECT_STR_EQ("train.class_weights", err.where);
        EXPECT_CONTAINS(cases[i].message, err.message);
    }
}

STK_TEST(what_was_decided_about_classes_is_said)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_blob         reasons;
    stk_error        err;
    stk_blob_init(&reasons, NULL, STK_MEMORY_OUTPUT);
    recipe_of(
        &recipe, &data, folders(), "said",
        (const char *const[]){"data.balance", "classes", "train.class_weights", "balanced", NULL});
    EXPECT_OK(stk_train_resolve(&recipe, &data, &reasons, &err));
    EXPECT_OK(stk_blob_append(&reasons, "", 1, &err));
    EXPECT_CONTAINS(
        "balance classes: an epoch has 66 of each of 4 classes, 264 in all; an image of "
        "rare (10) comes 6.6 times in it, one of far (150) 0.44 times",
        (const char *)reasons.data);
    EXPECT_CONTAINS("class weights balanced: from 0.437 (far) to 6.55 (rare)",
                    (const char *)reasons.data);
    EXPECT_CONTAINS("WARNING: data.balance and train.class_weights: balanced both",
                    (const char *)reasons.data);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.pipeline", "own.yaml", "test", &err));
    EXPECT_STATUS(STK_E_UNSUPPORTED, stk_train_resolve(&recipe, &data, NULL, &err));
    EXPECT_CONTAINS("data.pipeline has an order of its own", err.message);
    stk_train_data_release(&data);
    stk_blob_release(&reasons);
}

typedef struct looked {
    stk_train_recipe recipe;
    stk_train_data   data;
} looked;

static stk_status read_and_balance(void *context, stk_error *err)
{
    looked                  *l = context;
    const stk_loader_options options = {
        .recipe = &l->recipe, .data = &l->data, .size = l->recipe.data.size, .seed = 7};
    stk_loader_values values;
    stk_dataset      *dataset;
    STK_TRY(stk_train_read_labels(&l->data, &l->recipe, err));
    const stk_status st = stk_loader_describe(&options, &dataset, &values, err);
    stk_dataset_unref(dataset);
    free(l->data.labels);
    l->data.labels = NULL;
    return st;
}

STK_TEST(labels_survive_every_failed_allocation)
{
    static const wave_class few[] = {{"a", 0, 3, 1}, {"b", 4, 2, 1}};
    static looked           l;
    recipe_of(&l.recipe, &l.data, wave_folders("few", few, 2, 10), "unused",
              (const char *const[]){"data.balance", "classes", "data.batch", "2", NULL});
    free(l.data.labels);
    l.data.labels = NULL;
    stk_test_fail_each_allocation(read_and_balance, &l);
    stk_train_data_release(&l.data);
}
