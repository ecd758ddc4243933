/* Class weights: by frequency, as a list, or by name. */
#include "train/input/class_weights.h"
#include "base/decimal.h"
#include "base/suggest.h"
#include "train/input/class_labels.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char key[] = "train.class_weights";

static stk_status balance(const stk_train_data *data, float *weights, stk_error *err)
{
    int64_t present = 0;
    if (!data->labels)
        return stk_fail(err, STK_E_INVALID, "recipe", key,
                        "balanced needs the labels of the data, which were not read");
    int64_t *counts = stk_train_count_labels(data);
    if (!counts) return stk_fail(err, STK_E_NOMEM, "recipe", key, "no memory for classes");
    for (int64_t c = 0; c < data->classes; c++)
        present += counts[c] > 0;
    for (int64_t c = 0; c < data->classes; c++)
        if (counts[c])
            weights[c] = (float)((double)data->train_count / ((double)present * (double)counts[c]));
    free(counts);
    return STK_OK;
}

static stk_status read_weight(const char *text, float *out, stk_error *err)
{
    const char  *end;
    const double value = stk_decimal_read(text, &end);
    *out = (float)value;
    if (end != text && !*end && value >= 0 && isfinite(value)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", key,
                    "\"%.60s\" is no weight; it is a number from 0 on, such as 0.5", text);
}

static stk_status find_class(const stk_train_data *data, const char *name, int64_t *out,
                             stk_error *err)
{
    stk_suggest near = {.wanted = name};
    char        hint[96];
    for (*out = 0; data->class_names && *out < data->classes; ++*out) {
        if (strcmp(data->class_names[*out], name) == 0) return STK_OK;
        stk_suggest_offer(&near, data->class_names[*out]);
    }
    return stk_fail(err, STK_E_INVALID, "recipe", key, "there is no class \"%.60s\"%s", name,
                    data->class_names ? stk_suggest_text(&near, hint, sizeof hint)
                                      : ": the data does not name its classes; give a list");
}

/* Parses "cat=2,dog=0.5" or "1,2,0.5". A name may contain an equals sign. */
static stk_status read_list(const stk_train_recipe *recipe, const stk_train_data *data,
                            float *weights, stk_error *err)
{
    char    list[STK_TRAIN_LIST], *rest = list, *item;
    int64_t numbers = 0, named = 0;
    snprintf(list, sizeof list, "%s", recipe->train.class_weights);
    while ((item = strsep(&rest, ","))) {
        char   *equals = strrchr(item, '=');
        int64_t at = numbers;
        item += strspn(item, " ");
        if (equals) {
            *equals = 0;
            STK_TRY(find_class(data, item, &at, err));
            named++;
        } else if (++numbers > recipe->model.classes) {
            break;
        }
        STK_TRY(read_weight(equals ? equals + 1 : item, &weights[at], err));
    }
    if (!numbers || (!named && numbers == recipe->model.classes)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", key,
                    "it has %s%lld weights, but there are %lld classes; give one for each, in the "
                    "order of classes.txt, or some by name (cat=2,dog=0.5)",
                    numbers > recipe->model.classes ? "more than " : "",
                    (long long)(numbers > recipe->model.classes ? recipe->model.classes : numbers),
                    (long long)recipe->model.classes);
}

static stk_status check_some(const float *weights, int64_t classes, stk_error *err)
{
    for (int64_t c = 0; c < classes; c++)
        if (weights[c] > 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", key, "all weights are 0: nothing would count");
}

stk_status stk_class_weights(const stk_train_recipe *recipe, const stk_train_data *data,
                             float **out, stk_error *err)
{
    const int64_t classes = recipe->model.classes;
    const char   *text = recipe->train.class_weights;
    *out = NULL;
    if (!*text || strcmp(text, "none") == 0) return STK_OK;
    float *weights = calloc((size_t)classes + 1, sizeof *weights);
    if (!weights) return stk_fail(err, STK_E_NOMEM, "recipe", key, "no memory for classes");
    for (int64_t c = 0; c < classes; c++)
        weights[c] = 1;
    stk_status st = strcmp(text, "balanced") == 0 ? balance(data, weights, err)
                                                  : read_list(recipe, data, weights, err);
    if (!st) st = check_some(weights, classes, err);
    if (st) {
        free(weights);
        return st;
    }
    *out = weights;
    return STK_OK;
}
