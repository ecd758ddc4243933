/* Output of stoker watch. */
#include "watch_report.h"

#include "format.h"
#include "table.h"
#include "text.h"

#include <string.h>

static double number_at(const void *base, size_t offset)
{
    return *(const double *)(const void *)((const char *)base + offset);
}

/* Mean of the known values; -1: none. */
static double mean_of(const stk_resource_sample *samples, size_t count, size_t offset)
{
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (number_at(&samples[i], offset) >= 0) {
            sum += number_at(&samples[i], offset);
            known++;
        }
    return known ? sum / (double)known : -1;
}

static char *rate_text(char *text, double rate)
{
    if (rate < 0) return strcpy(text, "-");
    return cli_format_rate(text, (uint64_t)rate, 1);
}

static char *bytes_text(char *text, double bytes)
{
    if (bytes < 0) return strcpy(text, "-");
    return cli_format_bytes(text, (uint64_t)bytes);
}

#define AT(member) offsetof(stk_resource_sample, member)

void cli_watch_line(FILE *out, const stk_resource_sample *samples, size_t count,
                    const cli_metric_values *metric)
{
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY];
    if (!count) return;
    const stk_resource_sample *last = &samples[count - 1];
    const double               own = mean_of(samples, count, AT(own_cores));
    fprintf(out, "watch %s  CPU %.0f %%", cli_format_duration(a, last->seconds),
            100 * mean_of(samples, count, AT(cpu)));
    if (own >= 0)
        fprintf(out, "  own %.2f cores, %s", own, bytes_text(a, last->own_memory));
    else
        fprintf(out, "  memory %s", bytes_text(a, last->memory_used));
    fprintf(out, "  disk %s + ", rate_text(a, mean_of(samples, count, AT(disk_read))));
    fprintf(out, "%s", rate_text(b, mean_of(samples, count, AT(disk_write))));
    fprintf(out, "  net %s + ", rate_text(a, mean_of(samples, count, AT(net_in))));
    fprintf(out, "%s", rate_text(b, mean_of(samples, count, AT(net_out))));
    for (int g = 0; g < last->gpu_count; g++) {
        const size_t at = AT(gpus) + (size_t)g * sizeof(stk_gpu_sample);
        const double use = mean_of(samples, count, at + offsetof(stk_gpu_sample, utilisation));
        if (use < 0)
            fprintf(out, "  GPU %d -", g);
        else
            fprintf(out, "  GPU %d %.0f %%, %s", g, use * 100,
                    bytes_text(a, last->gpus[g].memory_used));
    }
    if (metric->count) fprintf(out, "  metric %.6g", metric->last);
    fprintf(out, "\n");
}

typedef enum unit { SHARE, CORES, BYTES, RATE, COUNT, WATTS, CELSIUS, MHZ } unit;

static void add_number(cli_table *table, unit kind, double value)
{
    char text[CLI_FORMAT_CAPACITY];
    switch (value < 0 ? -1 : (int)kind) {
    case SHARE:
        snprintf(text, sizeof text, "%.0f %%", value * 100);
        break;
    case CORES:
        snprintf(text, sizeof text, "%.2f", value);
        break;
    case BYTES:
        bytes_text(text, value);
        break;
    case RATE:
        rate_text(text, value);
        break;
    case COUNT:
        snprintf(text, sizeof text, "%.0f", value);
        break;
    case WATTS:
        snprintf(text, sizeof text, "%.0f W", value);
        break;
    case CELSIUS:
        snprintf(text, sizeof text, "%.0f C", value);
        break;
    case MHZ:
        snprintf(text, sizeof text, "%.0f MHz", value);
        break;
    default:
        strcpy(text, "-");
    }
    cli_table_add(table, text);
}

static void add_row(cli_table *table, const char *name, unit kind, const stk_usage_row *row)
{
    if (row->peak < 0) return; /* never known */
    cli_table_add(table, name);
    add_number(table, kind, row->median);
    add_number(table, kind, row->mean);
    add_number(table, kind, row->peak);
}

static void add_gpu(cli_table *table, const stk_usage_gpu *gpu, int number)
{
    char name[40];
    snprintf(name, sizeof name, "GPU %d", number);
    add_row(table, name, SHARE, &gpu->utilisation);
    const stk_usage_row used = {gpu->median_nonzero, -1, gpu->utilisation.peak};
    add_row(table, "  while it was used", SHARE, &used);
    add_row(table, "  memory", BYTES, &gpu->memory);
    add_row(table, "  power", WATTS, &gpu->watts);
    add_row(table, "  temperature", CELSIUS, &gpu->celsius);
    add_row(table, "  clock", MHZ, &gpu->clock_mhz);
}

static void print_table(FILE *out, const stk_usage *u, const cli_style *style)
{
    cli_table table;
    cli_table_init(&table, "lrrr");
    cli_table_add(&table, "");
    cli_table_add(&table, "median");
    cli_table_add(&table, "mean");
    cli_table_add(&table, "peak");
    add_row(&table, "CPU, whole machine", SHARE, &u->cpu);
    add_row(&table, "waiting for disks", SHARE, &u->iowait);
    add_row(&table, "own cores", CORES, &u->own_cores);
    add_row(&table, "threads without a core", CORES, &u->own_waiting);
    add_row(&table, "own memory", BYTES, &u->own_memory);
    add_row(&table, "memory used", BYTES, &u->memory_used);
    add_row(&table, "page cache", BYTES, &u->page_cache);
    if (u->swap_used.peak > 0) add_row(&table, "swap", BYTES, &u->swap_used);
    add_row(&table, "disk read", RATE, &u->disk_read);
    add_row(&table, "disk write", RATE, &u->disk_write);
    add_row(&table, "disk reads a second", COUNT, &u->disk_reads);
    add_row(&table, "disk writes a second", COUNT, &u->disk_writes);
    add_row(&table, "busiest disk", SHARE, &u->disk_busy);
    add_row(&table, "own read", RATE, &u->own_read);
    add_row(&table, "own write", RATE, &u->own_write);
    add_row(&table, "network in", RATE, &u->net_in);
    add_row(&table, "network out", RATE, &u->net_out);
    add_row(&table, "switches a second", COUNT, &u->switches);
    for (int i = 0; i < u->gpu_count; i++)
        add_gpu(&table, &u->gpus[i], i);
    cli_table_print(&table, out, style);
    cli_table_release(&table);
}

static void print_findings(FILE *out, const stk_usage *u, const cli_style *style)
{
    for (size_t i = 0; i < u->finding_count; i++) {
        fprintf(out, "  - ");
        cli_text_wrap(out, u->findings[i].sentence, 4, 4, style->width);
        fprintf(out, "    ");
        cli_text_wrap(out, u->findings[i].advice, 4, 4, style->width);
    }
}

static void print_metric(FILE *out, const cli_watch_report *report, const cli_style *style)
{
    char text[CLI_METRIC_TEXT];
    fprintf(out, "%smetric%s   ", style->bold, style->plain);
    cli_text_wrap(out, cli_metric_text(text, &report->metric), 9, 9, style->width);
}

void cli_watch_print(FILE *out, const cli_watch_report *report, const cli_style *style)
{
    const stk_usage *u = report->usage;
    char             time[CLI_FORMAT_CAPACITY], memory[CLI_FORMAT_CAPACITY];
    fprintf(out, "%sstoker watch%s  ", style->bold, style->plain);
    cli_text_print(out, report->title);
    fprintf(out, "\n  %s, %zu samples; %d cores, %s; GPUs: %s\n",
            cli_format_duration(time, u->seconds), u->samples, report->machine->cores,
            cli_format_bytes(memory, report->machine->memory), report->machine->gpu_source);
    print_table(out, u, style);
    if (u->gpu_count)
        cli_text_wrap(out,
                      "GPU utilisation is the share of time with any kernel at all: 100 % can be "
                      "one thread of one kernel.",
                      0, 2, style->width);
    if (report->pattern) print_metric(out, report, style);
    fprintf(out, "%sverdict%s  ", style->bold, style->plain);
    cli_text_wrap(out, u->verdict, 9, 9, style->width);
    cli_text_wrap(out, u->advice, 0, 9, style->width);
    print_findings(out, u, style);
    if (report->note && report->note[0]) fprintf(out, "  note: %s\n", report->note);
    if (report->signal_number)
        fprintf(out, "  the command was killed by signal %d (%s)\n", report->signal_number,
                strsignal(report->signal_number));
    else if (report->exit_code > 0)
        fprintf(out, "  the command ended with exit code %d\n", report->exit_code);
    fprintf(out, "  watching took %.2f %% of a core\n", report->own_cores * 100);
}

static void write_machine(stk_json_writer *json, const stk_machine_info *machine)
{
    stk_json_key(json, "machine");
    stk_json_object(json);
    stk_json_pair_string(json, "host", machine->host);
    stk_json_pair_string(json, "cpu", machine->cpu);
    stk_json_pair_string(json, "kernel", machine->kernel);
    stk_json_pair_int(json, "cores", machine->cores);
    stk_json_pair_uint(json, "memory_bytes", machine->memory);
    stk_json_key(json, "link_bytes_per_s");
    if (machine->link_bytes < 0)
        stk_json_null(json);
    else
        stk_json_double(json, machine->link_bytes);
    stk_json_pair_string(json, "gpu_source", machine->gpu_source);
    stk_json_key(json, "gpus");
    stk_json_array(json);
    for (int i = 0; i < machine->gpu_count; i++)
        stk_json_string(json, machine->gpus[i].name);
    stk_json_array_end(json);
    stk_json_object_end(json);
}

void cli_watch_json(stk_json_writer *json, const cli_watch_report *report)
{
    stk_json_object(json);
    stk_json_pair_string(json, "command", report->title);
    stk_json_key(json, "exit_code");
    if (report->exit_code < 0)
        stk_json_null(json);
    else
        stk_json_int(json, report->exit_code);
    stk_json_pair_int(json, "signal", report->signal_number);
    stk_json_pair_double(json, "watching_cores", report->own_cores);
    stk_json_pair_string(json, "note", report->note ? report->note : "");
    cli_metric_json(json, report->pattern, &report->metric);
    write_machine(json, report->machine);
    stk_usage_write(report->usage, json);
    stk_json_object_end(json);
}
