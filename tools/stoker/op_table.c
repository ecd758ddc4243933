/* Groups operations with the same name and kernel into one row. */
#include "op_table.h"

#include "format.h"
#include "roofline.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

enum { SHOWN = 12 };

typedef struct row {
    const stk_profile_op *first;
    double                calls, ns, flops, bytes; /* of all timed steps */
} row;

static bool same(const stk_profile_op *a, const stk_profile_op *b)
{
    return strcmp(a->operation, b->operation) == 0 && strcmp(a->kernel, b->kernel) == 0;
}

static row *find(row *rows, size_t *count, const stk_profile_op *op)
{
    for (size_t i = 0; i < *count; i++)
        if (same(rows[i].first, op)) return &rows[i];
    rows[*count] = (row){.first = op};
    return &rows[(*count)++];
}

static int by_time(const void *left, const void *right)
{
    const double a = ((const row *)left)->ns, b = ((const row *)right)->ns;
    return (a < b) - (a > b);
}

/* The number of steps is the largest call count of an operation. */
static double group(const stk_profile *p, row *rows, size_t *count, double *all)
{
    double steps = 0;
    *count = 0;
    *all = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        const stk_profile_op *op = &p->ops[i];
        const double          runs = (double)op->runs;
        row                  *r = find(rows, count, op);
        r->calls += runs;
        r->ns += (double)op->ns;
        r->flops += op->flops * runs;
        r->bytes += op->bytes * runs;
        *all += (double)op->ns;
        if (runs > steps) steps = runs;
    }
    qsort(rows, *count, sizeof *rows, by_time);
    return steps;
}

static void add(cli_table *table, const char *format, double value)
{
    char text[48] = "";
    if (value > 0) snprintf(text, sizeof text, format, value);
    cli_table_add(table, text);
}

static void add_row(cli_table *table, const stk_profile *p, const row *r, double steps, double all)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, r->first->operation);
    cli_table_add(table, r->first->kernel);
    add(table, "%.0f", r->calls / steps);
    add(table, "%.3f", r->ns / steps / 1e6);
    add(table, "%.1f %%", 100 * r->ns / all);
    add(table, "%.2f", r->flops / r->ns / 1e3);
    add(table, "%.0f", r->bytes / r->ns);
    const cli_roofline roofline =
        cli_roofline_of(&p->limits, r->flops / r->calls, r->bytes / r->calls, r->ns / r->calls);
    cli_table_add(table, cli_roofline_format(text, &roofline));
}

void cli_op_table_print(FILE *out, const stk_profile *profile, const cli_style *style)
{
    static const char *const heading[] = {"operation", "kernel",  "calls", "ms",
                                          "share",     "TFLOP/s", "GB/s",  "roof"};
    cli_table                table;
    size_t                   count;
    double                   all;
    row                     *rows = calloc(profile->op_count + 1, sizeof *rows);
    const double             steps = rows ? group(profile, rows, &count, &all) : 0;
    if (steps > 0 && all > 0) {
        cli_table_init(&table, "lfrrrrrl");
        for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
            cli_table_add(&table, heading[i]);
        for (size_t i = 0; i < count && i < SHOWN; i++)
            if (rows[i].ns > 0) add_row(&table, profile, &rows[i], steps, all);
        fprintf(out, "\nOperations of a step, %.2f ms together", all / steps / 1e6);
        if (count > SHOWN) fprintf(out, "; the longest %d of %zu", SHOWN, count);
        fprintf(out, "\n");
        cli_table_print(&table, out, style);
        cli_table_release(&table);
    }
    free(rows);
}
