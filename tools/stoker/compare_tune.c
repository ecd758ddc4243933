/* A tuning: its best setting stands for it. */
#include "compare_item.h"

#include <math.h>
#include <stdlib.h>
#include <stoker/tune.h>

/* Keys of recipes that columns show; of the start they are not in the ledger. */
static void copy_setting(cli_compare_item *item, const stk_tune_setting *best)
{
    const char *batch = stk_tune_setting_get(best, "data.batch");
    const char *model = stk_tune_setting_get(best, "model.name");
    const char *precision = stk_tune_setting_get(best, "train.precision");
    if (batch) item->batch = strtoll(batch, NULL, 10);
    snprintf(item->model, sizeof item->model, "%s", model ? model : "");
    snprintf(item->precision, sizeof item->precision, "%s", precision ? precision : "");
    (void)stk_tune_setting_text(best, item->setting, sizeof item->setting);
}

static void copy_limit(cli_compare_item *item, const stk_tune_limit *limit)
{
    int most = STK_STAGE_NONE;
    item->has_shares = limit->known;
    for (int s = 0; limit->known && s < STK_STAGE_COUNT; s++) {
        item->share[s] = limit->exposed[s];
        if (s != STK_STAGE_NONE && (most == STK_STAGE_NONE || item->share[s] > item->share[most]))
            most = s;
    }
    if (most != STK_STAGE_NONE)
        snprintf(item->limit, sizeof item->limit, "%s", stk_stage_name((stk_stage)most));
}

static void copy(cli_compare_item *item, const stk_tune_report *r)
{
    item->kind = CLI_COMPARE_TUNING;
    snprintf(item->data, sizeof item->data, "%s", r->subject);
    snprintf(item->unit, sizeof item->unit, "%s", *r->unit ? r->unit : "samples");
    snprintf(item->version, sizeof item->version, "%s", r->version);
    snprintf(item->host, sizeof item->host, "%s", r->host);
    snprintf(item->processor, sizeof item->processor, "%s", r->processor);
    item->cores = r->cores;
    item->seconds = r->seconds > 0 ? r->seconds : NAN;
    if (r->best_rate > 0 || r->base_rate > 0)
        item->rate.value = r->best_rate > 0 ? r->best_rate : r->base_rate;
    if (r->gain.value >= -1) item->gain = r->gain;
    copy_setting(item, &r->best);
    copy_limit(item, r->limit_best.known ? &r->limit_best : &r->limit_base);
}

stk_status cli_compare_read_tuning(cli_compare_item *item, const char *path, stk_error *err)
{
    stk_tune_report *report = malloc(sizeof *report);
    if (!report) return stk_fail(err, STK_E_NOMEM, "compare", path, "no memory");
    const stk_status st = stk_tune_report_load(report, path, err);
    if (!st) copy(item, report);
    stk_tune_report_release(report);
    free(report);
    return st;
}
