/* A trained model: images to probabilities. */
#include "train/tasks/predictor.h"
#include "train/checkpoint/checkpoint.h"
#include "train/saved/finite_weights.h"
#include "train/tasks/class_match.h"
#include "train/tasks/model_source.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>
#include <stoker/dataset_sources.h>
#include <stoker/functions.h>
#include <stoker/model_file.h>
#include <stoker/presets.h>
#include <string.h>

struct stk_predictor {
    stk_train_recipe recipe;
    stk_session     *session;
    stk_class_list   classes;
    float           *logits;
    uint8_t         *rows; /* of a pending batch */
    int64_t         *labels, waiting;
    char             weights[STK_TRAIN_PATH + 64];
    char             note[STK_WEIGHTS_NOTE];
};

/* A model trained in 16 bits on a GPU runs anywhere: in float32, which is more precise, if the
 * device lacks the type. */
static void choose_precision(stk_predictor *p)
{
    stk_error   unasked;
    stk_device *device = stk_session_device(p->session);
    stk_dtype   dtype = stk_precision_dtype(p->recipe.train.precision);
    if (stk_device_computes_in(device, dtype, &unasked))
        p->recipe.train.precision = STK_PRECISION_FP32;
}

static stk_status open_session(stk_predictor *p, const stk_predictor_options *o, stk_error *err)
{
    stk_train_recipe *r = &p->recipe;
    r->data.eval_batch = o->batch > 0 ? o->batch : 32;
    if (o->backend) snprintf(r->knobs.backend, sizeof r->knobs.backend, "%s", o->backend);
    if (o->tta) STK_TRY(stk_train_recipe_set(r, "train.tta", o->tta, "tta", err));
    r->knobs.threads = o->threads;
    STK_TRY(stk_session_open(&p->session, r, false, o->cancel, err));
    choose_precision(p);
    return stk_session_ready_evaluate(p->session, r->data.size, err);
}

static stk_status load(stk_predictor *p, const char *path, const stk_predictor_options *o,
                       stk_error *err)
{
    stk_model_source from;
    int              left_out = 0;
    stk_status       st = stk_model_source_find(&from, path, o, err);
    p->recipe = from.recipe;
    p->classes = from.classes;
    memcpy(p->weights, from.weights, sizeof p->weights);
    memcpy(p->note, from.note, sizeof p->note);
    if (!st) st = open_session(p, o, err);
    if (!st)
        st = stk_weights_load(NULL, from.weights, stk_session_variables(p->session), false,
                              &left_out, err);
    if (!st) st = stk_variables_check_finite(stk_session_variables(p->session), from.weights, err);
    STK_TRY(st);
    p->logits = calloc((size_t)(p->recipe.data.eval_batch * p->recipe.model.classes) + 1,
                       sizeof *p->logits);
    return p->logits ? STK_OK : stk_fail(err, STK_E_NOMEM, "model", path, "no memory");
}

stk_status stk_predictor_open(stk_predictor **out, const char *path,
                              const stk_predictor_options *options, stk_error *err)
{
    static const stk_predictor_options defaults = {0};
    *out = NULL;
    stk_predictor *p = calloc(1, sizeof *p);
    if (!p) return stk_fail(err, STK_E_NOMEM, "model", path, "no memory");
    stk_status st = load(p, path, options ? options : &defaults, err);
    if (st) {
        stk_predictor_free(p);
        return st;
    }
    *out = p;
    return STK_OK;
}

void stk_predictor_free(stk_predictor *predictor)
{
    if (!predictor) return;
    stk_session_free(predictor->session);
    stk_class_list_release(&predictor->classes);
    free(predictor->logits);
    free(predictor->rows);
    free(predictor->labels);
    free(predictor);
}

int64_t stk_predictor_classes(const stk_predictor *predictor)
{
    return predictor->recipe.model.classes;
}

const char *stk_predictor_class_name(const stk_predictor *predictor, int64_t index)
{
    return index >= 0 && index < predictor->classes.count ? predictor->classes.names[index] : "?";
}

int64_t stk_predictor_find_class(const stk_predictor *predictor, const char *name)
{
    return stk_class_find(predictor->classes.names, predictor->classes.count, name);
}

char *const *stk_predictor_names(const stk_predictor *predictor, int64_t *count)
{
    *count = predictor->classes.count;
    return predictor->classes.names;
}

const stk_train_recipe *stk_predictor_recipe(const stk_predictor *predictor)
{
    return &predictor->recipe;
}

const char *stk_predictor_weights(const stk_predictor *predictor)
{
    return predictor->weights;
}

const char *stk_predictor_note(const stk_predictor *predictor)
{
    return predictor->note;
}

/* Runs the preset's evaluation chain on one image, by the same pipeline as in training. */
static stk_status prepare(const stk_predictor *p, stk_bytes encoded, stk_element **out,
                          stk_error *err)
{
    const stk_preset_options options = {.evaluate = true, .size = (int)p->recipe.data.size};
    const stk_preset        *preset = stk_preset_find(p->recipe.data.preset);
    stk_dataset             *data = NULL;
    stk_element             *element;
    static const char *const names[] = {"image"};
    stk_function            *rename;
    STK_TRY(stk_element_new(&element, 1, err));
    stk_value_view(stk_element_edit(element, 0), encoded, NULL);
    stk_status st = stk_dataset_tensors(&data, element, err);
    stk_element_unref(element);
    if (!st) st = stk_function_rename(&rename, names, 1, err);
    if (!st) {
        st = stk_dataset_map(&data, rename, NULL, err);
        stk_function_unref(rename);
    }
    if (!st) st = stk_dataset_preset(&data, preset, &options, err);
    const stk_iterator_options one = {.threads = 1, .no_autotune = true};
    if (!st) st = stk_dataset_single(data, out, &one, err);
    stk_dataset_unref(data);
    return st;
}

void stk_predictor_softmax(const float *logits, int64_t count, float *out)
{
    float  largest = logits[0];
    double sum = 0;
    for (int64_t i = 1; i < count; i++)
        if (logits[i] > largest) largest = logits[i];
    for (int64_t i = 0; i < count; i++)
        sum += exp((double)(logits[i] - largest));
    for (int64_t i = 0; i < count; i++)
        out[i] = (float)(exp((double)(logits[i] - largest)) / sum);
}

/* Allocates bytes bytes for each image of a batch. */
static stk_status make_rows(stk_predictor *p, size_t bytes, stk_error *err)
{
    const size_t rows = (size_t)p->recipe.data.eval_batch;
    if (p->rows) return STK_OK;
    p->rows = calloc(rows, bytes);
    p->labels = calloc(rows, sizeof *p->labels);
    if (!p->rows || !p->labels)
        return stk_fail(err, STK_E_NOMEM, "predict", NULL, "no memory for %zu images", rows);
    for (size_t i = 0; i < rows; i++)
        p->labels[i] = -1; /* the label is unknown */
    return STK_OK;
}

static stk_status keep(stk_predictor *p, const stk_element *element, stk_error *err)
{
    const stk_value *image = stk_element_value(element, 0);
    const size_t     bytes = (size_t)stk_value_elements(image);
    STK_TRY(make_rows(p, bytes, err));
    memcpy(p->rows + (size_t)p->waiting * bytes, stk_value_data(image), bytes);
    p->waiting++;
    return STK_OK;
}

stk_status stk_predictor_add(stk_predictor *predictor, stk_bytes encoded, const char *name,
                             stk_error *err)
{
    stk_element *element = NULL;
    stk_error    why;
    if (predictor->waiting == predictor->recipe.data.eval_batch)
        return stk_fail(err, STK_E_LIMIT, "predict", name, "%lld images wait already",
                        (long long)predictor->waiting);
    stk_status st = prepare(predictor, encoded, &element, &why);
    if (st) return stk_fail(err, st, why.component, name, "%s", why.message);
    st = keep(predictor, element, err);
    stk_element_unref(element);
    return st;
}

int64_t stk_predictor_waiting(const stk_predictor *predictor)
{
    return predictor->waiting;
}

/* Finite weights can still give non-finite results. */
static stk_status check_row(const stk_predictor *p, const float *probabilities, stk_error *err)
{
    for (int64_t i = 0; i < p->recipe.model.classes; i++)
        if (!isfinite(probabilities[i]))
            return stk_fail(err, STK_E_RANGE, "predict", p->weights,
                            "what the model computes for an image is not finite: it is broken");
    return STK_OK;
}

stk_status stk_predictor_run(stk_predictor *predictor, float *probabilities, stk_error *err)
{
    const int64_t          classes = predictor->recipe.model.classes, rows = predictor->waiting;
    const stk_loader_batch batch = {rows, predictor->rows, predictor->labels, NULL};
    predictor->waiting = 0;
    if (!rows) return STK_OK;
    STK_TRY(stk_session_evaluate(predictor->session, &batch, predictor->recipe.data.size,
                                 predictor->logits, err));
    for (int64_t i = 0; i < rows; i++) {
        stk_predictor_softmax(predictor->logits + i * classes, classes,
                              probabilities + i * classes);
        STK_TRY(check_row(predictor, probabilities + i * classes, err));
    }
    return STK_OK;
}

stk_status stk_predictor_image(stk_predictor *predictor, stk_bytes encoded, const char *name,
                               float *probabilities, stk_error *err)
{
    if (predictor->waiting)
        return stk_fail(err, STK_E_INVALID, "predict", name, "%lld other images wait",
                        (long long)predictor->waiting);
    STK_TRY(stk_predictor_add(predictor, encoded, name, err));
    return stk_predictor_run(predictor, probabilities, err);
}

stk_session *stk_predictor_session(stk_predictor *predictor)
{
    return predictor->session;
}

float *stk_predictor_logits(stk_predictor *predictor)
{
    return predictor->logits;
}
