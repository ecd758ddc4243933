/* Kinds are found by operation name; an unlisted gradient has the kind of its forward operation. */
#include "op_kinds.h"

#include "format.h"
#include "roofline.h"
#include "table.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *kind, *operations; /* each followed by a space */
} kinds[] = {
    {"convolutions, forward", "conv2d "},
    {"convolutions, by input", "conv2d_grad_input conv2d_grad_norm "},
    {"convolutions, by weight", "conv2d_grad_weight "},
    {"products", "matmul "},
    {"norms, forward",
     "bn_stats bn_finalize bn_stats_finalize bn_fold bn_apply bn_pool layer_norm "},
    {"norms, backward",
     "bn_grad_sums bn_grad_apply bn_pool_grad_sums bn_pool_grad_apply layer_norm_grad "},
    {"pools", "max_pool average_pool upsample "},
    {"element by element",
     "relu clip leaky_relu gelu silu sigmoid tanh hardswish hardsigmoid add sub mul scale bias "
     "dropout reduce_sum reduce_mean "},
    {"losses and metrics",
     "softmax softmax_cross_entropy weighted_cross_entropy mean_squared_error top_k_correct "
     "count_labels "},
    {"updates", "sgd adamw lars lamb ema lookahead accumulate gradient_norm loss_scale "
                "grad_guard "},
    {"moves and casts",
     "cast reorder transpose reshape concat slice pad broadcast fill embedding "},
    {"images", "normalize_image edit_images mix_images "},
};

enum { KINDS = sizeof kinds / sizeof *kinds };
_Static_assert((int)KINDS < (int)CLI_OP_KINDS, "one more is for other operations");

static bool lists(const char *operations, const char *name, size_t length)
{
    for (const char *end; *operations; operations = end + 1) {
        end = strchr(operations, ' ');
        if ((size_t)(end - operations) == length && memcmp(operations, name, length) == 0)
            return true;
    }
    return false;
}

static const char *find(const char *name, size_t length)
{
    for (size_t i = 0; i < KINDS; i++)
        if (lists(kinds[i].operations, name, length)) return kinds[i].kind;
    return NULL;
}

const char *cli_op_kind_of(const char *operation)
{
    static const char suffix[] = "_grad";
    const size_t      length = strlen(operation), tail = sizeof suffix - 1;
    const char       *kind = find(operation, length);
    if (!kind && length > tail && strcmp(operation + length - tail, suffix) == 0)
        kind = find(operation, length - tail);
    return kind ? kind : "other";
}

static int by_time(const void *left, const void *right)
{
    const double a = ((const cli_op_sum *)left)->ns, b = ((const cli_op_sum *)right)->ns;
    return (a < b) - (a > b);
}

static cli_op_sum *sum_of(cli_op_sum *sums, size_t *count, const char *kind)
{
    for (size_t i = 0; i < *count; i++)
        if (strcmp(sums[i].kind, kind) == 0) return &sums[i];
    sums[*count] = (cli_op_sum){.kind = kind};
    return &sums[(*count)++];
}

size_t cli_op_kinds_sum(cli_op_sum sums[CLI_OP_KINDS], const stk_program *program,
                        const stk_machine_peaks *limits)
{
    size_t count = 0;
    for (size_t i = 0; i < stk_program_instruction_count(program); i++) {
        const stk_program_instruction step = stk_program_instruction_at(program, i);
        if (!step.runs) continue;
        const double       ns = (double)step.nanoseconds / (double)step.runs;
        const cli_roofline roofline = cli_roofline_of(limits, step.flops, step.bytes, ns);
        cli_op_sum        *sum = sum_of(sums, &count, cli_op_kind_of(step.operation));
        sum->operations++;
        sum->ns += ns;
        sum->floor_ns += roofline.floor_ns;
    }
    qsort(sums, count, sizeof *sums, by_time);
    return count;
}

static cli_op_sum sum_all(const cli_op_sum *sums, size_t count)
{
    cli_op_sum all = {.kind = "all"};
    for (size_t i = 0; i < count; i++) {
        all.operations += sums[i].operations;
        all.ns += sums[i].ns;
        all.floor_ns += sums[i].floor_ns;
    }
    return all;
}

static void add_ms(cli_table *table, double ns)
{
    char text[CLI_FORMAT_CAPACITY];
    snprintf(text, sizeof text, "%.3f", ns / 1e6);
    cli_table_add(table, text);
}

static void add_row(cli_table *table, const cli_op_sum *sum, double all, bool floors)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, sum->kind);
    cli_table_add(table, cli_format_count(text, sum->operations));
    add_ms(table, sum->ns);
    snprintf(text, sizeof text, "%.1f %%", all > 0 ? 100 * sum->ns / all : 0);
    cli_table_add(table, text);
    if (!floors) return;
    add_ms(table, sum->floor_ns);
    add_ms(table, sum->ns - sum->floor_ns);
}

void cli_op_kinds_print(const cli_op_sum *sums, size_t count, bool floors, const cli_style *style)
{
    static const char *const heading[] = {"kind", "operations", "ms", "share", "floor", "above it"};
    const cli_op_sum         all = sum_all(sums, count);
    cli_table                table;
    cli_table_init(&table, floors ? "frrrrr" : "frrr");
    for (int i = 0; i < table.columns; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 0; i < count; i++)
        add_row(&table, &sums[i], all.ns, floors);
    add_row(&table, &all, all.ns, floors);
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

void cli_op_kinds_write(stk_json_writer *json, const cli_op_sum *sums, size_t count, bool floors)
{
    stk_json_key(json, "kinds");
    stk_json_array(json);
    for (size_t i = 0; i < count; i++) {
        stk_json_object(json);
        stk_json_pair_string(json, "kind", sums[i].kind);
        stk_json_pair_uint(json, "operations", sums[i].operations);
        stk_json_pair_double(json, "ms", sums[i].ns / 1e6);
        if (floors) stk_json_pair_double(json, "floor_ms", sums[i].floor_ns / 1e6);
        stk_json_object_end(json);
    }
    stk_json_array_end(json);
}
