/* Claims, for people and as JSON. */
#include "bench_claims.h"

#include "format.h"
#include "table.h"
#include "text.h"

static const char *verdict(const cli_claim *claim)
{
    static const char *const words[CLI_CLAIM_VERDICTS] = {"not measured", "too noisy to tell",
                                                          "holds", "does not hold here"};
    return words[cli_claim_judge(claim)];
}

static void add_number(cli_table *table, double value)
{
    char text[CLI_FORMAT_CAPACITY];
    snprintf(text, sizeof text, value >= 9.995 ? "%.1f" : "%.2f", value);
    cli_table_add(table, text);
}

static void add_row(cli_table *table, const cli_claim *claim)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, claim->claim);
    cli_table_add(table, claim->theirs);
    if (claim->measured) {
        add_number(table, claim->ratio.median);
        snprintf(text, sizeof text, "%.2f to %.2f", claim->ratio.low, claim->ratio.high);
        cli_table_add(table, text);
    } else {
        cli_table_add(table, "");
        cli_table_add(table, "");
    }
    cli_table_add(table, verdict(claim));
}

static void print_table(const cli_claims *claims, const cli_style *style)
{
    static const char *const heading[] = {"claim", "theirs", "ours", "80 of 100", ""};
    cli_table                table;
    cli_table_init(&table, "llrrl");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < claims->count; i++)
        add_row(&table, &claims->rows[i]);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

static void print_curve(const cli_claims *claims, const cli_style *style)
{
    static const char *const heading[] = {"batch", "img/s", "of the peak"};
    cli_table                table;
    char                     text[CLI_FORMAT_CAPACITY];
    if (!claims->points) return;
    printf("\nBatches of %s", claims->recipe.model.name);
    if (claims->peak > 0) printf("; a large product has %.3g TFLOP/s", claims->peak / 1e12);
    printf("\n");
    cli_table_init(&table, "rrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < claims->points; i++) {
        const cli_claim_point *p = &claims->curve[i];
        cli_table_add(&table, cli_format_count(text, (uint64_t)p->batch));
        cli_table_add(&table, cli_format_count(text, (uint64_t)(p->images_per_s + 0.5)));
        *text = '\0';
        if (p->share >= 0) snprintf(text, sizeof text, "%.0f %%", 1e2 * p->share);
        cli_table_add(&table, text);
    }
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

static void print_line(const cli_claim *claim, int width)
{
    char text[3 * CLI_CLAIM_TEXT];
    int  length;
    if (claim->measured)
        length = snprintf(text, sizeof text, "%s: %.4g to %.4g %s", claim->compared, claim->before,
                          claim->after, claim->unit);
    else
        length = snprintf(text, sizeof text, "%s", claim->note);
    if (cli_claim_judge(claim) == CLI_CLAIM_DOES_NOT && length < (int)sizeof text)
        snprintf(text + length, sizeof text - (size_t)length, ". Probably: %s", claim->why);
    const int column = printf("  %s: ", claim->key);
    cli_text_wrap(stdout, text, column, 4, width);
}

void cli_claims_print(const cli_claims *claims, const cli_style *style)
{
    printf("Times faster, medians of %zu windows in turn; %s\n", claims->windows, claims->machine);
    print_table(claims, style);
    print_curve(claims, style);
    printf("\nWhat was compared\n");
    for (size_t i = 0; i < claims->count; i++)
        print_line(&claims->rows[i], style->width);
}

static void write_claim(stk_json_writer *json, const cli_claim *claim)
{
    const cli_claim_verdict judged = cli_claim_judge(claim);
    stk_json_object(json);
    stk_json_pair_string(json, "key", claim->key);
    stk_json_pair_string(json, "claim", claim->claim);
    stk_json_pair_string(json, "theirs", claim->theirs);
    stk_json_pair_string(json, "verdict", verdict(claim));
    if (claim->measured) {
        stk_json_pair_string(json, "compared", claim->compared);
        stk_json_pair_double(json, "ratio", claim->ratio.median);
        stk_json_pair_double(json, "ratio_p10", claim->ratio.low);
        stk_json_pair_double(json, "ratio_p90", claim->ratio.high);
        stk_json_pair_double(json, "before", claim->before);
        stk_json_pair_double(json, "after", claim->after);
        stk_json_pair_string(json, "unit", claim->unit);
    } else {
        stk_json_pair_string(json, "note", claim->note);
    }
    if (judged == CLI_CLAIM_DOES_NOT) stk_json_pair_string(json, "why", claim->why);
    stk_json_object_end(json);
}

static void write_curve(stk_json_writer *json, const cli_claims *claims)
{
    stk_json_key(json, "curve");
    stk_json_array(json);
    for (size_t i = 0; i < claims->points; i++) {
        stk_json_object(json);
        stk_json_pair_int(json, "batch", claims->curve[i].batch);
        stk_json_pair_double(json, "images_per_s", claims->curve[i].images_per_s);
        stk_json_pair_double(json, "share_of_peak", claims->curve[i].share);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

void cli_claims_json(stk_json_writer *json, const cli_claims *claims)
{
    const stk_train_recipe *r = &claims->recipe;
    stk_json_object(json);
    stk_json_pair_string(json, "machine", claims->machine);
    stk_json_pair_string(json, "backend", r->knobs.backend);
    stk_json_pair_string(json, "model", r->model.name);
    stk_json_pair_int(json, "batch", claims->batch);
    stk_json_pair_int(json, "size", r->data.size);
    stk_json_pair_string(json, "precision", stk_train_recipe_word(r, "train.precision"));
    stk_json_pair_int(json, "windows", (int64_t)claims->windows);
    stk_json_pair_double(json, "peak_flops", claims->peak);
    stk_json_key(json, "claims");
    stk_json_array(json);
    for (size_t i = 0; i < claims->count; i++)
        write_claim(json, &claims->rows[i]);
    stk_json_array_end(json);
    write_curve(json, claims);
    stk_json_object_end(json);
}
