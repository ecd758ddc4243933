/* Measures a preset with each of its operations left out in turn. */
#include "bench_ablate.h"

#include "format.h"
#include "table.h"

#include <string.h>

static stk_status add(cli_ablation *out, const char *path, const cli_bench_shape *shape,
                      const char *name, stk_error *err)
{
    if (out->count == CLI_BENCH_CONTENDERS) return STK_OK;
    cli_contender *contender = &out->contenders[out->count];
    snprintf(contender->name, sizeof contender->name, "%s", name);
    STK_TRY(cli_bench_pipeline(&contender->data, path, shape, err));
    out->count++;
    return STK_OK;
}

static stk_status add_without(cli_ablation *out, const char *path, const cli_bench_shape *shape,
                              const char *operation, stk_error *err)
{
    cli_bench_shape less = *shape;
    for (size_t i = 1; i < out->count; i++)
        if (strcmp(out->contenders[i].name, operation) == 0) return STK_OK;
    less.preparation.drop = operation;
    return add(out, path, &less, operation, err);
}

/* Images stored as pixels need no decode. */
static stk_status is_encoded(bool *encoded, const char *path, const cli_bench_shape *shape,
                             stk_error *err)
{
    const stk_images_options options = {.split = shape->split};
    stk_dataset             *data;
    STK_TRY(stk_dataset_images(&data, path, &options, err));
    *encoded = stk_dataset_spec(data)->values[0].dtype == STK_DTYPE_BYTES;
    stk_dataset_unref(data);
    return STK_OK;
}

/* Otherwise fit applies to unusual images only and costs nothing. */
static bool resizes_all(const stk_preset *preset)
{
    return preset->fit && strstr(preset->fit, "{size}");
}

static stk_status add_all(cli_ablation *out, const char *path, const cli_bench_shape *shape,
                          stk_error *err)
{
    const stk_preset_op *step =
        shape->preparation.evaluate ? shape->preset->evaluate : shape->preset->train;
    cli_bench_shape undecoded = *shape;
    bool            encoded;
    undecoded.preparation.stub = "decode_image";
    STK_TRY(is_encoded(&encoded, path, shape, err));
    STK_TRY(add(out, path, shape, "all", err));
    if (encoded) STK_TRY(add(out, path, &undecoded, "decode_image", err));
    if (resizes_all(shape->preset)) STK_TRY(add_without(out, path, shape, "fit", err));
    for (; step->operation; step++)
        STK_TRY(add_without(out, path, shape, step->operation, err));
    if (shape->preparation.normalize) STK_TRY(add_without(out, path, shape, "normalize", err));
    return shape->preparation.planar ? add_without(out, path, shape, "layout", err) : STK_OK;
}

stk_status cli_ablation_run(cli_ablation *out, const char *path, const cli_bench_shape *shape,
                            const cli_bench_limits *limits, stk_error *err)
{
    *out = (cli_ablation){0};
    STK_TRY(add_all(out, path, shape, err));
    return cli_bench_interleaved(out->contenders, out->count, limits, err);
}

void cli_ablation_release(cli_ablation *ablation)
{
    for (size_t i = 0; i < ablation->count; i++)
        stk_dataset_unref(ablation->contenders[i].data);
    ablation->count = 0;
}

/* CPU microseconds per image that contender i saves. */
static double cost_us(const cli_ablation *a, size_t i)
{
    return (a->contenders[0].cpu - a->contenders[i].cpu) * 1e6;
}

static double total_us(const cli_ablation *a)
{
    return a->contenders[0].cpu * 1e6;
}

static double sum_us(const cli_ablation *a)
{
    double sum = 0;
    for (size_t i = 1; i < a->count; i++)
        sum += cost_us(a, i);
    return sum;
}

static void add_row(cli_table *table, const char *name, double rate, double us, double whole)
{
    char text[CLI_FORMAT_CAPACITY];
    cli_table_add(table, name);
    if (rate > 0)
        cli_format_count(text, (uint64_t)(rate + 0.5));
    else
        text[0] = 0;
    cli_table_add(table, text);
    snprintf(text, sizeof text, whole < 100 ? "%.2f" : "%.1f", us);
    cli_table_add(table, text);
    snprintf(text, sizeof text, "%.0f %%", whole > 0 ? 100 * us / whole : 0);
    cli_table_add(table, text);
}

void cli_ablation_print(const cli_ablation *a, const cli_style *style)
{
    static const char *const heading[] = {"operation", "img/s without it", "us an image", "share"};
    cli_table                table;
    char                     rate[CLI_FORMAT_CAPACITY], core[CLI_FORMAT_CAPACITY];
    printf("%s%s img/s%s  %s img/s per core\n\n", style->bold,
           cli_format_count(rate, (uint64_t)(a->contenders[0].rate + 0.5)), style->plain,
           cli_format_count(core, (uint64_t)(1 / a->contenders[0].cpu + 0.5)));
    printf("%sOperations%s, each left out in turn; time is that of a core, median of %d rounds\n",
           style->bold, style->plain, CLI_BENCH_ROUNDS);
    cli_table_init(&table, "frrr");
    for (size_t i = 0; i < sizeof heading / sizeof *heading; i++)
        cli_table_add(&table, heading[i]);
    for (size_t i = 1; i < a->count; i++)
        add_row(&table, a->contenders[i].name, a->contenders[i].rate, cost_us(a, i), total_us(a));
    add_row(&table, "sum of these", 0, sum_us(a), total_us(a));
    add_row(&table, "all, with reading and batching", 0, total_us(a), total_us(a));
    cli_table_print(&table, stdout, style);
    cli_table_release(&table);
}

static void write_operation(stk_json_writer *json, const cli_ablation *a, size_t i)
{
    stk_json_object(json);
    stk_json_pair_string(json, "operation", a->contenders[i].name);
    stk_json_pair_double(json, "samples_per_s_without", a->contenders[i].rate);
    stk_json_pair_double(json, "us", cost_us(a, i));
    stk_json_pair_double(json, "share", total_us(a) > 0 ? cost_us(a, i) / total_us(a) : 0);
    stk_json_object_end(json);
}

void cli_ablation_write_json(stk_json_writer *json, const cli_ablation *a, const char *path,
                             const cli_bench_shape *shape)
{
    stk_json_object(json);
    stk_json_pair_string(json, "path", path);
    stk_json_pair_string(json, "preset", shape->preset->name);
    stk_json_pair_double(json, "samples_per_s", a->contenders[0].rate);
    stk_json_pair_double(json, "samples_per_core_s", 1 / a->contenders[0].cpu);
    stk_json_pair_double(json, "total_us", total_us(a));
    stk_json_pair_double(json, "sum_us", sum_us(a));
    stk_json_key(json, "operations");
    stk_json_array(json);
    for (size_t i = 1; i < a->count; i++)
        write_operation(json, a, i);
    stk_json_array_end(json);
    stk_json_object_end(json);
}
