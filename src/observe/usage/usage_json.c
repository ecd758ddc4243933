/* Writes a usage analysis as JSON. */
#include <stoker/usage.h>

/* Unknown values are null. */
static void write_number(stk_json_writer *json, const char *key, double value)
{
    stk_json_key(json, key);
    if (value < 0)
        stk_json_null(json);
    else
        stk_json_double(json, value);
}

static void write_row(stk_json_writer *json, const char *key, const stk_usage_row *row)
{
    stk_json_key(json, key);
    stk_json_object(json);
    write_number(json, "median", row->median);
    write_number(json, "mean", row->mean);
    write_number(json, "peak", row->peak);
    stk_json_object_end(json);
}

static void write_gpu(stk_json_writer *json, const stk_usage_gpu *gpu)
{
    stk_json_object(json);
    stk_json_pair_bool(json, "used", gpu->used);
    write_row(json, "utilisation", &gpu->utilisation);
    write_number(json, "utilisation_median_nonzero", gpu->median_nonzero);
    write_row(json, "memory_bytes", &gpu->memory);
    write_row(json, "watts", &gpu->watts);
    write_row(json, "celsius", &gpu->celsius);
    write_row(json, "clock_mhz", &gpu->clock_mhz);
    write_number(json, "throttled", gpu->throttled);
    stk_json_object_end(json);
}

static void write_rows(const stk_usage *u, stk_json_writer *json)
{
    const struct {
        const char          *key;
        const stk_usage_row *row;
    } rows[] = {
        {"cpu", &u->cpu},
        {"iowait", &u->iowait},
        {"own_cores", &u->own_cores},
        {"own_memory_bytes", &u->own_memory},
        {"memory_used_bytes", &u->memory_used},
        {"page_cache_bytes", &u->page_cache},
        {"swap_used_bytes", &u->swap_used},
        {"disk_read_bytes_per_s", &u->disk_read},
        {"disk_write_bytes_per_s", &u->disk_write},
        {"disk_reads_per_s", &u->disk_reads},
        {"disk_writes_per_s", &u->disk_writes},
        {"disk_busy", &u->disk_busy},
        {"own_read_bytes_per_s", &u->own_read},
        {"own_write_bytes_per_s", &u->own_write},
        {"net_in_bytes_per_s", &u->net_in},
        {"net_out_bytes_per_s", &u->net_out},
        {"switches_per_s", &u->switches},
        {"own_waiting_threads", &u->own_waiting},
        {"samples_per_s", &u->rate},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        write_row(json, rows[i].key, rows[i].row);
}

static void write_finding(stk_json_writer *json, const stk_finding *finding)
{
    stk_json_object(json);
    stk_json_pair_string(json, "kind", stk_finding_name(finding->kind));
    stk_json_pair_double(json, "value", finding->value);
    stk_json_pair_string(json, "sentence", finding->sentence);
    stk_json_pair_string(json, "advice", finding->advice);
    stk_json_object_end(json);
}

void stk_usage_write(const stk_usage *usage, stk_json_writer *json)
{
    stk_json_pair_double(json, "seconds", usage->seconds);
    stk_json_pair_uint(json, "samples", usage->samples);
    write_rows(usage, json);
    stk_json_key(json, "gpus");
    stk_json_array(json);
    for (int i = 0; i < usage->gpu_count; i++)
        write_gpu(json, &usage->gpus[i]);
    stk_json_array_end(json);
    stk_json_pair_string(json, "limit", stk_usage_bottleneck_name(usage->limit));
    stk_json_pair_string(json, "verdict", usage->verdict);
    stk_json_pair_string(json, "advice", usage->advice);
    stk_json_key(json, "findings");
    stk_json_array(json);
    for (size_t i = 0; i < usage->finding_count; i++)
        write_finding(json, &usage->findings[i]);
    stk_json_array_end(json);
}
