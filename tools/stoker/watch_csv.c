/* CSV log of stoker watch. */
#include "watch_csv.h"

#include <errno.h>
#include <string.h>
#include <time.h>

typedef struct column {
    const char *name;
    size_t      offset;
} column;

#define AT(member) offsetof(stk_resource_sample, member)
#define GPU_AT(member) offsetof(stk_gpu_sample, member)

static const column columns[] = {
    {"cpu", AT(cpu)},
    {"iowait", AT(iowait)},
    {"own_cores", AT(own_cores)},
    {"own_memory_bytes", AT(own_memory)},
    {"memory_used_bytes", AT(memory_used)},
    {"page_cache_bytes", AT(page_cache)},
    {"swap_used_bytes", AT(swap_used)},
    {"disk_read_bytes_per_s", AT(disk_read)},
    {"disk_write_bytes_per_s", AT(disk_write)},
    {"disk_reads_per_s", AT(disk_reads)},
    {"disk_writes_per_s", AT(disk_writes)},
    {"disk_busy", AT(disk_busy)},
    {"own_read_bytes_per_s", AT(own_read)},
    {"own_write_bytes_per_s", AT(own_write)},
    {"net_in_bytes_per_s", AT(net_in)},
    {"net_out_bytes_per_s", AT(net_out)},
    {"switches_per_s", AT(switches)},
    {"own_waiting_threads", AT(own_waiting)},
};

static const column gpu_columns[] = {
    {"utilisation", GPU_AT(utilisation)},
    {"memory_bytes", GPU_AT(memory_used)},
    {"memory_utilisation", GPU_AT(memory_utilisation)},
    {"watts", GPU_AT(watts)},
    {"celsius", GPU_AT(celsius)},
    {"clock_mhz", GPU_AT(clock_mhz)},
    {"throttled", GPU_AT(throttled)},
    {"pcie_in_bytes_per_s", GPU_AT(pcie_in)},
    {"pcie_out_bytes_per_s", GPU_AT(pcie_out)},
    {"own_memory_bytes", GPU_AT(own_memory)},
};

enum {
    COLUMNS = sizeof columns / sizeof *columns,
    GPU_COLUMNS = sizeof gpu_columns / sizeof *gpu_columns
};

stk_status cli_csv_open(cli_csv *csv, const char *path, double interval_s, int gpu_count,
                        bool has_metric, stk_error *err)
{
    *csv = (cli_csv){.interval_s = interval_s,
                     .next_s = interval_s,
                     .gpu_count = gpu_count,
                     .has_metric = has_metric};
    csv->file = fopen(path, "we");
    if (!csv->file) return stk_fail_errno(err, errno, "watch", path, "open it to write");
    fprintf(csv->file, "seconds,unix_time");
    for (int i = 0; i < COLUMNS; i++)
        fprintf(csv->file, ",%s", columns[i].name);
    for (int g = 0; g < gpu_count; g++)
        for (int i = 0; i < GPU_COLUMNS; i++)
            fprintf(csv->file, ",gpu%d_%s", g, gpu_columns[i].name);
    fprintf(csv->file, "%s\n", has_metric ? ",metric" : "");
    return STK_OK;
}

static void add_value(cli_csv *csv, int at, const void *base, size_t offset)
{
    const double value = *(const double *)(const void *)((const char *)base + offset);
    if (value < 0) return;
    csv->sums[at] += value;
    csv->counts[at]++;
}

void cli_csv_add_metric(cli_csv *csv, double value)
{
    csv->metric_sum += value;
    csv->metric_count++;
}

static void write_metric(cli_csv *csv)
{
    fputc(',', csv->file);
    if (csv->metric_count) fprintf(csv->file, "%.9g", csv->metric_sum / csv->metric_count);
    csv->metric_sum = 0;
    csv->metric_count = 0;
}

static void write_row(cli_csv *csv, double seconds)
{
    struct timespec now;
    const int       count = COLUMNS + csv->gpu_count * GPU_COLUMNS;
    clock_gettime(CLOCK_REALTIME, &now);
    fprintf(csv->file, "%.3f,%lld.%03ld", seconds, (long long)now.tv_sec, now.tv_nsec / 1000000);
    for (int i = 0; i < count; i++)
        if (csv->counts[i])
            fprintf(csv->file, ",%.9g", csv->sums[i] / csv->counts[i]);
        else
            fputc(',', csv->file);
    if (csv->has_metric) write_metric(csv);
    fputc('\n', csv->file);
    fflush(csv->file); /* others may follow the file */
}

void cli_csv_add(cli_csv *csv, const stk_resource_sample *sample)
{
    if (!csv->file) return;
    for (int i = 0; i < COLUMNS; i++)
        add_value(csv, i, sample, columns[i].offset);
    for (int g = 0; g < csv->gpu_count && g < sample->gpu_count; g++)
        for (int i = 0; i < GPU_COLUMNS; i++)
            add_value(csv, COLUMNS + g * GPU_COLUMNS + i, &sample->gpus[g], gpu_columns[i].offset);
    /* Tolerates jitter of a sample. */
    if (sample->seconds < csv->next_s - 0.02) return;
    write_row(csv, sample->seconds);
    memset(csv->sums, 0, sizeof csv->sums);
    memset(csv->counts, 0, sizeof csv->counts);
    csv->next_s += csv->interval_s;
    if (csv->next_s <= sample->seconds) csv->next_s = sample->seconds + csv->interval_s;
}

stk_status cli_csv_close(cli_csv *csv, const char *path, stk_error *err)
{
    if (!csv->file) return STK_OK;
    const bool failed = ferror(csv->file) != 0;
    const bool closed = fclose(csv->file) == 0;
    csv->file = NULL;
    if (!failed && closed) return STK_OK;
    return stk_fail(err, STK_E_IO, "watch", path,
                    "some rows could not be written: is the disk "
                    "full?");
}
