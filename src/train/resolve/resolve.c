/* Resolves the open keys of a recipe by documented rules of thumb. Equal data gives equal
 * decisions. */
#include "train/resolve/resolve.h"
#include "train/input/mixture.h"
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stoker/program.h>
#include <stoker/text.h>
#include <stoker/train_resolve.h>
#include <string.h>
#include <unistd.h>

stk_status stk_resolve_note(stk_resolve_ctx *s, stk_error *err, const char *format, ...)
{
    char    line[512], shown[sizeof line];
    va_list args;
    if (!s->reasons) return STK_OK;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    (void)stk_text_escape(shown, sizeof shown,
                          line); /* a name with a line break must stay one line */
    STK_TRY(stk_blob_append(s->reasons, shown, strlen(shown), err));
    return stk_blob_append(s->reasons, "\n", 1, err);
}

void stk_resolve_put(char *field, const char *text)
{
    snprintf(field, STK_TRAIN_TEXT, "%s", text);
}

bool stk_resolve_on_gpu(const stk_train_recipe *r)
{
    return strcmp(*r->knobs.backend ? r->knobs.backend : stk_backend_fastest(), "cuda") == 0;
}

/* Checks the names before a run folder is created for them. */
static stk_status check_passes(const stk_resolve_ctx *s, stk_error *err)
{
    unsigned bits;
    return stk_graph_passes_parse(s->recipe->knobs.passes_off, &bits, err);
}

static void resolve_rest(stk_resolve_ctx *s)
{
    stk_train_recipe *r = s->recipe;
    if (r->train.backbone_rate < 0)
        r->train.backbone_rate = 1; /* an explicit rate applies to all layers */
    if (r->train.label_smoothing < 0) r->train.label_smoothing = 0;
    if (r->train.lookahead < 0) r->train.lookahead = 0;
    if (r->train.eval_every < 0) r->train.eval_every = 1;
    if (r->train.tta == STK_TTA_AUTO) r->train.tta = STK_TTA_NONE;
}

/* Absolute: a resumed run or an evaluation may start in another working directory. */
static stk_status resolve_path(char path[STK_TRAIN_PATH], stk_error *err)
{
    char here[STK_TRAIN_PATH], full[2 * STK_TRAIN_PATH];
    if (!*path || *path == '/' || strstr(path, "://")) return STK_OK;
    if (!getcwd(here, sizeof here))
        return stk_fail_errno(err, errno, "recipe", path, "find the folder of");
    const int length = snprintf(full, sizeof full, "%s/%s", here, path);
    if (length >= STK_TRAIN_PATH)
        return stk_fail(err, STK_E_LIMIT, "recipe", path, "the whole path has %d bytes; at most %d",
                        length, STK_TRAIN_PATH - 1);
    memcpy(path, full, (size_t)length + 1);
    return STK_OK;
}

stk_status stk_train_resolve_paths(stk_train_recipe *recipe, stk_error *err)
{
    STK_TRY(resolve_path(recipe->data.path, err));
    STK_TRY(resolve_path(recipe->data.pipeline, err));
    STK_TRY(resolve_path(recipe->model.weights, err));
    return resolve_path(recipe->data.cache_folder, err);
}

stk_status stk_train_resolve(stk_train_recipe *recipe, const stk_train_data *data,
                             stk_blob *reasons, stk_error *err)
{
    stk_resolve_ctx s = {.recipe = recipe, .data = data, .reasons = reasons};
    if (data->train_count < 1)
        return stk_fail(err, STK_E_NOTFOUND, "data", recipe->data.path,
                        "there is nothing to train on");
    STK_TRY(stk_resolve_check_decode(recipe, err));
    STK_TRY(stk_train_resolve_paths(recipe, err));
    STK_TRY(stk_resolve_rare_class(&s, err));
    STK_TRY(stk_resolve_weights(&s, err));
    STK_TRY(stk_resolve_own(&s, err));
    STK_TRY(stk_resolve_splits(&s, err));
    STK_TRY(stk_resolve_preset(&s, err));
    STK_TRY(stk_mixture_warn(recipe, data, reasons, err));
    STK_TRY(stk_resolve_model(&s, err));
    STK_TRY(stk_resolve_batch(&s, err));
    STK_TRY(stk_resolve_epochs(&s, err));
    STK_TRY(stk_resolve_optimizer(&s, err));
    STK_TRY(stk_resolve_schedule(&s, err));
    resolve_rest(&s);
    STK_TRY(check_passes(&s, err));
    STK_TRY(stk_resolve_precision(&s, err));
    stk_resolve_steps(&s);
    STK_TRY(stk_resolve_progressive(&s, err));
    STK_TRY(stk_resolve_threads(&s, err));
    STK_TRY(stk_resolve_resident(&s, err));
    STK_TRY(stk_resolve_cache(&s, err));
    STK_TRY(stk_resolve_augment(&s, err));
    STK_TRY(stk_resolve_balance(&s, err));
    return stk_resolve_folder(recipe, err);
}
