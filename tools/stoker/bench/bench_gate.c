/* Measures in rounds, each between two looks at the yardstick.
 *
 * Every round opens what it measures anew: files, threads, caches and allocations. Within one
 * opening rounds look alike, while two starts of the same program differ by where memory and
 * threads come to lie. A spread without that would call such a difference a loss. The yardstick
 * runs while nothing is open, so that threads of the input that run ahead cannot slow it down. */
#include "bench_gate.h"

#include "json_out.h"
#include "signals.h"
#include "yardstick.h"

#include <stoker/resources.h>
#include <stoker/version.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

void cli_gate_fact_text(cli_gate_record *record, const char *name, const char *value)
{
    if (record->fact_count == CLI_GATE_FACTS) return;
    cli_gate_fact *fact = &record->facts[record->fact_count++];
    snprintf(fact->name, sizeof fact->name, "%s", name);
    snprintf(fact->value, sizeof fact->value, "%s", value && *value ? value : "none");
}

void cli_gate_fact_number(cli_gate_record *record, const char *name, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.10g", value);
    cli_gate_fact_text(record, name, text);
}

void cli_gate_fact_path(cli_gate_record *record, const char *name, const char *path)
{
    char   text[CLI_GATE_TEXT];
    size_t end = strlen(path), begin;
    while (end > 1 && path[end - 1] == '/')
        end--;
    for (begin = end; begin > 0 && path[begin - 1] != '/';)
        begin--;
    snprintf(text, sizeof text, "%.*s", (int)(end - begin), path + begin);
    cli_gate_fact_text(record, name, text);
}

static bool same_file(const char *a, const char *b)
{
    struct stat one, other;
    if (strcmp(a, b) == 0) return true;
    return !stat(a, &one) && !stat(b, &other) && one.st_dev == other.st_dev &&
           one.st_ino == other.st_ino;
}

bool cli_gate_wanted(const cli_invocation *call, const cli_gate_values *values,
                     const char *conflict, int *code)
{
    char message[CLI_OPTION_MESSAGE];
    *code = CLI_EXIT_OK;
    if (values->fail_below > 0 && !values->against)
        *code = cli_report_usage(call->command, "--fail-below needs a base: --against FILE",
                                 "'--save FILE' makes one");
    if (!values->save && !values->against) return false;
    if (conflict) {
        snprintf(message, sizeof message,
                 "--save and --against measure rates alone: %s is for a "
                 "run of its own",
                 conflict);
        *code = cli_report_usage(call->command, message, NULL);
    } else if (values->save && values->against && same_file(values->save, values->against)) {
        *code = cli_report_usage(call->command,
                                 "--save and --against name the same file: a base that follows "
                                 "every measurement hides many small losses",
                                 "save to another file");
    }
    return true;
}

static stk_status look_at_machine(cli_gate_record *r, bool on_gpu, stk_error *err)
{
    stk_resources *resources;
    const time_t   now = time(NULL);
    struct tm      utc;
    STK_TRY(stk_resources_open(&resources, -1, err));
    const stk_machine_info *m = stk_resources_machine(resources);
    snprintf(r->host, sizeof r->host, "%s", m->host);
    snprintf(r->processor, sizeof r->processor, "%s", m->cpu);
    if (on_gpu && m->gpu_count) snprintf(r->device, sizeof r->device, "%s", m->gpus[0].name);
    r->cores = m->cores;
    stk_resources_close(resources);
    snprintf(r->version, sizeof r->version, "%s", stk_version());
    if (gmtime_r(&now, &utc)) strftime(r->time, sizeof r->time, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return STK_OK;
}

static stk_status measure_once(const cli_gate_subject *s, double seconds, double *rate,
                               stk_error *err)
{
    STK_TRY(stk_cancel_check(cli_signals_token(), "bench", err));
    stk_status st = s->open(s->context, err);
    if (!st) st = s->measure(s->context, seconds / 4, seconds * 3 / 4, rate, err);
    s->close(s->context);
    return st;
}

/* In longer rounds yardsticks run longer, too: their own noise widens the interval. */
static double yardstick_seconds(double slice)
{
    const double least = 0.03, most = 0.25, share = slice / 12;
    return share < least ? least : share > most ? most : share;
}

/* The first one reads from the disk what is in memory later, and is not counted. */
static stk_status measure(const cli_gate_subject *s, stk_error *err)
{
    const double slice = s->seconds / (CLI_GATE_ROUNDS + 1), each = yardstick_seconds(slice);
    double       unused, before[STK_RATE_YARDSTICKS], after[STK_RATE_YARDSTICKS];
    STK_TRY(look_at_machine(s->record, s->on_gpu, err));
    STK_TRY(measure_once(s, slice, &unused, err));
    STK_TRY(cli_yardstick_measure(s->threads, each, before, err));
    for (int i = 0; i < CLI_GATE_ROUNDS; i++) {
        stk_rate_round *round = &s->record->rounds[i];
        STK_TRY(measure_once(s, slice, &round->rate, err));
        STK_TRY(cli_yardstick_measure(s->threads, each, after, err));
        for (int y = 0; y < STK_RATE_YARDSTICKS; y++) {
            round->yardstick[y] = (before[y] + after[y]) / 2;
            before[y] = after[y];
        }
        s->record->round_count++;
    }
    return STK_OK;
}

static const char *value_of(const cli_gate_record *r, const char *name)
{
    for (size_t i = 0; i < r->fact_count; i++)
        if (strcmp(r->facts[i].name, name) == 0) return r->facts[i].value;
    return NULL;
}

/* The base of a program that told less, or more, is still one. */
static stk_status check_same(const cli_gate_record *base, const cli_gate_record *now,
                             const char *path, stk_error *err)
{
    if (strcmp(base->bench, now->bench) != 0)
        return stk_fail(err, STK_E_INVALID, "bench", path,
                        "is a base of 'stoker bench %s', not of 'stoker bench %s'", base->bench,
                        now->bench);
    for (size_t i = 0; i < now->fact_count; i++) {
        const cli_gate_fact *fact = &now->facts[i];
        const char          *then = value_of(base, fact->name);
        if (then && strcmp(then, fact->value) != 0)
            return stk_fail(err, STK_E_INVALID, "bench", path,
                            "the base has %s %.100s, this measures %s %.100s: measure the same, or "
                            "save a base of it",
                            fact->name, then, fact->name, fact->value);
    }
    return STK_OK;
}

/* Hosts of CI have a new name each time: the name alone makes no other machine. */
static bool same_machine(const cli_gate_record *base, const cli_gate_record *now, char *why,
                         size_t capacity)
{
    if (strcmp(base->processor, now->processor) != 0)
        snprintf(why, capacity, "the base is of another machine: %s (%s), this is %s (%s)",
                 base->processor, base->host, now->processor, now->host);
    else if (base->cores != now->cores)
        snprintf(why, capacity,
                 "the base is of another machine: %d cores of %s (%s), this has %d (%s)",
                 base->cores, base->processor, base->host, now->cores, now->host);
    else if (strcmp(base->device, now->device) != 0)
        snprintf(why, capacity, "the base is of another device: %s, this is %s", base->device,
                 now->device);
    else
        return true;
    return false;
}

static void say_why(cli_gate_result *r)
{
    int most = 0;
    for (int y = 1; y < STK_RATE_YARDSTICKS; y++) {
        const double a = r->comparison.yardstick[y].value, b = r->comparison.yardstick[most].value;
        if ((a > 1 ? a : 1 / a) > (b > 1 ? b : 1 / b)) most = y;
    }
    const double ratio = r->comparison.yardstick[most].value;
    snprintf(r->why, sizeof r->why,
             "the machine itself is %s now: its yardstick '%s' runs at %.2f of what it did beside "
             "the base; measure again when nothing else runs, or save a base anew",
             ratio < 1 ? "slower" : "faster", cli_yardstick_name(most), ratio);
}

static stk_status compare(cli_gate_result *r, stk_error *err)
{
    const bool same = same_machine(r->base, r->now, r->why, sizeof r->why);
    STK_TRY(stk_rate_compare(&r->comparison, r->base->rounds, r->base->round_count, r->now->rounds,
                             r->now->round_count, r->fail_below > 0 ? r->fail_below : 1, same,
                             err));
    if (same && r->comparison.verdict == STK_RATE_INCONCLUSIVE) say_why(r);
    return STK_OK;
}

static int print(const cli_invocation *call, const cli_gate_result *result, bool json,
                 const char *color)
{
    const cli_style style = cli_style_for(stdout, color);
    const bool      loss = result->comparison.verdict == STK_RATE_LOSS;
    int             code = CLI_EXIT_OK;
    if (json) {
        cli_json_out out;
        cli_json_out_begin(&out);
        cli_gate_json(&out.writer, result);
        code = cli_json_out_end(&out, call);
    } else {
        cli_gate_print(result, &style);
    }
    return !code && result->fail_below > 0 && loss ? CLI_EXIT_FAILED : code;
}

/* What is wrong with a base is found before minutes are spent. It is a usage error: exit code 1
 * stands for a loss. */
static int read_base(const cli_invocation *call, const cli_gate_values *values,
                     const cli_gate_record *now, cli_gate_record *base)
{
    stk_error err;
    if (!values->against) return CLI_EXIT_OK;
    stk_status st = cli_gate_load(base, values->against, &err);
    if (!st) st = check_same(base, now, values->against, &err);
    if (!st) return CLI_EXIT_OK;
    (void)cli_report_error(call->command, &err, NULL);
    return CLI_EXIT_USAGE;
}

int cli_gate_run(const cli_invocation *call, const cli_gate_values *values,
                 const cli_gate_subject *subject, bool json, const char *color, bool quiet)
{
    cli_gate_record base;
    cli_gate_result result = {.base = &base,
                              .now = subject->record,
                              .path = values->against,
                              .fail_below = values->fail_below,
                              .saved = values->save};
    stk_error       err;
    const int       code = read_base(call, values, subject->record, &base);
    if (code) return code;
    if (!quiet) cli_notice_begin("measuring ...");
    stk_status st = measure(subject, &err);
    cli_notice_end();
    if (!st && values->against) st = compare(&result, &err);
    if (!st && values->save) st = cli_gate_save(subject->record, values->save, &err);
    return st ? cli_report_error(call->command, &err, NULL) : print(call, &result, json, color);
}
