/* What a recipe leaves open is decided here, by rules of thumb that are written down with their
 * reasons: the same data gives the same decisions. */
#include "base/limits.h"
#include "storage/file/split_name.h"
#include "train/class_weights.h"
#include "train/data/cache_choice.h"
#include "train/data/labels.h"
#include "train/data/mixture.h"
#include "train/data/resident.h"
#include "train/loop/phases.h"
#include "train/model_recipe.h"
#include "train/pretrained.h"
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/presets.h>
#include <stoker/program.h>
#include <stoker/schedule.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SMALL_SIDE = 40 };

static const double TUNING_RATE_SMALL = 0.3, TUNING_RATE_LARGE = 0.1, TUNING_WARM_UP = 0.1;

typedef struct settling {
    stk_train_recipe       *recipe;
    const stk_train_data   *data;
    stk_blob               *reasons;
    const stk_preset       *preset;
    const stk_model_recipe *own;   /* the model's; NULL: it has none */
    bool                    tunes; /* what weights have learnt already */
} settling;

static stk_status say(settling *s, stk_error *err, const char *format, ...) STK_PRINTF(3, 4);

static stk_status say(settling *s, stk_error *err, const char *format, ...)
{
    char    line[512];
    va_list args;
    if (!s->reasons) return STK_OK;
    va_start(args, format);
    int length = vsnprintf(line, sizeof line - 1, format, args);
    va_end(args);
    if (length > (int)sizeof line - 2) length = sizeof line - 2;
    line[length++] = '\n';
    return stk_blob_append(s->reasons, line, (size_t)length, err);
}

static void put(char *field, const char *text)
{
    snprintf(field, STK_TRAIN_TEXT, "%s", text);
}

static int64_t largest_side(const stk_train_data *data)
{
    return data->width > data->height ? data->width : data->height;
}

static stk_status warn_of_rare_class(settling *s, stk_error *err)
{
    const stk_train_data *d = s->data;
    const char           *name = d->class_names ? d->class_names[d->rare_class] : "?";
    char                  others[64] = "";
    if (d->rare_count < 0 || d->rare_count >= STK_TRAIN_FEW) return STK_OK;
    if (d->rare_classes > 1)
        snprintf(others, sizeof others, "; so it is with %lld more",
                 (long long)d->rare_classes - 1);
    if (!d->rare_count)
        return say(s, err,
                   "WARNING: class %s has no picture in %s, so it cannot be learnt (names that "
                   "differ in one letter or its case are different classes)%s",
                   name, d->train_split, others);
    return say(s, err, "WARNING: class %s has %lld picture%s, so it can hardly be learnt%s", name,
               (long long)d->rare_count, d->rare_count == 1 ? "" : "s", others);
}

static stk_status warn_of_splits(settling *s, stk_error *err)
{
    const stk_train_data *d = s->data;
    const stk_split_role  role = stk_split_role_of(d->train_split, strlen(d->train_split));
    if (!*s->recipe->data.split && (role == STK_SPLIT_VALIDATION || role == STK_SPLIT_TEST))
        STK_TRY(say(s, err,
                    "WARNING: no split is there to learn from, such as train, so %s is learnt from",
                    d->train_split));
    if (!*d->unused_splits) return STK_OK;
    return say(s, err, "WARNING: of the data this is not used: split %s", d->unused_splits);
}

/* Written down, so that the run says for ever what it was chosen by, and goes on with the same. */
static stk_status settle_splits(settling *s, stk_error *err)
{
    stk_train_recipe     *r = s->recipe;
    const stk_train_data *d = s->data;
    const bool            decide = !*r->data.validation;
    STK_TRY(warn_of_splits(s, err));
    if (*d->train_split) put(r->data.split, d->train_split);
    if (d->validation_share > 0 && decide)
        snprintf(r->data.validation, sizeof r->data.validation, "%g", d->validation_share);
    else if (!(d->validation_share > 0))
        put(r->data.validation, *d->validation_split ? d->validation_split : "none");
    if (!decide) return STK_OK;
    if (d->validation_share > 0)
        return say(s, err,
                   "validation: one of %.0f pictures of %s is held back, since no split is there "
                   "for it; data.validation says otherwise",
                   1 / d->validation_share, d->train_split);
    if (!d->validation_count)
        return say(s, err, "validation none: %lld pictures are too few to hold some back",
                   (long long)d->train_count);
    return say(s, err, "validation %s: the best model is chosen by it", d->validation_split);
}

static stk_status choose_preset(settling *s, stk_error *err)
{
    const stk_train_data *d = s->data;
    char                  looked[64] = "pictures";
    if (d->survey.looked)
        snprintf(looked, sizeof looked, "most of the %lld pictures looked at",
                 (long long)d->survey.looked);
    put(s->recipe->data.preset, largest_side(d) > SMALL_SIDE ? "imagenet"
                                : d->channels == 1           ? "fashion"
                                                             : "cifar");
    return say(s, err, "preset %s: %s are about %lldx%lld, %s", s->recipe->data.preset, looked,
               (long long)d->width, (long long)d->height, d->channels == 1 ? "grey" : "in colour");
}

/* Small pictures as they are; photos at the preset's size, but smaller ones are not blown up to it:
 * that would cost time and show no more. */
static int64_t choose_size(const settling *s)
{
    enum { STEP = 32 };
    enum { LONGEST = 3 }; /* that the preset for photos leaves as it is */
    const stk_train_data *d = s->data;
    const int64_t         side = largest_side(d);
    const double          squeezed = sqrt((double)(d->width * d->height) / LONGEST);
    int64_t               shorter = d->width < d->height ? d->width : d->height;
    if (shorter * LONGEST < side) shorter = (int64_t)squeezed;
    if (side <= 0) return s->preset->size;
    if (s->preset->size <= SMALL_SIDE)
        return side <= SMALL_SIDE && d->width == d->height ? side : s->preset->size;
    const int64_t near = (shorter + STEP / 2) / STEP * STEP;
    return near < STEP ? STEP : near < s->preset->size ? near : s->preset->size;
}

static stk_status settle_preset(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (!*r->data.preset) STK_TRY(choose_preset(s, err));
    s->preset = stk_preset_find(r->data.preset);
    if (!s->preset)
        return stk_fail(err, STK_E_INVALID, "recipe", "data.preset",
                        "there is no preset \"%s\"; there are imagenet, cifar, cifar-shift and "
                        "fashion",
                        r->data.preset);
    if (r->data.size > 0) return STK_OK;
    r->data.size = choose_size(s);
    return say(s, err, "size %lld: %s", (long long)r->data.size,
               r->data.size == s->preset->size ? "the preset's" : "about as the pictures are");
}

/* What is open of the model and its pictures is as the weights were trained. width has no auto: 1
 * is what nobody said. */
static stk_status settle_like(settling *s, const stk_pretrained *p, stk_error *err)
{
    stk_train_recipe       *r = s->recipe;
    const stk_train_recipe *from = &p->recipe;
    if (!p->has_recipe && p->model && !*r->model.name) {
        put(r->model.name, p->model);
        return say(s, err, "model %s: the weights have its tensors", r->model.name);
    }
    if (!p->has_recipe) return STK_OK;
    if (!*r->model.name && *from->model.name) {
        put(r->model.name, from->model.name);
        if (r->model.width == 1) r->model.width = from->model.width;
        STK_TRY(say(s, err, "model %s: the weights are its", r->model.name));
    }
    if (strcmp(r->model.name, from->model.name) != 0) return STK_OK;
    if (!*r->data.preset && *from->data.preset) {
        put(r->data.preset, from->data.preset);
        STK_TRY(say(s, err, "preset %s: the weights were trained with it", r->data.preset));
    }
    if (r->data.size > 0 || from->data.size <= 0) return STK_OK;
    r->data.size = from->data.size;
    return say(s, err, "size %lld: the weights were trained with it", (long long)r->data.size);
}

static bool something_is_open(const stk_train_recipe *r)
{
    return !*r->model.name || !*r->data.preset || r->data.size < 0 || r->train.epochs < 0 ||
           r->train.learning_rate < 0 || !*r->train.schedule || r->train.warmup_epochs < 0;
}

/* Before all else: weights leave less to decide. A recipe that is settled asks nothing of the file,
 * which a run that goes on no longer needs. */
static stk_status settle_weights(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    stk_pretrained    p;
    if (!*r->model.weights &&
        (*r->train.freeze || (r->train.backbone_rate >= 0 && r->train.backbone_rate != 1)))
        return stk_fail(err, STK_E_INVALID, "recipe",
                        *r->train.freeze ? "train.freeze" : "train.backbone_rate",
                        "it is about what weights have learnt, and none are named; give "
                        "--weights FILE or a run (model.weights)");
    s->tunes = *r->model.weights;
    if (!s->tunes || !something_is_open(r)) return STK_OK;
    STK_TRY(stk_pretrained_find(&p, r->model.weights, err));
    snprintf(r->model.weights, sizeof r->model.weights, "%s", p.weights);
    const stk_status st = settle_like(s, &p, err);
    stk_pretrained_release(&p);
    return st;
}

/* First of all: it leaves less for the others to decide. */
static stk_status settle_own(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    s->own = stk_model_recipe_find(r->model.name);
    if (!s->own) return STK_OK;
    const bool own_epochs = r->train.epochs < 0 && s->tunes, own_way = !*r->train.schedule;
    STK_TRY(stk_model_recipe_apply(s->own, r, s->data, err));
    if (own_epochs) r->train.epochs = -1;
    if (own_way && s->tunes) put(r->train.schedule, "");
    return say(s, err, "model %s has a recipe of its own: %s", s->own->model, s->own->text);
}

static stk_status settle_model(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (!*r->model.name) {
        put(r->model.name, r->data.size > 64          ? "resnet18"
                           : s->preset->channels == 1 ? "cnn"
                                                      : "resnet20");
        STK_TRY(say(s, err, "model %s: the usual one for pictures of %lld pixels", r->model.name,
                    (long long)r->data.size));
    }
    if (r->model.classes < 0) r->model.classes = s->data->classes;
    if (r->model.classes >= s->data->classes) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", "model.classes",
                    "the model has %lld classes but the data %lld", (long long)r->model.classes,
                    (long long)s->data->classes);
}

/* A step should see many pictures, an epoch should have some steps. */
static stk_status settle_batch(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (r->data.batch < 0) {
        int64_t batch = r->data.size <= 64 ? 128 : 32;
        while (batch > 8 && s->data->train_count / batch < 8)
            batch /= 2;
        if (batch > s->data->train_count) batch = s->data->train_count;
        r->data.batch = batch;
        STK_TRY(say(s, err, "batch %lld: %lld pictures of %lld pixels", (long long)batch,
                    (long long)s->data->train_count, (long long)r->data.size));
    }
    if (r->data.batch > s->data->train_count)
        return stk_fail(err, STK_E_INVALID, "recipe", "data.batch",
                        "a batch of %lld is more than the %lld images there are to train on; give "
                        "--batch %lld or less, or leave it away",
                        (long long)r->data.batch, (long long)s->data->train_count,
                        (long long)s->data->train_count);
    if (r->data.eval_batch < 0) r->data.eval_batch = r->data.batch;
    return STK_OK;
}

/* What was learnt needs but to be turned to other classes: a quarter, 3 to 15 times. */
static stk_status settle_tuning_epochs(settling *s, double usual, stk_error *err)
{
    double epochs = floor(usual / 4 + 0.5);
    s->recipe->train.epochs = epochs < 3 ? 3 : epochs > 15 ? 15 : epochs;
    return say(s, err,
               "epochs %g: a quarter of the usual %g, since the weights have learnt already",
               s->recipe->train.epochs, usual);
}

/* About 600,000 small pictures, or 100,000 large ones, but every picture 5 to 60 times. */
static stk_status settle_epochs(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    if (r->train.epochs >= 0) return STK_OK;
    double sum = r->data.size <= 64 ? 600e3 : 100e3;
    double epochs = floor(sum / (double)(s->data->train_count + 1) + 0.5);
    r->train.epochs = epochs < 5 ? 5 : epochs > 60 ? 60 : epochs;
    if (s->tunes) return settle_tuning_epochs(s, r->train.epochs, err);
    return say(s, err, "epochs %g: %lld pictures", r->train.epochs,
               (long long)s->data->train_count);
}

static bool on_gpu(const stk_train_recipe *r)
{
    return strcmp(*r->knobs.backend ? r->knobs.backend : stk_backend_fastest(), "cuda") == 0;
}

/* A GPU multiplies 16 bits several times as fast, and with a loss scale that finds its own height
 * networks learn the same. */
static stk_status settle_precision(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    bool              decide = !*r->train.precision;
    if (decide) put(r->train.precision, on_gpu(r) ? "fp16" : "fp32");
    if (r->train.loss_scale < 0)
        r->train.loss_scale = strcmp(r->train.precision, "fp16") != 0 ? 0
                              : s->own                                ? s->own->loss_scale
                                                                      : 65536;
    if (!decide || !on_gpu(r)) return STK_OK;
    return say(s, err,
               "precision fp16: on a GPU; weights and sums stay float32, --precision fp32 "
               "keeps all in it");
}

static bool is_adaptive(const stk_train_recipe *r)
{
    return strcmp(r->train.optimizer, "adamw") == 0 || strcmp(r->train.optimizer, "lamb") == 0;
}

/* A new last layer learns at the usual rate; at that rate the first steps would undo what the rest
 * knows. 500 images of 5 classes of CIFAR-10 after 10,000 of 5 others: 55 % with all layers at a
 * tenth of the rate, 65 % with all but the last at a tenth, 67 % with these at 0.3. Networks for
 * large images saw more, and should change less. */
static stk_status settle_tuning_rate(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    const bool        frozen = strcmp(r->train.freeze, "backbone") == 0;
    STK_TRY(say(s, err, "learning rate %g: the usual one, %s", r->train.learning_rate,
                frozen ? "since only the last layer learns" : "for the last layer"));
    if (frozen || r->train.backbone_rate >= 0) return STK_OK;
    r->train.backbone_rate = r->data.size > 64 ? TUNING_RATE_LARGE : TUNING_RATE_SMALL;
    return say(s, err, "backbone rate %g: times that for all other layers, to keep what they know",
               r->train.backbone_rate);
}

/* What the model's recipe has is for a loss that is summed, and free of the momentum. */
static stk_status settle_own_rate(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    double            batch = (double)(r->data.batch * r->train.accumulate);
    bool              decide = r->train.learning_rate < 0 && r->train.momentum < 1;
    if (decide)
        r->train.learning_rate = s->own->rate * batch / 1024 / (1 + 1 / (1 - r->train.momentum));
    if (r->train.weight_decay < 0) r->train.weight_decay = s->own->decay / s->own->rate;
    if (!decide) return STK_OK;
    if (s->tunes) return settle_tuning_rate(s, err);
    return say(s, err, "learning rate %g: %g of %s's recipe for batch %g and momentum %g",
               r->train.learning_rate, s->own->rate, s->own->model, batch, r->train.momentum);
}

/* Linear in the batch up to where that stops to hold. A small network with batch norm learns
 * fastest with adamw at a large rate: 91.8 % of Fashion-MNIST after 6 epochs, against 91.1 to 91.5
 * % with nesterov. */
static stk_status settle_optimizer(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    bool small = strcmp(r->model.name, "cnn") == 0, vit = strncmp(r->model.name, "vit", 3) == 0;
    if (!*r->train.optimizer) put(r->train.optimizer, vit || small ? "adamw" : "nesterov");
    if (r->train.momentum < 0) r->train.momentum = 0.9;
    if (s->own && !is_adaptive(r)) STK_TRY(settle_own_rate(s, err));
    double share = (double)(r->data.batch * r->train.accumulate) / 128;
    if (share > 8) share = 8;
    if (r->train.learning_rate < 0) {
        r->train.learning_rate = is_adaptive(r)                            ? 1e-3 * sqrt(share)
                                 : strcmp(r->train.optimizer, "lars") == 0 ? 1.0 * share
                                                                           : 0.1 * share;
        STK_TRY(s->tunes
                    ? settle_tuning_rate(s, err)
                    : say(s, err,
                          "learning rate %g: %s with batch %lld; `stoker lr-find` measures it",
                          r->train.learning_rate, r->train.optimizer, (long long)r->data.batch));
    }
    if (r->train.weight_decay < 0) r->train.weight_decay = is_adaptive(r) ? 0.05 : 5e-4;
    if (!*r->train.decay) put(r->train.decay, "weights");
    return STK_OK;
}

/* That are trained: fewer than are said where train.steps ends before. */
static double whole_epochs(const settling *s)
{
    const stk_train_recipe *r = s->recipe;
    const double epoch = fmax(1, floor((double)s->data->train_count / (double)r->data.batch));
    return r->train.steps >= 0 ? fmin(r->train.epochs, (double)r->train.steps / epoch)
                               : r->train.epochs;
}

static stk_status settle_schedule(settling *s, stk_error *err)
{
    stk_train_recipe    *r = s->recipe;
    stk_schedule_options usual;
    if (!*r->train.schedule) put(r->train.schedule, s->tunes ? "cosine" : "one-cycle");
    STK_TRY(stk_schedule_defaults(&usual, r->train.schedule, err));
    if (r->train.rise < 0) r->train.rise = usual.rise;
    if (r->train.start_share < 0) r->train.start_share = usual.start_share;
    if (r->train.end_share < 0) r->train.end_share = usual.end_share;
    if (r->train.warmup_epochs < 0) {
        bool own = usual.rise > 0 || strcmp(r->train.schedule, "constant") == 0;
        r->train.warmup_epochs = own        ? 0
                                 : s->tunes ? TUNING_WARM_UP * whole_epochs(s)
                                            : 0.05 * whole_epochs(s);
        if (s->tunes && !own)
            return say(s, err,
                       "warm-up %g epochs: the first gradients of a new last layer are large",
                       r->train.warmup_epochs);
    }
    return STK_OK;
}

/* The names are looked at before a run folder is made for them. */
static stk_status check_passes(const settling *s, stk_error *err)
{
    unsigned bits;
    return stk_graph_passes_parse(s->recipe->knobs.passes_off, &bits, err);
}

static void settle_rest(settling *s)
{
    stk_train_recipe *r = s->recipe;
    if (r->train.backbone_rate < 0)
        r->train.backbone_rate = 1; /* a rate that was said is for all */
    if (r->train.label_smoothing < 0) r->train.label_smoothing = 0;
    if (r->train.lookahead < 0) r->train.lookahead = 0;
    if (r->train.eval_every < 0) r->train.eval_every = 1;
    if (!*r->train.tta) put(r->train.tta, "none");
}

static void settle_steps(settling *s)
{
    stk_train_recipe *r = s->recipe;
    int64_t           epoch = s->data->train_count / r->data.batch;
    if (epoch < 1) epoch = 1;
    if (r->train.steps < 0) r->train.steps = (int64_t)ceil(r->train.epochs * (double)epoch);
    if (r->output.log_every < 0) r->output.log_every = epoch < 50 ? 1 : epoch / 50;
}

/* Images that grow need a network that takes them, and epochs to grow in. */
static stk_status settle_progressive(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    stk_course        course;
    if (r->progressive.size_from >= 1) return STK_OK;
    STK_TRY(stk_course_make(&course, r, s->data, err));
    stk_status st = stk_course_check_model(&course, r, err);
    if (!st && course.count == 1)
        st =
            say(s, err, "WARNING: pictures do not grow: %lld epoch%s, and the last is at full size",
                (long long)course.epochs, course.epochs == 1 ? "" : "s");
    else if (!st && course.count)
        st = say(s, err, "progressive: pictures grow from %lld to %lld pixels in %zu phases",
                 (long long)course.phases[0].size, (long long)course.phases[course.count - 1].size,
                 course.count);
    stk_course_release(&course);
    return st;
}

/* The GPU computes: all cores prepare input, and the training thread helps when it waits. */
static stk_status settle_threads_beside(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    int64_t           cores = stk_limits_cores();
    if (r->knobs.input_threads < 0) r->knobs.input_threads = cores;
    if (r->knobs.threads < 0) r->knobs.threads = 1;
    return say(s, err, "threads: %lld prepare input", (long long)r->knobs.input_threads);
}

/* With two cores a thread of its own for input takes half of a core from compute whenever it runs:
 * preparing batches in between on the training thread is faster (docs/training.md has numbers). */
static stk_status settle_threads(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    int64_t           cores = stk_limits_cores();
    if (on_gpu(r)) return settle_threads_beside(s, err);
    if (r->knobs.input_threads < 0)
        r->knobs.input_threads = cores <= 2 ? 1 : cores / 8 > 1 ? cores / 8 + 1 : 2;
    if (r->knobs.threads < 0) {
        int64_t left = cores - (r->knobs.input_threads - 1);
        r->knobs.threads = left < 1 ? 1 : left;
    }
    return say(s, err, "threads: %lld compute, %lld more prepare input%s",
               (long long)r->knobs.threads, (long long)r->knobs.input_threads - 1,
               r->knobs.input_threads == 1
                   ? ": batches are prepared between steps on the training thread"
                   : "");
}

/* Alternating needs pictures that stay. Where that is not known yet, neither is the flip. */
static void settle_flip(settling *s)
{
    stk_train_recipe *r = s->recipe;
    const bool        known = *r->data.resident, on = strcmp(r->data.resident, "on") == 0;
    if (*r->data.flip || (s->own && s->own->alternates && !known)) return;
    put(r->data.flip, s->own && s->own->alternates && on ? "alternate" : "random");
}

/* Small data that is on the device needs no host: a step then takes a few numbers a picture. What
 * is left as auto is decided when the device is known and all pictures were seen. */
static stk_status settle_resident(settling *s, stk_error *err)
{
    enum { MOST = 2000000000 };
    stk_train_recipe *r = s->recipe;
    char              text[320];
    const bool        off = strcmp(r->data.resident, "off") == 0, decide = !*r->data.resident;
    const char       *obstacle = stk_resident_obstacle(r, text, sizeof text);
    const uint64_t    bytes = stk_resident_bytes(r, s->data);
    if (decide && (obstacle || !on_gpu(r) || bytes >= MOST)) put(r->data.resident, "off");
    if (decide && on_gpu(r))
        STK_TRY(say(s, err, "resident %s: %s (%.0f MB)", *r->data.resident ? "off" : "on",
                    obstacle        ? obstacle
                    : bytes >= MOST ? "pictures take too much of a GPU's memory"
                                    : "pictures are prepared on the GPU, where all of them stay",
                    (double)bytes / 1e6));
    if (!decide && !off && obstacle)
        return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "data.resident",
                        "pictures cannot be kept on the device: %s; set data.resident: off",
                        obstacle);
    settle_flip(s);
    if (strcmp(r->data.flip, "alternate") != 0 || strcmp(r->data.resident, "off") != 0)
        return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "data.flip",
                    "alternate needs pictures that are kept on the device; set data.resident: on");
}

/* Said here for people; a run decides anew, when it knows what stays on the device. */
static stk_status settle_cache(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    stk_cache_choice  choice;
    if (*r->data.cache_folder && strcmp(r->data.cache, "disk") != 0)
        return stk_fail(err, STK_E_INVALID, "recipe", "data.cache_folder",
                        "it is for data.cache: disk, but data.cache is %s",
                        *r->data.cache ? r->data.cache : "auto");
    STK_TRY(stk_cache_choose(r, s->data, false, &choice, err));
    return say(s, err, "cache: %s", choice.why);
}

/* The classes with the fewest and the most pictures of those there are. */
typedef struct extremes {
    int64_t least, most, present;
} extremes;

static extremes find_extremes(const stk_train_data *d, const int64_t *counts)
{
    extremes e = {-1, -1, 0};
    for (int64_t c = 0; c < d->classes; c++) {
        if (!counts[c]) continue;
        e.present++;
        if (e.least < 0 || counts[c] < counts[e.least]) e.least = c;
        if (e.most < 0 || counts[c] > counts[e.most]) e.most = c;
    }
    return e;
}

static const char *class_name(const stk_train_data *d, int64_t index)
{
    return d->class_names ? d->class_names[index] : "a class";
}

static stk_status say_balance(settling *s, const int64_t *counts, stk_error *err)
{
    const stk_train_data *d = s->data;
    const extremes        e = find_extremes(d, counts);
    const int64_t         each = (d->train_count + e.present - 1) / e.present;
    return say(s, err,
               "balance classes: an epoch has %lld of each of %lld classes, %lld in all; a picture "
               "of %s (%lld) comes %.3g times in it, one of %s (%lld) %.3g times",
               (long long)each, (long long)e.present, (long long)(each * e.present),
               class_name(d, e.least), (long long)counts[e.least],
               (double)each / (double)counts[e.least], class_name(d, e.most),
               (long long)counts[e.most], (double)each / (double)counts[e.most]);
}

static stk_status say_weights(settling *s, const float *weights, stk_error *err)
{
    int64_t least = 0, most = 0;
    for (int64_t c = 1; c < s->data->classes; c++) {
        if (weights[c] < weights[least]) least = c;
        if (weights[c] > weights[most]) most = c;
    }
    return say(s, err, "class weights %.20s: from %.3g (%s) to %.3g (%s)",
               s->recipe->train.class_weights, (double)weights[least], class_name(s->data, least),
               (double)weights[most], class_name(s->data, most));
}

static stk_status settle_weighing(settling *s, stk_error *err)
{
    float *weights;
    STK_TRY(stk_class_weights(s->recipe, s->data, &weights, err));
    const stk_status st = weights ? say_weights(s, weights, err) : STK_OK;
    free(weights);
    return st;
}

/* What rare classes count, and how often they come. */
static stk_status settle_balance(settling *s, stk_error *err)
{
    const stk_train_recipe *r = s->recipe;
    const bool              drawn = strcmp(r->data.balance, "classes") == 0;
    STK_TRY(settle_weighing(s, err));
    if (drawn && *r->data.pipeline)
        return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "data.balance",
                        "data.pipeline has an order of its own; put rejection_resample or "
                        "sample_from into it, or set train.class_weights: balanced");
    if (!drawn || !s->data->labels) return STK_OK;
    if (strcmp(r->train.class_weights, "balanced") == 0)
        STK_TRY(say(s, err,
                    "WARNING: data.balance and train.class_weights: balanced both make up for rare "
                    "classes, so these count twice; one of the two will do"));
    int64_t *counts = stk_train_count_labels(s->data);
    if (!counts) return stk_fail(err, STK_E_NOMEM, "recipe", "data.balance", "no memory");
    const stk_status st = say_balance(s, counts, err);
    free(counts);
    return st;
}

/* With two ways at once, MixUp comes before CutMix, which edits cannot say. */
static stk_status settle_augment(settling *s, stk_error *err)
{
    stk_train_recipe *r = s->recipe;
    const bool        both = r->data.mixup > 0 && r->data.cutmix > 0;
    if (!*r->knobs.augment) put(r->knobs.augment, on_gpu(r) && !both ? "device" : "host");
    if (!both || strcmp(r->knobs.augment, "host") == 0) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "recipe", "knobs.augment",
                    "MixUp and CutMix are both on, which the device cannot do; set knobs.augment: "
                    "host, or one of data.mixup and data.cutmix to 0");
}

/* runs/DATA-MODEL-1, -2, ...: the first that is free. */
static stk_status settle_folder(settling *s, stk_error *err)
{
    enum { TRIES = 100000 };
    stk_train_recipe *r = s->recipe;
    char              name[STK_TRAIN_TEXT];
    struct stat       unused;
    if (*r->output.folder) return STK_OK;
    size_t length = strlen(r->data.path);
    while (length > 1 && r->data.path[length - 1] == '/')
        length--;
    size_t begin = length;
    while (begin > 0 && r->data.path[begin - 1] != '/')
        begin--;
    snprintf(name, sizeof name, "%.*s", (int)(length - begin < 100 ? length - begin : 100),
             r->data.path + begin);
    for (int i = 1; i < TRIES; i++) {
        snprintf(r->output.folder, sizeof r->output.folder, "runs/%s-%s-%d", name, r->model.name,
                 i);
        if (stat(r->output.folder, &unused) != 0) return STK_OK;
    }
    return stk_fail(err, STK_E_EXISTS, "recipe", "output.folder",
                    "runs/ has no free name; set output.folder");
}

/* A run that goes on, or a model that is evaluated, may do so from another folder. */
static stk_status settle_path(char path[STK_TRAIN_PATH], stk_error *err)
{
    char here[STK_TRAIN_PATH], whole[2 * STK_TRAIN_PATH];
    if (!*path || *path == '/' || strstr(path, "://")) return STK_OK;
    if (!getcwd(here, sizeof here))
        return stk_fail_errno(err, errno, "recipe", path, "find the folder of");
    const int length = snprintf(whole, sizeof whole, "%s/%s", here, path);
    if (length >= STK_TRAIN_PATH)
        return stk_fail(err, STK_E_LIMIT, "recipe", path, "the whole path has %d bytes; at most %d",
                        length, STK_TRAIN_PATH - 1);
    memcpy(path, whole, (size_t)length + 1);
    return STK_OK;
}

/* Who decodes a picture is a matter of who is free. */
static stk_status check_decode(const stk_train_recipe *r, stk_error *err)
{
    const char *decode = r->knobs.decode;
    if (!*decode || strcmp(decode, "cpu") == 0) return STK_OK;
    if (r->train.deterministic)
        return stk_fail(err, STK_E_INVALID, "recipe", "knobs.decode",
                        "%s decodes pictures here or there, as it comes, and both differ by a few "
                        "levels: with train.deterministic only cpu will do",
                        decode);
    if (on_gpu(r)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", "knobs.decode",
                    "%s wants a GPU, and training is to be on %s: set knobs.decode: cpu, or "
                    "another backend",
                    decode, *r->knobs.backend ? r->knobs.backend : stk_backend_fastest());
}

stk_status stk_train_settle(stk_train_recipe *recipe, const stk_train_data *data, stk_blob *reasons,
                            stk_error *err)
{
    settling s = {.recipe = recipe, .data = data, .reasons = reasons};
    if (data->train_count < 1)
        return stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                        "there is nothing to train on");
    STK_TRY(check_decode(recipe, err));
    STK_TRY(settle_path(recipe->data.path, err));
    STK_TRY(settle_path(recipe->data.pipeline, err));
    STK_TRY(settle_path(recipe->model.weights, err));
    STK_TRY(settle_path(recipe->data.cache_folder, err));
    STK_TRY(warn_of_rare_class(&s, err));
    STK_TRY(settle_weights(&s, err));
    STK_TRY(settle_own(&s, err));
    STK_TRY(settle_splits(&s, err));
    STK_TRY(settle_preset(&s, err));
    STK_TRY(stk_mixture_warn(recipe, data, reasons, err));
    STK_TRY(settle_model(&s, err));
    STK_TRY(settle_batch(&s, err));
    STK_TRY(settle_epochs(&s, err));
    STK_TRY(settle_optimizer(&s, err));
    STK_TRY(settle_schedule(&s, err));
    settle_rest(&s);
    STK_TRY(check_passes(&s, err));
    STK_TRY(settle_precision(&s, err));
    settle_steps(&s);
    STK_TRY(settle_progressive(&s, err));
    STK_TRY(settle_threads(&s, err));
    STK_TRY(settle_resident(&s, err));
    STK_TRY(settle_cache(&s, err));
    STK_TRY(settle_augment(&s, err));
    STK_TRY(settle_balance(&s, err));
    return settle_folder(&s, err);
}
