/* bench_loss_sequence WEIGHTS STEPS RATE [SECTION.KEY=VALUE ...]: the losses of steps of training
 * that begin with the weights of a safetensors file, on images and labels that loss_sequence.py
 * makes by the same formula. Prints one a line. Without WEIGHTS it tells what it is for. */
#include "train/checkpoint/checkpoint.h"
#include "train/session/session.h"
#include <stdio.h>
#include <stdlib.h>
#include <stoker/train_resolve.h>
#include <string.h>

enum { BATCHES = 4, FIRST_KEY = 4 }; /* different ones, in turn */

/* The end of MurmurHash3: every bit of the number counts in every bit of the result. */
static uint8_t noise(uint32_t number)
{
    number = (number ^ number >> 16) * 0x85ebca6bu;
    number = (number ^ number >> 13) * 0xc2b2ae35u;
    return (uint8_t)((number ^ number >> 16) >> 24);
}

static void fill(const stk_train_recipe *r, int64_t step, uint8_t *images, int64_t *labels)
{
    const int64_t bytes = r->data.size * r->data.size * 3, first = step % BATCHES * r->data.batch;
    for (int64_t i = 0; i < r->data.batch; i++) {
        const uint32_t image = (uint32_t)(first + i);
        labels[i] = image * 7919u % (uint32_t)r->model.classes;
        for (int64_t k = 0; k < bytes; k++)
            images[i * bytes + k] = noise(image * 0x9e3779b9u + (uint32_t)k);
    }
}

static stk_status settle(stk_train_recipe *recipe, int count, char **keys, stk_error *err)
{
    const stk_model *model;
    stk_train_recipe_init(recipe);
    for (int i = 0; i < count; i++) {
        char *equals = strchr(keys[i], '=');
        if (!equals)
            return stk_fail(err, STK_E_INVALID, "losses", keys[i], "is not SECTION.KEY=VALUE");
        *equals = 0;
        STK_TRY(stk_train_recipe_set(recipe, keys[i], equals + 1, keys[i], err));
    }
    STK_TRY(stk_model_find(&model, recipe->model.name, err));
    if (recipe->data.size < 0) recipe->data.size = model->size;
    recipe->knobs.input_threads = 1;
    const stk_train_data data = {.classes = recipe->model.classes > 0 ? recipe->model.classes
                                                                      : model->classes,
                                 .train_count = 1 << 20,
                                 .width = recipe->data.size,
                                 .height = recipe->data.size,
                                 .channels = 3};
    return stk_train_resolve(recipe, &data, NULL, err);
}

static stk_status train(stk_session *session, const stk_train_recipe *r, const char *weights,
                        int64_t steps, double rate, stk_error *err)
{
    uint8_t   *images = malloc((size_t)(r->data.batch * r->data.size * r->data.size * 3));
    int64_t   *labels = malloc((size_t)r->data.batch * sizeof *labels);
    stk_status st = STK_OK;
    if (!images || !labels) st = stk_fail(err, STK_E_NOMEM, "losses", NULL, "no memory");
    if (!st) st = stk_session_ready(session, r->data.size, err);
    if (!st) st = stk_weights_load(NULL, weights, stk_session_variables(session), false, NULL, err);
    for (int64_t i = 0; i < steps && !st; i++) {
        const stk_loader_batch batch = {.rows = r->data.batch, .images = images, .labels = labels};
        const stk_instruction_input input = {.size = r->data.size,
                                             .step = i,
                                             .now = {.rate = rate, .momentum = r->train.momentum},
                                             .update = true};
        stk_instruction_result      result = {0};
        fill(r, i, images, labels);
        st = stk_session_step(session, &batch, &input, NULL, err);
        if (!st) st = stk_session_result(session, NULL, &result, err);
        if (!st) printf("%.9g%s\n", (double)result.loss, result.skipped ? " skipped" : "");
    }
    free(images);
    free(labels);
    return st;
}

int main(int argc, char **argv)
{
    stk_train_recipe recipe;
    stk_session     *session = NULL;
    stk_error        err;
    if (argc < FIRST_KEY) {
        printf("bench_loss_sequence WEIGHTS STEPS RATE [SECTION.KEY=VALUE ...]\n");
        return 0;
    }
    stk_status st = settle(&recipe, argc - FIRST_KEY, argv + FIRST_KEY, &err);
    if (!st) st = stk_session_open(&session, &recipe, true, NULL, &err);
    if (!st) st = train(session, &recipe, argv[1], atoll(argv[2]), atof(argv[3]), &err);
    if (st) fprintf(stderr, "%s: %s: %s\n", err.component, err.where, err.message);
    stk_session_free(session);
    return st ? 1 : 0;
}
