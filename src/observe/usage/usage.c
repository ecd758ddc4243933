/* A run in numbers: medians, means, peaks. */
#include "observe/usage/judge.h"

#include <stdio.h>

#define AT(member) offsetof(stk_resource_sample, member)
#define GPU_AT(member) offsetof(stk_gpu_sample, member)

/* Rows and their members of a sample. */
static const struct {
    size_t row, offset;
} rows[] = {
    {offsetof(stk_usage, cpu), AT(cpu)},
    {offsetof(stk_usage, iowait), AT(iowait)},
    {offsetof(stk_usage, own_cores), AT(own_cores)},
    {offsetof(stk_usage, own_memory), AT(own_memory)},
    {offsetof(stk_usage, memory_used), AT(memory_used)},
    {offsetof(stk_usage, page_cache), AT(page_cache)},
    {offsetof(stk_usage, swap_used), AT(swap_used)},
    {offsetof(stk_usage, disk_read), AT(disk_read)},
    {offsetof(stk_usage, disk_write), AT(disk_write)},
    {offsetof(stk_usage, disk_reads), AT(disk_reads)},
    {offsetof(stk_usage, disk_writes), AT(disk_writes)},
    {offsetof(stk_usage, disk_busy), AT(disk_busy)},
    {offsetof(stk_usage, own_read), AT(own_read)},
    {offsetof(stk_usage, own_write), AT(own_write)},
    {offsetof(stk_usage, net_in), AT(net_in)},
    {offsetof(stk_usage, net_out), AT(net_out)},
    {offsetof(stk_usage, switches), AT(switches)},
    {offsetof(stk_usage, own_waiting), AT(own_waiting)},
    {offsetof(stk_usage, rate), AT(rate)},
};

char *stk_usage_bytes(char text[STK_USAGE_NUMBER], double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
    int                      unit = 0;
    while (bytes >= 999.5 && unit < 5) {
        bytes /= 1000;
        unit++;
    }
    const int decimals = !unit ? 0 : bytes < 9.995 ? 2 : bytes < 99.95 ? 1 : 0;
    snprintf(text, STK_USAGE_NUMBER, "%.*f %s", decimals, bytes, units[unit]);
    return text;
}

char *stk_usage_percent(char text[STK_USAGE_NUMBER], double fraction)
{
    snprintf(text, STK_USAGE_NUMBER, "%.0f %%", fraction * 100);
    return text;
}

stk_metric_series stk_usage_series(const stk_usage_input *c, size_t offset)
{
    return (stk_metric_series){c->samples, c->count, offset, 0};
}

stk_metric_series stk_usage_gpu_series(const stk_usage_input *c, size_t offset, unsigned gpus)
{
    return (stk_metric_series){c->samples, c->count, offset, gpus};
}

static stk_usage_row row_of(const stk_metric_series *series, double peak)
{
    const double own = stk_metric_series_peak(series);
    return (stk_usage_row){stk_metric_series_quantile(series, 0.5), stk_metric_series_mean(series),
                           peak > own ? peak : own};
}

/* The median of non-zero values: utilisation while in use. */
static double median_of_used(const stk_metric_series *series)
{
    const double idle = 1 - stk_metric_series_fraction_above(series, 1e-9);
    return idle >= 1 ? 0 : stk_metric_series_quantile(series, idle + (1 - idle) / 2);
}

static double peak_of(const stk_resource_sample *peaks, int gpu, size_t offset)
{
    if (!peaks || gpu >= peaks->gpu_count) return -1;
    return *(const double *)(const void *)((const char *)&peaks->gpus[gpu] + offset);
}

static stk_usage_row gpu_row(const stk_usage_input *c, const stk_resource_sample *peaks, int gpu,
                             size_t offset)
{
    const stk_metric_series series = stk_usage_gpu_series(c, offset, 1u << gpu);
    return row_of(&series, peak_of(peaks, gpu, offset));
}

static stk_usage_gpu analyze_gpu(const stk_usage_input *c, const stk_resource_sample *peaks, int i)
{
    const stk_metric_series use = stk_usage_gpu_series(c, GPU_AT(utilisation), 1u << i);
    const stk_metric_series throttled = stk_usage_gpu_series(c, GPU_AT(throttled), 1u << i);
    const stk_metric_series own = stk_usage_gpu_series(c, GPU_AT(own_memory), 1u << i);
    stk_usage_gpu           gpu = {
                  .utilisation = gpu_row(c, peaks, i, GPU_AT(utilisation)),
                  .memory = gpu_row(c, peaks, i, GPU_AT(memory_used)),
                  .watts = gpu_row(c, peaks, i, GPU_AT(watts)),
                  .celsius = gpu_row(c, peaks, i, GPU_AT(celsius)),
                  .clock_mhz = gpu_row(c, peaks, i, GPU_AT(clock_mhz)),
                  .median_nonzero = median_of_used(&use),
                  .throttled = stk_metric_series_fraction_above(&throttled, 0.5),
    };
    gpu.used = stk_metric_series_peak(&own) > 0 || gpu.utilisation.peak > 0.01;
    return gpu;
}

void stk_usage_analyze(stk_usage *out, const stk_machine_info *machine,
                       const stk_resource_sample *samples, size_t count,
                       const stk_resource_sample *peaks)
{
    stk_usage_input c = {machine, samples, count, 0};
    *out = (stk_usage){.samples = count};
    out->seconds = count ? samples[count - 1].seconds : 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const stk_metric_series series = stk_usage_series(&c, rows[i].offset);
        const char             *at = peaks ? (const char *)peaks + rows[i].offset : NULL;
        const double            peak = at ? *(const double *)(const void *)at : -1;
        *(stk_usage_row *)(void *)((char *)out + rows[i].row) = row_of(&series, peak);
    }
    out->gpu_count = machine->gpu_count;
    for (int i = 0; i < out->gpu_count; i++) {
        out->gpus[i] = analyze_gpu(&c, peaks, i);
        if (out->gpus[i].used) c.gpus |= 1u << i;
    }
    stk_usage_find(out, &c);
    stk_usage_decide(out, &c);
}
