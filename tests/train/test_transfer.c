/* Learning that begins with weights: frozen parts, rates, heads of other classes, what is refused.
 */
#include "train/class_folders.h"
#include "train/saved/pretrained.h"
#include "train/tiny_data.h"
#include <string.h>
#include <unistd.h>

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
                                    "1",
                                    NULL};

/* The settings of small and then more. */
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

typedef struct heard {
    char text[2048];
} heard;

static void hear(void *context, const char *line)
{
    heard *h = context;
    size_t used = strlen(h->text);
    snprintf(h->text + used, sizeof h->text - used, "%s\n", line);
}

static stk_status run(const stk_train_recipe *recipe, const stk_train_data *data, bool resume,
                      heard *h, stk_train_result *result, stk_error *err)
{
    const stk_trainer_options options = {
        .resume = resume, .log = h ? hear : NULL, .log_context = h};
    stk_trainer *trainer;
    STK_TRY(stk_trainer_open(&trainer, recipe, data, &options, err));
    stk_status st = stk_trainer_run(trainer, result, err);
    stk_trainer_free(trainer);
    return st;
}

/* Trains; returns the path of the last weights. */
static const char *train(const char *path, const char *folder, const char *const *more, heard *h,
                         stk_train_result *result)
{
    static char      files[32][600];
    static int       used;
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_train_result unasked;
    stk_error        err;
    recipe_of(&recipe, &data, path, folder, more);
    EXPECT_OK(run(&recipe, &data, false, h, result ? result : &unasked, &err));
    stk_train_data_release(&data);
    snprintf(files[used % 32], sizeof files[0], "%s/final.safetensors", recipe.output.folder);
    return files[used++ % 32];
}

static const wave_class even[] = {
    {"east", 0, 48, 16}, {"north", 4, 48, 16}, {"rise", 2, 48, 16}, {"fall", 6, 48, 16}};
static const wave_class odd[] = {
    {"a", 1, 12, 40}, {"b", 3, 12, 40}, {"c", 5, 12, 40}, {"d", 7, 12, 40}};

/* A run on the even directions; made once. */
static const char *teacher(void)
{
    static const char *weights;
    if (!weights)
        weights = train(wave_folders("even", even, COUNT_OF(even), 70), "teacher",
                        (const char *const[]){"train.epochs", "12", NULL}, NULL, NULL);
    return weights;
}

static const char *pupils(void)
{
    static const char *path;
    if (!path) path = wave_folders("odd", odd, COUNT_OF(odd), 70);
    return path;
}

STK_TEST(fine_tuning_is_better_than_from_scratch_after_the_same_steps)
{
    stk_train_result  scratch, tuned, frozen;
    heard             h = {""};
    const char *const steps[] = {"train.steps", "12", "train.epochs", "4", NULL};
    const char *const from[] = {
        "train.steps", "12", "train.epochs", "4", "model.weights", teacher(), "train.learning_rate",
        "0.002",       NULL};
    const char *const head[] = {"train.steps", "12",           "train.epochs", "4", "model.weights",
                                teacher(),     "train.freeze", "backbone",     NULL};
    train(pupils(), "scratch", steps, NULL, &scratch);
    train(pupils(), "tuned", from, &h, &tuned);
    train(pupils(), "probe", head, NULL, &frozen);
    EXPECT(tuned.last.validation_accuracy > scratch.last.validation_accuracy + 0.1);
    EXPECT(frozen.last.validation_accuracy > scratch.last.validation_accuracy + 0.1);
    EXPECT_CONTAINS("none of the data's 4 classes is among the file's 4 (east, ...); the last "
                    "layer begins anew",
                    h.text);
}

/* All tensors of a file of weights. */
typedef struct model_file {
    stk_safetensors *file;
} model_file;

static model_file open_model(const char *path)
{
    model_file m;
    stk_error  err;
    EXPECT_OK(stk_safetensors_open(&m.file, NULL, path, NULL, &err));
    return m;
}

/* Lent until the next eight calls. */
static const float *tensor_of(const model_file *m, const char *name, size_t *count)
{
    static float                  rooms[8][20000];
    static int                    used;
    float                        *capacity = rooms[used++ % 8];
    const stk_safetensors_tensor *t = stk_safetensors_find(m->file, name);
    stk_error                     err;
    EXPECT(t && t->bytes <= sizeof rooms[0]);
    EXPECT_OK(stk_safetensors_read(m->file, t, capacity, &err));
    *count = t->bytes / sizeof *capacity;
    return capacity;
}

static bool same_tensor(const model_file *a, const model_file *b, const char *name)
{
    size_t       count, other;
    const float *x = tensor_of(a, name, &count), *y = tensor_of(b, name, &other);
    return count == other && memcmp(x, y, count * sizeof *x) == 0;
}

static bool begins_with(const char *text, const char *part)
{
    return strncmp(text, part, strlen(part)) == 0;
}

/* The tensors that begin with part are those of the teacher, bit by bit, all others are not. */
static void expect_frozen(const char *after, const char *part)
{
    model_file a = open_model(teacher()), b = open_model(after);
    for (size_t i = 0; i < stk_safetensors_count(a.file); i++) {
        const char *name = stk_safetensors_at(a.file, i)->name;
        if (begins_with(name, "fc.")) continue;
        if (same_tensor(&a, &b, name) != begins_with(name, part)) fail_msg("%s: %s", part, name);
    }
    stk_safetensors_free(a.file);
    stk_safetensors_free(b.file);
}

STK_TEST(what_is_frozen_keeps_its_bits_and_its_statistics)
{
    expect_frozen(train(pupils(), "freeze-all",
                        (const char *const[]){"model.weights", teacher(), "train.freeze",
                                              "backbone", "train.epochs", "2", NULL},
                        NULL, NULL),
                  "features.");
    heard h = {""};
    expect_frozen(train(pupils(), "freeze-first",
                        (const char *const[]){"model.weights", teacher(), "train.freeze",
                                              "features.0", "train.epochs", "2", NULL},
                        &h, NULL),
                  "features.0.");
    EXPECT_CONTAINS("parameters (features.0) stay as they are", h.text);
    expect_frozen(
        train(pupils(), "freeze-much",
              (const char *const[]){"model.weights", teacher(), "train.freeze",
                                    "features.0.0,*.0.1", "train.epochs", "2", "train.ema", "0.9",
                                    "train.accumulate", "2", "train.lookahead", "2",
                                    "train.optimizer", "adamw", "data.mixup", "0.2", NULL},
              NULL, NULL),
        "features.0.");
}

STK_TEST(so_it_does_on_the_reference)
{
    expect_frozen(
        train(pupils(), "freeze-ref",
              (const char *const[]){"model.weights", teacher(), "train.freeze", "features.0",
                                    "train.steps", "2", "knobs.backend", "ref", NULL},
              NULL, NULL),
        "features.0.");
}

/* How often what stands in a step's program after all passes. */
static int count_in_plan(const char *const *more, const char *what)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_blob         text;
    stk_error        err;
    int              count = 0;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    recipe_of(&recipe, &data, pupils(), "plan", more);
    EXPECT_OK(stk_train_explain(&recipe, &data, &text, &err));
    EXPECT_OK(stk_blob_append(&text, "", 1, &err));
    const char *at = strstr((const char *)text.data, "== schedule");
    EXPECT(at != NULL);
    *strstr(at, "== layout") = 0;
    while ((at = strstr(at, what)))
        at++, count++;
    stk_train_data_release(&data);
    stk_blob_release(&text);
    return count;
}

STK_TEST(no_gradient_of_what_is_frozen_is_computed)
{
    const char *const all[] = {"model.weights", teacher(), "train.freeze", "backbone", NULL};
    const char *const first[] = {"model.weights", teacher(), "train.freeze", "features.0", NULL};
    EXPECT_INT_EQ(3, count_in_plan(NULL, "= conv2d_grad_weight("));
    EXPECT_INT_EQ(2, count_in_plan(first, "= conv2d_grad_weight("));
    EXPECT_INT_EQ(0, count_in_plan(all, "= conv2d_grad"));
    EXPECT_INT_EQ(0, count_in_plan(all, "= bn_grad"));
    EXPECT_INT_EQ(0, count_in_plan(all, "= bn_stats"));
}

/* One step of plain descent from the teacher: what each tensor moved by. */
static void expect_half_the_way(const char *whole, const char *half, const char *name, double share)
{
    model_file   from = open_model(teacher()), a = open_model(whole), b = open_model(half);
    size_t       count;
    double       one = 0, other = 0;
    const float *x = tensor_of(&from, name, &count);
    const float *y = tensor_of(&a, name, &count), *z = tensor_of(&b, name, &count);
    for (size_t i = 0; i < count; i++) {
        one += fabs((double)y[i] - (double)x[i]);
        other += fabs((double)z[i] - (double)x[i]);
    }
    if (!(one > 0) || fabs(other / one - share) > 0.01)
        fail_msg("%s moved by %g and %g; the share should be %g", name, one, other, share);
    stk_safetensors_free(from.file);
    stk_safetensors_free(a.file);
    stk_safetensors_free(b.file);
}

STK_TEST(the_backbone_has_a_rate_of_its_own)
{
    const char *one[] = {"model.weights",
                         teacher(),
                         "train.steps",
                         "1",
                         "train.optimizer",
                         "sgd",
                         "train.schedule",
                         "constant",
                         "train.weight_decay",
                         "0",
                         "train.backbone_rate",
                         "1",
                         "train.learning_rate",
                         "0.01",
                         NULL};
    /* The same classes, so that the head begins as it was. */
    const char *even_path = wave_folders("even", even, COUNT_OF(even), 70);
    const char *whole = train(even_path, "rate-1", one, NULL, NULL);
    one[11] = "0.25";
    const char *quarter = train(even_path, "rate-4", one, NULL, NULL);
    expect_half_the_way(whole, quarter, "features.0.0.weight", 0.25);
    expect_half_the_way(whole, quarter, "features.2.1.bias", 0.25);
    expect_half_the_way(whole, quarter, "fc.weight", 1);
}

/* Row i of the head of a run without a step is row rows[i] of the teacher's, or anew. */
static void expect_rows(const char *after, const int *rows, size_t count)
{
    model_file   a = open_model(teacher()), b = open_model(after);
    size_t       before, now;
    const float *x = tensor_of(&a, "fc.weight", &before), *y = tensor_of(&b, "fc.weight", &now);
    const float *p = tensor_of(&a, "fc.bias", &before), *q = tensor_of(&b, "fc.bias", &now);
    EXPECT_INT_EQ(count, now);
    tensor_of(&a, "fc.weight", &before);
    const size_t width = before / COUNT_OF(even);
    for (size_t i = 0; i < count; i++) {
        bool same = false;
        for (size_t r = 0; r < COUNT_OF(even); r++) {
            same = memcmp(y + i * width, x + r * width, width * sizeof *x) == 0 && q[i] == p[r];
            if (same != ((int)r == rows[i])) fail_msg("row %zu, of the teacher %zu", i, r);
        }
    }
    stk_safetensors_free(a.file);
    stk_safetensors_free(b.file);
}

STK_TEST(rows_of_the_last_layer_are_found_by_the_names_of_classes)
{
    static const wave_class mixed[] = {
        {"a", 1, 4, 2}, {"fall", 6, 4, 2}, {"north", 4, 4, 2}, {"z", 3, 4, 2}, {"zz", 5, 4, 2}};
    const char *const still[] = {"model.weights",       teacher(), "train.steps", "1",
                                 "train.learning_rate", "0",       NULL};
    heard             h = {""};
    /* Of the teacher in the order of names: east, fall, north, rise. */
    expect_rows(train(wave_folders("mixed", mixed, COUNT_OF(mixed), 20), "rows", still, &h, NULL),
                (const int[]){-1, 1, 2, -1, -1}, 5);
    EXPECT_CONTAINS("2 of 5 classes are in the file by name and keep their rows of the last layer; "
                    "anew begin: a, z, zz",
                    h.text);
    h = (heard){""};
    expect_rows(train(wave_folders("even", even, COUNT_OF(even), 70), "all-rows", still, &h, NULL),
                (const int[]){0, 1, 2, 3}, 4);
    EXPECT_CONTAINS("all 4 classes are in the file by name; the last layer is kept", h.text);
}

/* The tensors of a file alone, as torchvision's have them; returns the new file's path. */
static const char *strip(const char *path, const char *name)
{
    enum { MOST = 64 };
    static float         rooms[MOST][80000];
    stk_safetensors_item items[MOST];
    model_file           m = open_model(path);
    const size_t         count = stk_safetensors_count(m.file);
    const char          *to = stk_test_path(name);
    stk_error            err;
    EXPECT(count <= MOST);
    for (size_t i = 0; i < count; i++) {
        const stk_safetensors_tensor *t = stk_safetensors_at(m.file, i);
        EXPECT(t->bytes <= sizeof rooms[0]);
        EXPECT_OK(stk_safetensors_read(m.file, t, rooms[i], &err));
        items[i] = (stk_safetensors_item){t->name, t->dtype, t->shape, rooms[i]};
    }
    EXPECT_OK(stk_safetensors_save(NULL, to, items, count, NULL, 0, NULL, &err));
    stk_safetensors_free(m.file);
    return to;
}

STK_TEST(a_file_without_names_keeps_its_last_layer_for_as_many_classes)
{
    heard             h = {""};
    const char *const still[] = {"model.weights",
                                 strip(teacher(), "alone.safetensors"),
                                 "train.steps",
                                 "1",
                                 "train.learning_rate",
                                 "0",
                                 NULL};
    expect_rows(train(pupils(), "alone", still, &h, NULL), (const int[]){0, 1, 2, 3}, 4);
    EXPECT_CONTAINS("the file does not name its classes; it has as many as the data (4)", h.text);
    static const wave_class two[] = {{"a", 1, 8, 2}, {"b", 3, 8, 2}};
    h = (heard){""};
    expect_rows(train(wave_folders("two", two, 2, 20), "fewer", still, &h, NULL),
                (const int[]){-1, -1}, 2);
    EXPECT_CONTAINS(
        "the file has another number of classes than the data's 2; the last layer begins "
        "anew",
        h.text);
}

STK_TEST(a_run_is_as_good_as_a_file_and_says_what_it_is)
{
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_error        err;
    char             folder[600];
    stk_blob         reasons;
    snprintf(folder, sizeof folder, "%s", teacher());
    *strrchr(folder, '/') = 0;
    stk_train_recipe_init(&recipe);
    stk_blob_init(&reasons, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", pupils(), "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.weights", folder, "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "knobs.backend", "cpu", "test", &err));
    EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
    EXPECT_OK(stk_train_resolve(&recipe, &data, &reasons, &err));
    EXPECT_OK(stk_blob_append(&reasons, "", 1, &err));
    EXPECT_CONTAINS("/best.safetensors", recipe.model.weights);
    EXPECT_STR_EQ("cnn", recipe.model.name);
    EXPECT(recipe.model.width == 0.25);
    EXPECT_INT_EQ(16, recipe.data.size);
    EXPECT_INT_EQ(STK_SCHEDULE_COSINE, recipe.train.schedule);
    EXPECT(recipe.train.warmup_epochs == 0.1 * recipe.train.epochs);
    EXPECT(recipe.train.epochs == 15);
    EXPECT_CONTAINS("epochs 15: a quarter of the usual 60", (const char *)reasons.data);
    EXPECT_CONTAINS("the usual one, for the last layer", (const char *)reasons.data);
    EXPECT_CONTAINS("backbone rate 0.3: times that for all other layers",
                    (const char *)reasons.data);
    EXPECT(recipe.train.backbone_rate == 0.3);
    EXPECT_CONTAINS("model cnn: the weights are its", (const char *)reasons.data);
    EXPECT_CONTAINS("warm-up 1.5 epochs", (const char *)reasons.data);
    stk_train_data_release(&data);
    stk_blob_release(&reasons);
}

STK_TEST(a_file_that_says_nothing_is_known_by_its_tensors)
{
    static const char *const whole[] = {"model.width", "1", "train.steps", "1", NULL};
    const char *copy = strip(train(pupils(), "whole", whole, NULL, NULL), "tensors.safetensors");
    stk_train_recipe recipe;
    stk_train_data   data;
    stk_blob         reasons;
    stk_error        err;
    stk_train_recipe_init(&recipe);
    stk_blob_init(&reasons, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(stk_train_recipe_set(&recipe, "data.path", pupils(), "test", &err));
    EXPECT_OK(stk_train_recipe_set(&recipe, "model.weights", copy, "test", &err));
    EXPECT_OK(stk_train_data_read(&data, &recipe, &err));
    EXPECT_OK(stk_train_resolve(&recipe, &data, &reasons, &err));
    EXPECT_OK(stk_blob_append(&reasons, "", 1, &err));
    EXPECT_STR_EQ("cnn", recipe.model.name);
    EXPECT_CONTAINS("model cnn: the weights have its tensors", (const char *)reasons.data);
    stk_train_data_release(&data);
    stk_blob_release(&reasons);
}

/* Finding weights and reading what is said of them, with every allocation failing in turn. */
static stk_status find_weights(void *context, stk_error *err)
{
    stk_pretrained p;
    STK_TRY(stk_pretrained_find(&p, context, err));
    stk_pretrained_release(&p);
    return STK_OK;
}

STK_TEST(finding_weights_survives_every_failed_allocation)
{
    char folder[600];
    snprintf(folder, sizeof folder, "%s", teacher());
    *strrchr(folder, '/') = 0;
    stk_test_fail_each_allocation(find_weights, folder);
}

static stk_status settle_with(const char *const *settings, stk_train_recipe *recipe,
                              const char *folder, stk_error *err)
{
    stk_train_data data;
    stk_train_recipe_init(recipe);
    STK_TRY(stk_train_recipe_set(recipe, "data.path", pupils(), "test", err));
    STK_TRY(stk_train_recipe_set(recipe, "knobs.backend", "cpu", "test", err));
    STK_TRY(stk_train_recipe_set(recipe, "output.folder", stk_test_path(folder), "test", err));
    for (const char *const *s = settings; *s; s += 2)
        STK_TRY(stk_train_recipe_set(recipe, s[0], s[1], "test", err));
    STK_TRY(stk_train_data_read(&data, recipe, err));
    stk_status       st = stk_train_resolve(recipe, &data, NULL, err);
    stk_train_result unasked;
    if (!st) st = run(recipe, &data, false, NULL, &unasked, err);
    stk_train_data_release(&data);
    return st;
}

STK_TEST(what_is_said_wins_over_the_defaults_of_fine_tuning)
{
    stk_train_recipe  r;
    stk_error         err;
    const char *const said[] = {"model.weights",
                                teacher(),
                                "train.epochs",
                                "1",
                                "train.schedule",
                                "step",
                                "train.learning_rate",
                                "0.3",
                                "data.batch",
                                "8",
                                "train.warmup_epochs",
                                "0",
                                "train.steps",
                                "1",
                                NULL};
    EXPECT_OK(settle_with(said, &r, "said", &err));
    EXPECT(r.train.epochs == 1 && r.train.learning_rate == 0.3 && r.train.warmup_epochs == 0);
    EXPECT(r.train.backbone_rate == 1);
    EXPECT_INT_EQ(STK_SCHEDULE_STEP, r.train.schedule);
}

STK_TEST(what_cannot_be_is_refused_with_names)
{
    static const uint8_t zip[] = "PK\3\4\24\0\0\0\0\0resnet18/data.pkl and more of it",
                         old[] = "\x80\2\x8a\n\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19.";
    const char *pth = stk_test_path("resnet18.pth"), *tar = stk_test_path("old.pth.tar");
    const char *nowhere = stk_test_path("nowhere");
    stk_test_write_file(pth, zip, sizeof zip);
    stk_test_write_file(tar, old, sizeof old);
    const struct {
        const char *settings[7], *message;
    } cases[] = {
        {{"model.weights", pth, NULL}, "a PyTorch file (a pickle), not safetensors"},
        {{"model.weights", pth, NULL},
         "Convert it: python3 -c \"import torch,safetensors.torch as s; "
         "s.save_file(torch.load('A.pth',weights_only=True),"},
        {{"model.weights", tar, NULL}, "a PyTorch file (a pickle), not safetensors"},
        {{"model.weights", nowhere, NULL}, "there is no such file or folder"},
        {{"model.weights", stk_test_folder(), NULL}, "neither best.safetensors nor"},
        {{"train.freeze", "backbone", NULL}, "none are named; give --weights FILE or a run"},
        {{"train.backbone_rate", "0.1", NULL}, "none are named; give --weights FILE or a run"},
        {{"model.weights", teacher(), "train.freeze", "layer1", NULL},
         "cnn has no layer \"layer1\"; it has: features, fc"},
        {{"model.weights", teacher(), "train.freeze", "features,fc", NULL},
         "is all of cnn, so nothing is left to learn"},
        {{"model.weights", teacher(), "model.width", "0.5", "model.name", "cnn", NULL},
         "tensor 'features.0.0.weight' is float32[8,1,3,3] in the file but float32[16,1,3,3] in "
         "the model"},
        {{"model.weights", teacher(), "model.name", "lenet", NULL},
         "the model has 'conv1.weight' as float32[32,1,5,5] but the file has no such tensor"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        stk_train_recipe r;
        stk_error        err;
        if (!settle_with(cases[i].settings, &r, "refused", &err))
            fail_msg("case %zu was not refused", i);
        EXPECT_CONTAINS(cases[i].message, err.message);
        EXPECT(access(stk_test_path("refused"), F_OK) != 0); /* no folder is left of it */
    }
}

static void stop_late(void *context, const stk_train_progress *p)
{
    if (p->step == 2) stk_cancel_request(context);
}

STK_TEST(a_run_goes_on_without_the_weights_it_began_with)
{
    stk_train_recipe   recipe;
    stk_train_data     data;
    stk_train_result   result;
    stk_error          err;
    stk_cancel         cancel = {0};
    const stk_callback stop = {.name = "stop", .on_step = stop_late, .context = &cancel};
    const char        *copy = stk_test_path("going.safetensors");
    stk_bytes          bytes = stk_test_read_file(teacher());
    stk_test_write_file(copy, bytes.data, bytes.size);
    const char *const more[] = {"model.weights",
                                copy,
                                "train.freeze",
                                "features.0",
                                "train.backbone_rate",
                                "0.5",
                                "train.ema",
                                "0.9",
                                "train.epochs",
                                "2",
                                NULL};
    stk_bytes         whole = stk_test_read_file(train(pupils(), "going-whole", more, NULL, NULL));
    recipe_of(&recipe, &data, pupils(), "going-parts", more);
    const stk_trainer_options options = {
        .cancel = &cancel, .callbacks = &stop, .callback_count = 1};
    stk_trainer *trainer;
    EXPECT_OK(stk_trainer_open(&trainer, &recipe, &data, &options, &err));
    EXPECT_OK(stk_trainer_run(trainer, &result, &err));
    EXPECT(result.interrupted);
    stk_trainer_free(trainer);
    EXPECT_INT_EQ(0, unlink(copy));
    EXPECT_OK(stk_train_resolve(&recipe, &data, NULL, &err)); /* as --resume does */
    EXPECT_OK(run(&recipe, &data, true, NULL, &result, &err));
    char file[600];
    snprintf(file, sizeof file, "%s/final.safetensors", recipe.output.folder);
    stk_bytes parts = stk_test_read_file(file);
    EXPECT_INT_EQ(whole.size, parts.size);
    EXPECT_MEM_EQ(whole.data, parts.data, whole.size);
    stk_train_data_release(&data);
}
