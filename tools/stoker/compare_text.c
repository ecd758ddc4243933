/* Items side by side: a column each, a row for whatever one of them knows. */
#include "compare_keys.h"
#include "compare_out.h"
#include "format.h"
#include "table.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { CELL = 160, WIDEST = 30 };

typedef struct comparison {
    const cli_compare_item *items;
    size_t                  count;
    cli_table               table;
    char                    cells[CLI_COMPARE_MOST][CELL];
} comparison;

/* Adds the row of the cells unless all are empty, and empties them. */
static void add_row(comparison *c, const char *name)
{
    char   shown[2 * CELL];
    size_t known = 0;
    for (size_t i = 0; i < c->count; i++)
        known += c->cells[i][0] != 0;
    if (known) cli_table_add(&c->table, name);
    for (size_t i = 0; i < c->count; i++) {
        cli_text_fit(shown, sizeof shown, c->cells[i][0] ? c->cells[i] : "-", WIDEST);
        if (known) cli_table_add(&c->table, shown);
        c->cells[i][0] = 0;
    }
}

/* A command, which a tuning may be of, stays whole. */
static const char *last_part(const char *path)
{
    const char *slash = strchr(path, ' ') ? NULL : strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static void add_texts(comparison *c, const char *name, size_t offset, bool last)
{
    for (size_t i = 0; i < c->count; i++) {
        const char *text = (const char *)&c->items[i] + offset;
        snprintf(c->cells[i], CELL, "%s", last ? last_part(text) : text);
    }
    add_row(c, name);
}

static void add_shares(comparison *c, const char *name, int stage)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].has_shares)
            snprintf(c->cells[i], CELL, "%.1f %%", 100 * c->items[i].share[stage]);
    add_row(c, name);
}

/* format takes the value times scale. */
static void add_numbers(comparison *c, const char *name, size_t offset, double scale,
                        const char *unit)
{
    for (size_t i = 0; i < c->count; i++) {
        const double value = *(const double *)(const void *)((const char *)&c->items[i] + offset);
        if (!isnan(value))
            snprintf(c->cells[i], CELL, scale == 100 ? "%.2f%s" : "%.4g%s", value * scale, unit);
    }
    add_row(c, name);
}

static void add_counts(comparison *c)
{
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].batch > 0) snprintf(c->cells[i], CELL, "%" PRId64, c->items[i].batch);
    add_row(c, "batch");
    add_texts(c, "precision", offsetof(cli_compare_item, precision), false);
    add_texts(c, "backend", offsetof(cli_compare_item, backend), false);
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].threads > 0) snprintf(c->cells[i], CELL, "%d", c->items[i].threads);
    add_row(c, "threads");
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].input_threads > 0)
            snprintf(c->cells[i], CELL, "%d", c->items[i].input_threads);
    add_row(c, "input threads");
}

static void add_rates(comparison *c)
{
    char text[CLI_FORMAT_CAPACITY];
    for (size_t i = 0; i < c->count; i++) {
        const double rate = c->items[i].rate.value;
        if (isnan(rate)) continue;
        if (rate < 1000)
            stk_rate_text(text, sizeof text, rate);
        else
            cli_format_count(text, (uint64_t)(rate + 0.5));
        snprintf(c->cells[i], CELL, "%s %s/s", text, c->items[i].unit);
    }
    add_row(c, "rate");
    for (size_t i = 1; i < c->count; i++) {
        const stk_estimate ratio = cli_compare_ratio(&c->items[i], &c->items[0]);
        if (isnan(ratio.value)) continue;
        snprintf(c->cells[i], CELL, "%.3g", ratio.value);
        if (!isnan(ratio.low))
            snprintf(c->cells[i], CELL, "%.3g (%.3g to %.3g)", ratio.value, ratio.low, ratio.high);
    }
    add_row(c, "  of the first");
}

static void add_stages(comparison *c)
{
    char name[64];
    add_texts(c, "limit", offsetof(cli_compare_item, limit), false);
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].has_shares)
            snprintf(c->cells[i], CELL, "%.1f %%", 100 * cli_compare_wait(&c->items[i]));
    add_row(c, "waits for input");
    for (int s = 0; s < STK_STAGE_COUNT; s++) {
        if (s == STK_STAGE_NONE) continue;
        snprintf(name, sizeof name, "  %s", stk_stage_name((stk_stage)s));
        add_shares(c, name, s);
    }
}

static void add_learning(comparison *c)
{
    char text[CLI_FORMAT_CAPACITY];
    add_numbers(c, "accuracy, best", offsetof(cli_compare_item, best_accuracy), 100, " %");
    add_numbers(c, "accuracy, last", offsetof(cli_compare_item, last_accuracy), 100, " %");
    add_numbers(c, "accuracy, test", offsetof(cli_compare_item, test_accuracy), 100, " %");
    add_numbers(c, "loss, validation", offsetof(cli_compare_item, validation_loss), 1, "");
    add_numbers(c, "loss, training", offsetof(cli_compare_item, loss), 1, "");
    add_numbers(c, "epochs", offsetof(cli_compare_item, epochs), 1, "");
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(c->items[i].seconds))
            snprintf(c->cells[i], CELL, "%s", cli_format_duration(text, c->items[i].seconds));
    add_row(c, "time");
}

static void add_tuning(comparison *c)
{
    char gain[32];
    add_texts(c, "changed", offsetof(cli_compare_item, setting), false);
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(c->items[i].gain.value))
            snprintf(c->cells[i], CELL, "%s",
                     stk_gain_text(gain, sizeof gain, c->items[i].gain.value));
    add_row(c, "gained");
}

static void add_machine(comparison *c)
{
    add_texts(c, "version", offsetof(cli_compare_item, version), false);
    add_texts(c, "host", offsetof(cli_compare_item, host), false);
    add_texts(c, "processor", offsetof(cli_compare_item, processor), false);
    for (size_t i = 0; i < c->count; i++)
        if (c->items[i].cores > 0) snprintf(c->cells[i], CELL, "%d", c->items[i].cores);
    add_row(c, "cores");
}

static void begin(comparison *c, const char *corner)
{
    char alignment[CLI_TABLE_COLUMNS + 1] = "l", name[2 * CELL];
    for (size_t i = 0; i < c->count; i++)
        alignment[i + 1] = 'r';
    cli_table_init(&c->table, alignment);
    cli_table_add(&c->table, corner);
    for (size_t i = 0; i < c->count; i++) {
        cli_text_fit(name, sizeof name, c->items[i].name, WIDEST);
        cli_table_add(&c->table, name);
    }
}

static void end(comparison *c, const cli_style *style)
{
    cli_table_print(&c->table, stdout, style);
    cli_table_release(&c->table);
}

static void print_keys(comparison *c, const cli_style *style)
{
    const stk_param *key;
    char             name[96], value[CLI_COMPARE_VALUE];
    size_t           index = 0, found = 0;
    begin(c, "");
    while ((key = cli_compare_next_key(c->items, c->count, &index)) != NULL) {
        for (size_t i = 0; i < c->count; i++) {
            cli_compare_key_value(&c->items[i], key, value);
            snprintf(c->cells[i], CELL, "%.*s", CELL - 1, value);
        }
        cli_compare_key_name(key, name);
        add_row(c, name);
        found++;
    }
    printf("\n%sRecipe keys that differ%s%s\n", style->bold, style->plain, found ? "" : ": none");
    if (found)
        end(c, style);
    else
        cli_table_release(&c->table);
}

void cli_compare_print(const cli_compare_item *items, size_t count, const cli_style *style)
{
    comparison c = {.items = items, .count = count};
    begin(&c, "");
    for (size_t i = 0; i < count; i++)
        snprintf(c.cells[i], CELL, "%s", cli_compare_kind_name(items[i].kind));
    add_row(&c, "is a");
    add_texts(&c, "data", offsetof(cli_compare_item, data), true);
    add_texts(&c, "model", offsetof(cli_compare_item, model), false);
    add_counts(&c);
    add_rates(&c);
    add_stages(&c);
    add_learning(&c);
    add_tuning(&c);
    add_machine(&c);
    end(&c, style);
    if (cli_compare_recipes(items, count) > 1) print_keys(&c, style);
}
