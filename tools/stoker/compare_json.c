/* Items and the keys that differ, for programs. */
#include "compare_keys.h"
#include "compare_out.h"

#include <math.h>

static void write_text(stk_json_writer *json, const char *key, const char *text)
{
    if (*text) stk_json_pair_string(json, key, text);
}

static void write_count(stk_json_writer *json, const char *key, int64_t count)
{
    if (count > 0) stk_json_pair_int(json, key, count);
}

static void write_number(stk_json_writer *json, const char *key, double value)
{
    if (!isnan(value)) stk_json_pair_double(json, key, value);
}

static void write_estimate(stk_json_writer *json, const char *key, const char *low,
                           const char *high, const stk_estimate *e)
{
    write_number(json, key, e->value);
    write_number(json, low, e->low);
    write_number(json, high, e->high);
}

static void write_shares(stk_json_writer *json, const cli_compare_item *item)
{
    if (!item->has_shares) return;
    stk_json_pair_double(json, "input_wait", cli_compare_wait(item));
    stk_json_key(json, "shares");
    stk_json_object(json);
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        stk_json_pair_double(json, s == STK_STAGE_NONE ? "loop" : stk_stage_name((stk_stage)s),
                             item->share[s]);
    stk_json_object_end(json);
}

static void write_learning(stk_json_writer *json, const cli_compare_item *item)
{
    write_number(json, "best_accuracy", item->best_accuracy);
    write_number(json, "last_accuracy", item->last_accuracy);
    write_number(json, "test_accuracy", item->test_accuracy);
    write_number(json, "validation_loss", item->validation_loss);
    write_number(json, "loss", item->loss);
    write_number(json, "epochs", item->epochs);
    write_number(json, "seconds", item->seconds);
}

static void write_item(stk_json_writer *json, const cli_compare_item *item,
                       const cli_compare_item *first)
{
    const stk_estimate ratio = cli_compare_ratio(item, first);
    stk_json_object(json);
    stk_json_pair_string(json, "path", item->path);
    stk_json_pair_string(json, "name", item->name);
    stk_json_pair_string(json, "kind", cli_compare_kind_name(item->kind));
    write_text(json, "data", item->data);
    write_text(json, "model", item->model);
    write_count(json, "batch", item->batch);
    write_text(json, "precision", item->precision);
    write_text(json, "backend", item->backend);
    write_count(json, "threads", item->threads);
    write_count(json, "input_threads", item->input_threads);
    stk_json_pair_string(json, "unit", item->unit);
    write_estimate(json, "rate", "rate_low", "rate_high", &item->rate);
    write_estimate(json, "ratio", "ratio_low", "ratio_high", &ratio);
    write_text(json, "limit", item->limit);
    write_shares(json, item);
    write_learning(json, item);
    write_text(json, "changed", item->setting);
    write_estimate(json, "gain", "gain_low", "gain_high", &item->gain);
    write_text(json, "version", item->version);
    write_text(json, "host", item->host);
    write_text(json, "processor", item->processor);
    write_count(json, "cores", item->cores);
    stk_json_object_end(json);
}

static void write_values(stk_json_writer *json, const cli_compare_item *items, size_t count,
                         const stk_param *key)
{
    char text[CLI_COMPARE_VALUE];
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        cli_compare_key_value(&items[i], key, text);
        if (items[i].has_recipe)
            stk_json_string(json, text);
        else
            stk_json_null(json);
    }
    stk_json_array_end(json);
}

void cli_compare_json(stk_json_writer *json, const cli_compare_item *items, size_t count)
{
    const stk_param *key;
    char             name[96];
    size_t           index = 0;
    stk_json_object(json);
    stk_json_key(json, "items");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++)
        write_item(json, &items[i], &items[0]);
    stk_json_array_end(json);
    stk_json_key(json, "recipe");
    stk_json_object(json);
    while ((key = cli_compare_next_key(items, count, &index)) != NULL) {
        cli_compare_key_name(key, name);
        stk_json_key(json, name);
        write_values(json, items, count, key);
    }
    stk_json_object_end(json);
    stk_json_object_end(json);
}
