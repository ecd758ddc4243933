/* stoker watch: resource usage of a command, a process or the machine, with a metric from the
 * command's output. */
#include "json_out.h"
#include "spread.h"
#include "terminal.h"
#include "watch_report.h"
#include "watch_session.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>
#include <unistd.h>

enum { NOT_RUNNABLE = 126, NOT_FOUND = 127, KEPT = 4096 };

static const cli_watch_values defaults = {.interval_s = 0.5, .csv_interval_s = 1, .every_s = 10};

static const cli_option options[] = {
    {CLI_OPTION(cli_watch_values, interval_s, "interval", NUMBER, "S"), .letter = 'i', .least = 0.1,
     .most = 60, .group = "What to watch", .help = "seconds between samples (default 0.5)"},
    {CLI_OPTION(cli_watch_values, seconds, "seconds", NUMBER, "S"), .letter = 's', .least = 0.1,
     .most = 1e9, .group = "What to watch",
     .help = "stop after so long (without COMMAND; default: until Ctrl-C)"},
    {CLI_OPTION(cli_watch_values, pid, "pid", INTEGER, "N"), .least = 1, .most = 1 << 30,
     .group = "What to watch",
     .help = "watch this process and its children until it ends, instead of a COMMAND"},
    {CLI_OPTION(cli_watch_values, metric, "metric", TEXT, "REGEX"), .group = "What to watch",
     .help = "read a number from what COMMAND writes: an extended regular expression with one "
             "group, such as 'loss[:= ]+([0-9.e-]+)'"},
    {CLI_OPTION(cli_watch_values, link, "link", TEXT, "SPEED"), .group = "What to watch",
     .help = "bits a second of the network, such as 10G or 200M, where the machine does not know "
             "(default: the fastest link's)"},
    {CLI_OPTION(cli_watch_values, view, "view", FLAG, NULL), .group = "What to show",
     .help = "use the whole screen, with COMMAND, too; what that writes must go elsewhere"},
    {CLI_OPTION(cli_watch_values, lines, "lines", FLAG, NULL), .group = "What to show",
     .help = "a line now and then, on a terminal, too"},
    {CLI_OPTION(cli_watch_values, every_s, "every", NUMBER, "S"), .least = 0.1, .most = 1e6,
     .group = "What to show", .help = "seconds between lines (default 10)"},
    {CLI_OPTION(cli_watch_values, csv, "csv", FILE, "FILE"), .group = "What to keep",
     .help = "write a row of numbers every second"},
    {CLI_OPTION(cli_watch_values, csv_interval_s, "csv-interval", NUMBER, "S"), .least = 0.1,
     .most = 1e6, .group = "What to keep", .help = "seconds between rows (default 1)"},
    {CLI_OPTION(cli_watch_values, summary, "summary", FILE, "FILE"), .group = "What to keep",
     .help = "write the summary as JSON there, too"},
    {CLI_OPTION(cli_watch_values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "What to show", .help = "colours: auto (on a terminal), always, never"},
    {CLI_OPTION(cli_watch_values, json, "json", FLAG, NULL), .group = "Common",
     .help = "print the summary as JSON to stdout"},
    {CLI_OPTION(cli_watch_values, quiet, "quiet", FLAG, NULL), .letter = 'q', .group = "Common",
     .help = "no lines while it goes on; the summary only"},
};

static void take_sample(void *context, const stk_resource_sample *sample)
{
    cli_watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    watch->recent[watch->recent_count++ % CLI_WATCH_RECENT] = *sample;
    cli_csv_add(&watch->csv, sample);
    pthread_mutex_unlock(&watch->lock);
}

static void take_metric(void *context, double value)
{
    cli_watch *watch = context;
    pthread_mutex_lock(&watch->lock);
    cli_metric_values_add(&watch->metric, value);
    if (isfinite(value)) cli_csv_add_metric(&watch->csv, value);
    pthread_mutex_unlock(&watch->lock);
}

/* Parses "10G" or "2.5Gbit" to bytes per second; -1: invalid. */
static double read_link(const char *text)
{
    static const struct {
        char   letter;
        double bits;
    } units[] = {{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}};
    char        *end;
    const double number = strtod(text, &end);
    if (end == text || !isfinite(number) || number <= 0) return -1;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (*end != units[i].letter) continue;
        const bool whole = !end[1] || !strcmp(end + 1, "bit") || !strcmp(end + 1, "bit/s");
        return whole ? number * units[i].bits / 8 : -1;
    }
    return -1;
}

static void write_title(cli_watch *watch)
{
    const cli_invocation *call = watch->call;
    size_t                used = 0;
    snprintf(watch->title, sizeof watch->title, "this machine");
    if (watch->values->pid)
        snprintf(watch->title, sizeof watch->title, "process %d", (int)watch->values->pid);
    for (int i = 0; i < call->operand_count && used < sizeof watch->title; i++)
        used += (size_t)snprintf(watch->title + used, sizeof watch->title - used, "%s%s",
                                 i ? " " : "", call->operands[i]);
}

/* Only on a free screen: a command would write over it. */
static bool wants_view(const cli_watch *watch)
{
    const cli_watch_values *v = watch->values;
    if (v->view) return true;
    if (v->lines || v->json || v->quiet || watch->call->operand_count) return false;
    return isatty(STDOUT_FILENO) && isatty(STDERR_FILENO);
}

static int check_usage(const cli_invocation *call)
{
    const cli_watch_values *v = call->values;
    if (v->pid && call->operand_count)
        return cli_report_usage(call->command, "--pid and COMMAND exclude each other", NULL);
    if (v->view && v->lines)
        return cli_report_usage(call->command, "--view and --lines exclude each other", NULL);
    if (v->view && call->operand_count && (isatty(STDOUT_FILENO) || isatty(STDERR_FILENO)))
        return cli_report_usage(call->command, "--view: the command would write over the screen",
                                "send what it writes to a file: stoker watch --view -- COMMAND "
                                ">log 2>&1");
    if (v->metric && !call->operand_count)
        return cli_report_usage(call->command,
                                "--metric reads what COMMAND writes, and there is none",
                                "stoker watch --metric REGEX -- COMMAND");
    if (v->link && read_link(v->link) < 0)
        return cli_report_usage(call->command, "--link takes bits a second with a unit",
                                "such as --link 10G, 2.5G or 200M");
    if (v->seconds > 0 && call->operand_count)
        return cli_report_usage(call->command, "--seconds is for watching without COMMAND",
                                "'timeout' ends a command after a time");
    return CLI_EXIT_OK;
}

static stk_status start_monitor(cli_watch *watch, stk_error *err)
{
    const cli_watch_values   *v = watch->values;
    const stk_monitor_options how = {.process = watch->child.pid ? watch->child.pid
                                                : v->pid         ? (int)v->pid
                                                                 : -1,
                                     .interval_s = v->interval_s,
                                     .samples = KEPT,
                                     .threads = wants_view(watch) ? CLI_WATCH_THREADS : 0,
                                     .sampled = take_sample,
                                     .context = watch};
    if (v->pid && kill((pid_t)v->pid, 0) && errno == ESRCH)
        return stk_fail(err, STK_E_NOTFOUND, "watch", watch->title, "there is no such process");
    STK_TRY(stk_monitor_start(&watch->monitor, &how, err));
    watch->machine = *stk_monitor_machine(watch->monitor);
    if (v->link) watch->machine.link_bytes = read_link(v->link);
    if (!v->csv) return STK_OK;
    cli_csv csv;
    STK_TRY(cli_csv_open(&csv, v->csv, v->csv_interval_s, watch->machine.gpu_count,
                         v->metric != NULL, err));
    pthread_mutex_lock(&watch->lock);
    watch->csv = csv;
    pthread_mutex_unlock(&watch->lock);
    return STK_OK;
}

/* The file is written atomically. */
static int save_summary(const cli_watch *watch, const cli_watch_report *report)
{
    stk_json_writer json;
    stk_blob        text;
    stk_error       err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    cli_watch_json(&json, report);
    stk_status  st = stk_json_end(&json, &err);
    stk_output *out = NULL;
    if (!st) st = stk_output_create(&out, NULL, watch->values->summary, &err);
    if (!st) st = stk_output_write(out, text.data, text.size, &err);
    if (!st) st = stk_output_commit(out, &err);
    stk_output_close(out);
    stk_blob_release(&text);
    return st ? cli_report_error(watch->call->command, &err, NULL) : CLI_EXIT_OK;
}

/* With a command, stdout is the command's, so the summary goes to stderr; after a view, to the
 * terminal. */
static int print_summary(const cli_watch *watch, const cli_watch_report *report)
{
    const cli_watch_values *v = watch->values;
    int                     code = v->summary ? save_summary(watch, report) : CLI_EXIT_OK;
    if (v->json) {
        cli_json_out json;
        cli_json_out_begin(&json);
        cli_watch_json(&json.writer, report);
        const int printed = cli_json_out_end(&json, watch->call);
        return code ? code : printed;
    }
    FILE *out = watch->child.pid ? stderr : stdout;
    FILE *terminal = watch->on_view && !isatty(fileno(out)) ? fopen("/dev/tty", "we") : NULL;
    if (terminal) out = terminal;
    const cli_style style = cli_style_for(out, v->color);
    cli_watch_print(out, report, &style);
    if (terminal) fclose(terminal);
    return code;
}

static int summarise(cli_watch *watch, int exit_code, int signal_number)
{
    char                 note[256];
    stk_resource_sample  peaks;
    stk_usage            usage;
    stk_resource_sample *series = calloc(KEPT, sizeof *series);
    if (!series) {
        fprintf(stderr, "stoker watch: no memory for the summary\n");
        return CLI_EXIT_FAILED;
    }
    cli_watch_report report = {.title = watch->title,
                               .machine = &watch->machine,
                               .usage = &usage,
                               .note = note,
                               .pattern = watch->values->metric,
                               .metric = cli_watch_metric(watch),
                               .own_cores = cli_watch_own(watch),
                               .exit_code = exit_code,
                               .signal_number = signal_number};
    const size_t     count = stk_monitor_series(watch->monitor, series, KEPT);
    stk_monitor_peaks(watch->monitor, &peaks);
    stk_monitor_note(watch->monitor, note, sizeof note);
    stk_usage_analyze(&usage, report.machine, series, count, count ? &peaks : NULL);
    free(series);
    return print_summary(watch, &report);
}

static void observe(cli_watch *watch)
{
    if (wants_view(watch)) cli_watch_on_screen(watch);
    const bool left_view = watch->on_view && !watch->child.pid;
    if (!left_view) cli_watch_in_lines(watch); /* also after leaving a command's view */
    stk_monitor_stop(watch->monitor);
}

/* The operands, NULL-terminated for execvp. */
static stk_status start_child(cli_watch *watch, stk_error *err)
{
    const size_t count = (size_t)watch->call->operand_count;
    char       **argv = calloc(count + 1, sizeof *argv);
    if (!argv) return stk_fail(err, STK_E_NOMEM, "watch", NULL, "no memory for %zu words", count);
    memcpy(argv, watch->call->operands, count * sizeof *argv);
    const bool piped = watch->pattern.given;
    stk_status st = STK_OK;
    if (piped) st = cli_metric_open(&watch->reader, &watch->pattern, take_metric, watch, err);
    const bool opened = piped && !st;
    if (!st) st = cli_child_start(&watch->child, argv, opened ? watch->reader.ends : NULL, err);
    if (!st && opened && (st = cli_metric_start(&watch->reader, err))) {
        int unasked;
        kill(watch->child.pid, SIGKILL); /* it has not started */
        cli_child_reap(&watch->child, &unasked);
    }
    if (st && opened) cli_metric_end(&watch->reader);
    free(argv);
    return st;
}

/* A command runs even if it cannot be watched. */
static int run_command(cli_watch *watch)
{
    stk_error  err;
    int        signal_number, code;
    stk_status st = start_child(watch, &err);
    if (st) return cli_report_error(watch->call->command, &err, NULL);
    cli_watch_signals(watch->child.pid);
    st = start_monitor(watch, &err);
    if (st) cli_report_error(watch->call->command, &err, "the command runs without being watched");
    const int failure = cli_child_begin(&watch->child);
    if (!failure && watch->monitor) observe(watch);
    code = cli_child_reap(&watch->child, &signal_number);
    if (watch->pattern.given) cli_metric_end(&watch->reader);
    if (failure) {
        fprintf(stderr, "stoker watch: %s: %s\n", watch->call->operands[0], strerror(failure));
        return failure == ENOENT ? NOT_FOUND : NOT_RUNNABLE;
    }
    if (watch->monitor) summarise(watch, code, signal_number);
    return code;
}

static int run_alone(cli_watch *watch)
{
    stk_error err;
    cli_watch_signals(0);
    if (start_monitor(watch, &err)) return cli_report_error(watch->call->command, &err, NULL);
    observe(watch);
    return summarise(watch, -1, 0);
}

static int run(const cli_invocation *call)
{
    const cli_watch_values *v = call->values;
    stk_error               err;
    char                    why[CLI_METRIC_TEXT];
    int                     code = check_usage(call);
    if (code) return code;
    cli_watch *watch = calloc(1, sizeof *watch);
    if (!watch) {
        fprintf(stderr, "stoker watch: no memory\n");
        return CLI_EXIT_FAILED;
    }
    if (!cli_metric_pattern_init(&watch->pattern, v->metric, why)) {
        free(watch);
        return cli_report_usage(call->command, why, NULL);
    }
    watch->call = call;
    watch->values = v;
    watch->interval_s = v->interval_s;
    watch->begin_s = cli_seconds_now();
    pthread_mutex_init(&watch->lock, NULL);
    write_title(watch);
    code = call->operand_count ? run_command(watch) : run_alone(watch);
    stk_monitor_free(watch->monitor);
    if (cli_csv_close(&watch->csv, v->csv, &err)) {
        const int failed = cli_report_error(call->command, &err, NULL);
        if (!call->operand_count && !code) code = failed;
    }
    pthread_mutex_destroy(&watch->lock);
    cli_metric_pattern_release(&watch->pattern);
    free(watch);
    return code;
}

const cli_command cli_command_watch = {
    .name = "watch",
    .summary = "watch what a command, a process or the machine uses, and say what it waits for",
    .operands = "[-- COMMAND...]",
    .description =
        "Runs COMMAND and watches it and its children: cores, memory, disks, network, GPUs. Its "
        "input, output and exit code stay its own. A line comes every 10 seconds, a summary with "
        "what seems to limit it at the end. Without COMMAND the whole machine is watched, on the "
        "whole screen, until q or Ctrl-C.",
    .examples = "stoker watch\n"
                "stoker watch -- python train.py --epochs 3\n"
                "stoker watch --csv use.csv --summary use.json -- ./train.sh\n"
                "stoker watch --metric 'loss[:= ]+([0-9.]+)' -- python train.py\n"
                "stoker watch --view -- python train.py >log 2>&1\n"
                "stoker watch --pid 4711 --interval 0.1",
    .least_operands = 0,
    .most_operands = INT_MAX,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
