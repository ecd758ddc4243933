/* The cases as a table, and as JSON. */
#include "bench_cases.h"

#include "format.h"
#include "table.h"
#include "text.h"

static void add_rate(cli_table *table, double rate)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, rate > 0 ? cli_format_count(text, (uint64_t)(rate + 0.5)) : "-");
}

static void add_row(cli_table *table, const cli_cases *c, const cli_case_result *r)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, r->name);
    snprintf(text, sizeof text, "%.0f %%", c->clean.rate > 0 ? 100 * r->rate / c->clean.rate : 0);
    cli_table_add(table, text);
    cli_table_add(table, r->expected);
    cli_table_add(table, r->right ? "yes" : "NO");
    add_rate(table, r->predicted);
    add_rate(table, r->measured);
}

void cli_cases_print(const cli_cases *c, const cli_style *style)
{
    static const char *const heading[] = {"case",  "of clean",  "expected",
                                          "found", "predicted", "measured"};
    cli_table                table;
    char                     text[CLI_FORMAT_CAPACITY];
    printf("%s%s, batch %lld, clean: %s samples/s%s\n  ", style->bold, c->model,
           (long long)c->clean.batch, cli_format_count(text, (uint64_t)(c->clean.rate + 0.5)),
           style->plain);
    cli_text_print(stdout, c->clean_verdict);
    printf("\n\n");
    cli_table_init(&table, "lrflrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < c->count; i++)
        add_row(&table, c, &c->list[i]);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
    printf("\npredicted: samples/s without the fault, as the slow run tells; measured: what came "
           "without it\n");
    for (size_t i = 0; i < c->count; i++) {
        printf("  %s (%s): ", c->list[i].name, c->list[i].fault);
        cli_text_print(stdout, c->list[i].verdict);
        printf("\n");
    }
}

static void write_case(stk_json_writer *json, const cli_cases *c, const cli_case_result *r)
{
    stk_json_object(json);
    stk_json_pair_string(json, "case", r->name);
    stk_json_pair_string(json, "fault", r->fault);
    stk_json_pair_double(json, "samples_per_s", r->rate);
    stk_json_pair_double(json, "of_clean", c->clean.rate > 0 ? r->rate / c->clean.rate : 0);
    stk_json_pair_string(json, "expected", r->expected);
    stk_json_pair_string(json, "verdict", r->verdict);
    stk_json_pair_bool(json, "right", r->right);
    if (r->predicted > 0) stk_json_pair_double(json, "predicted", r->predicted);
    stk_json_pair_double(json, "measured", r->measured);
    stk_json_object_end(json);
}

void cli_cases_json(stk_json_writer *json, const cli_cases *c)
{
    stk_json_object(json);
    stk_json_pair_string(json, "model", c->model);
    stk_json_pair_int(json, "batch", c->clean.batch);
    stk_json_pair_double(json, "clean_samples_per_s", c->clean.rate);
    stk_json_pair_string(json, "clean_verdict", c->clean_verdict);
    stk_json_key(json, "cases");
    stk_json_array(json);
    for (size_t i = 0; i < c->count; i++)
        write_case(json, c, &c->list[i]);
    stk_json_array_end(json);
    stk_json_object_end(json);
}
