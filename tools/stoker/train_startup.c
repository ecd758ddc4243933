/* Time before the first step. */
#include "train_startup.h"

#include "format.h"

#include <stdlib.h>
#include <string.h>

static const char   rest[] = "other";
static const double least_share = 0.02; /* smaller parts are not listed */

static void add(cli_startup_table *table, const char *name, double seconds)
{
    table->rows[table->count++] = (stk_startup_part){name, seconds};
}

cli_startup_table cli_startup_table_of(const cli_train_job *job, const stk_trainer *trainer,
                                       double before_s)
{
    const stk_train_startup s = stk_trainer_startup(trainer);
    cli_startup_table       table = {0};
    double                  known = 0;
    if (!s.complete) return table;
    table.seconds = before_s + s.seconds;
    add(&table, "looking at the data", job->read_s);
    add(&table, "deciding", job->resolve_s);
    for (size_t i = 0; i < s.count; i++)
        add(&table, s.parts[i].name, s.parts[i].seconds);
    for (size_t i = 0; i < table.count; i++)
        known += table.rows[i].seconds;
    add(&table, rest, table.seconds > known ? table.seconds - known : 0);
    return table;
}

/* Largest first; the rest last. */
static int by_seconds(const void *a, const void *b)
{
    const stk_startup_part *x = a, *y = b;
    const bool              last_x = !strcmp(x->name, rest), last_y = !strcmp(y->name, rest);
    if (last_x != last_y) return last_x - last_y;
    return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

void cli_startup_print(const cli_startup_table *table)
{
    cli_startup_table sorted = *table;
    char              text[CLI_FORMAT_CAPACITY];
    double            small = 0;
    if (!table->count) return;
    qsort(sorted.rows, sorted.count, sizeof *sorted.rows, by_seconds);
    printf("start %s until the first step was done", cli_format_duration(text, table->seconds));
    for (size_t i = 0, shown = 0; i < sorted.count; i++) {
        const stk_startup_part *row = &sorted.rows[i];
        const bool              last = i + 1 == sorted.count;
        if (row->seconds < least_share * table->seconds || last) small += row->seconds;
        if (row->seconds < least_share * table->seconds && !last) continue;
        printf("%s%s %s", shown++ ? ", " : ": ", row->name,
               cli_format_duration(text, last ? small : row->seconds));
    }
    printf("\n");
}

void cli_startup_json(stk_json_writer *json, const cli_startup_table *table)
{
    stk_json_key(json, "startup");
    if (!table->count) {
        stk_json_null(json);
        return;
    }
    stk_json_object(json);
    stk_json_pair_double(json, "seconds", table->seconds);
    stk_json_key(json, "parts");
    stk_json_array(json);
    for (size_t i = 0; i < table->count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "name", table->rows[i].name);
        stk_json_pair_double(json, "seconds", table->rows[i].seconds);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
    stk_json_object_end(json);
}
