/* Fractions are of the timed total. */
#include "operation_table.h"

#include "format.h"
#include "table.h"

#include <stdlib.h>

enum { SHOWN_MAX = 64 };

static double sum_of(const stk_function_stats *list, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (double)list[i].busy_ns;
    return sum;
}

static double us_each(const stk_function_stats *one)
{
    return one->items ? (double)one->busy_ns / (double)one->items * 1e-3 : 0;
}

static int by_time(const void *a, const void *b)
{
    const stk_function_stats *x = *(const stk_function_stats *const *)a;
    const stk_function_stats *y = *(const stk_function_stats *const *)b;
    return (x->busy_ns < y->busy_ns) - (x->busy_ns > y->busy_ns);
}

/* Returns how many there are. */
static size_t sort(const stk_function_stats *list, size_t count,
                   const stk_function_stats *sorted[SHOWN_MAX])
{
    if (count > SHOWN_MAX) count = SHOWN_MAX;
    for (size_t i = 0; i < count; i++)
        sorted[i] = &list[i];
    qsort(sorted, count, sizeof *sorted, by_time);
    return count;
}

void cli_operation_table_print(const stk_function_stats *list, size_t count, const cli_style *style)
{
    static const char *const  heading[] = {"operation", "us each", "share"};
    const stk_function_stats *sorted[SHOWN_MAX];
    const double              all = sum_of(list, count);
    cli_table                 table;
    char                      text[CLI_FORMAT_CAPACITY];
    if (!count || !(all > 0)) return;
    count = sort(list, count, sorted);
    printf("\n%sOperations%s of fused stages, of a core; what is done in one pass is joined by +\n",
           style->bold, style->plain);
    cli_table_init(&table, "frr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < count; i++) {
        cli_table_add(&table, sorted[i]->name);
        snprintf(text, sizeof text, us_each(sorted[i]) < 100 ? "%.2f" : "%.0f", us_each(sorted[i]));
        cli_table_add(&table, text);
        snprintf(text, sizeof text, "%.0f %%", 100 * (double)sorted[i]->busy_ns / all);
        cli_table_add(&table, text);
    }
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

void cli_operation_table_json(stk_json_writer *json, const stk_function_stats *list, size_t count)
{
    const stk_function_stats *sorted[SHOWN_MAX];
    const double              all = sum_of(list, count);
    count = sort(list, count, sorted);
    stk_json_key(json, "operations");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "operation", sorted[i]->name);
        stk_json_pair_int(json, "depth", sorted[i]->depth);
        stk_json_pair_uint(json, "items", sorted[i]->items);
        stk_json_pair_double(json, "us", us_each(sorted[i]));
        stk_json_pair_double(json, "share", all > 0 ? (double)sorted[i]->busy_ns / all : 0);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}

size_t cli_operation_table_of(const stk_profile *profile,
                              stk_function_stats list[STK_PROFILE_INPUT_OPS])
{
    for (size_t i = 0; i < profile->input_op_count; i++) {
        const stk_profile_input_op *from = &profile->input_ops[i];
        list[i] = (stk_function_stats){.depth = from->depth,
                                       .items = (uint64_t)from->items,
                                       .busy_ns = (uint64_t)from->busy_ns};
        snprintf(list[i].name, sizeof list[i].name, "%s", from->name);
    }
    return profile->input_op_count;
}
