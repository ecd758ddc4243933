/* A measurement and its comparison, as one or two lines and as JSON. */
#include "bench_gate.h"
#include "format.h"
#include "text.h"
#include "yardstick.h"

#include <string.h>

static const char *rate_text(char text[CLI_FORMAT_CAPACITY], double rate)
{
    if (rate < 1000)
        snprintf(text, CLI_FORMAT_CAPACITY, "%.4g", rate);
    else
        cli_format_count(text, (uint64_t)(rate + 0.5));
    return text;
}

/* The others are in --json. */
static bool is_main(const char *name)
{
    static const char *const main_ones[] = {"data",      "preset",  "model",  "batch",
                                            "precision", "backend", "threads"};
    for (size_t i = 0; i < sizeof main_ones / sizeof *main_ones; i++)
        if (strcmp(main_ones[i], name) == 0) return true;
    return false;
}

static void print_rate(const cli_gate_record *r, const cli_style *style)
{
    const stk_estimate rate = stk_rate_mean(r->rounds, r->round_count);
    char               a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    const char        *before = "";
    printf("%s%s %s%s (%s to %s), mean of %zu rounds; ", style->bold, rate_text(a, rate.value),
           r->unit, style->plain, rate_text(b, rate.low), rate_text(c, rate.high), r->round_count);
    for (size_t i = 0; i < r->fact_count; i++) {
        if (!is_main(r->facts[i].name) || !strcmp(r->facts[i].value, "none")) continue;
        printf("%s%s ", before, r->facts[i].name);
        cli_text_print(stdout, r->facts[i].value);
        before = ", ";
    }
    printf("\n");
}

/* Without a bound, whether a difference is shown. */
static void print_difference(const stk_estimate *ratio)
{
    printf("%s\n", ratio->high < 1  ? "slower"
                   : ratio->low > 1 ? "faster"
                                    : "no difference is shown");
}

static void print_judgement(const cli_gate_result *result)
{
    const stk_rate_comparison *c = &result->comparison;
    if (c->verdict == STK_RATE_LOSS)
        printf("slower than %g: exit 1\n", result->fail_below);
    else if (c->ratio.low >= result->fail_below)
        printf("no loss shown\n");
    else
        printf("no loss shown, but one of %.1f %% is not excluded: a longer --seconds tells more\n",
               100 * (1 - c->ratio.low));
}

static void print_comparison(const cli_gate_result *result)
{
    const stk_rate_comparison *c = &result->comparison;
    printf("%.3f (%.3f to %.3f) of ", c->ratio.value, c->ratio.low, c->ratio.high);
    cli_text_print(stdout, result->path);
    printf(": ");
    if (c->verdict == STK_RATE_INCONCLUSIVE) {
        printf("inconclusive: ");
        cli_text_print(stdout, result->why);
        printf("\n");
    } else if (result->fail_below > 0) {
        print_judgement(result);
    } else {
        print_difference(&c->ratio);
    }
}

void cli_gate_print(const cli_gate_result *result, const cli_style *style)
{
    print_rate(result->now, style);
    if (result->path) print_comparison(result);
    if (result->saved) {
        printf("saved as ");
        cli_text_print(stdout, result->saved);
        printf("\n");
    }
}

static void write_values(stk_json_writer *json, const stk_estimate *e)
{
    stk_json_pair_double(json, "ratio", e->value);
    stk_json_pair_double(json, "low", e->low);
    stk_json_pair_double(json, "high", e->high);
}

static void write_estimate(stk_json_writer *json, const char *key, const stk_estimate *e)
{
    stk_json_key(json, key);
    stk_json_object(json);
    write_values(json, e);
    stk_json_object_end(json);
}

static void write_comparison(stk_json_writer *json, const cli_gate_result *result)
{
    const stk_rate_comparison *c = &result->comparison;
    char                       key[64];
    stk_json_key(json, "comparison");
    stk_json_object(json);
    stk_json_pair_string(json, "base", result->path);
    stk_json_pair_string(json, "base_version", result->base->version);
    stk_json_pair_string(json, "base_time", result->base->time);
    stk_json_pair_double(json, "base_rate",
                         stk_rate_mean(result->base->rounds, result->base->round_count).value);
    write_values(json, &c->ratio);
    write_estimate(json, "as_measured", &c->measured);
    for (int y = 0; y < STK_RATE_YARDSTICKS; y++) {
        snprintf(key, sizeof key, "by_%s", cli_yardstick_name(y));
        write_estimate(json, key, &c->corrected[y]);
        snprintf(key, sizeof key, "yardstick_%s", cli_yardstick_name(y));
        write_estimate(json, key, &c->yardstick[y]);
    }
    if (result->fail_below > 0) stk_json_pair_double(json, "fail_below", result->fail_below);
    stk_json_pair_string(json, "verdict", stk_rate_verdict_name(c->verdict));
    if (c->verdict == STK_RATE_INCONCLUSIVE) stk_json_pair_string(json, "why", result->why);
    stk_json_object_end(json);
}

void cli_gate_json(stk_json_writer *json, const cli_gate_result *result)
{
    const stk_estimate rate = stk_rate_mean(result->now->rounds, result->now->round_count);
    stk_json_object(json);
    stk_json_pair_double(json, "rate", rate.value);
    stk_json_pair_double(json, "rate_low", rate.low);
    stk_json_pair_double(json, "rate_high", rate.high);
    cli_gate_write(json, result->now);
    if (result->path) write_comparison(json, result);
    stk_json_object_end(json);
}
