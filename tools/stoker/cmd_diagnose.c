/* stoker diagnose: the bottleneck of a recorded run. */
#include "diagnosis_text.h"
#include "format.h"
#include "json_out.h"
#include "profile_files.h"
#include "terminal.h"
#include "text.h"
#include "what_if.h"

#include <stoker/filesystem.h>
#include <stoker/timeline.h>
#include <string.h>

typedef struct values {
    const char *what_if, *color, *output;
    int64_t     cores;
    bool        json;
} values;

static const values defaults = {0};

static const cli_option options[] = {
    {CLI_OPTION(values, what_if, "what-if", TEXT, "PARTS"), .group = "What to ask",
     .help =
         "simulate the recorded steps with other times: S2=0.5 halves a stage, S7=0 removes it, "
         "S7=apart puts it on a thread of its own, threads=N prepare batches beside training, "
         "compute-threads=N compute, buffer=N batches ahead; several separated by commas"},
    {CLI_OPTION(values, cores, "cores", INTEGER, "N"), .least = 1, .most = 4096,
     .group = "What to ask",
     .help = "of the machine that a trace was recorded on, which traces do not tell (default: this "
             "machine's where the trace names it)"},
    {CLI_OPTION(values, output, "output", FILE, "FILE"), .letter = 'o', .group = "What to ask",
     .help = "write it as a page for the browser, too: report.html, with the timeline of a trace"},
    {CLI_OPTION(values, color, "color", CHOICE, "WHEN"), .choice = cli_color_choice,
     .group = "Common", .help = "colours: auto (on a terminal), always, never"},
    {CLI_OPTION(values, json, "json", FLAG, NULL), .group = "Common",
     .help = "print the result as JSON"},
};

typedef struct session {
    const cli_invocation *call;
    const values         *values;
    stk_profile           profile;
    stk_diagnosis         diagnosis;
    stk_what_if           what;
    stk_estimate          then;                    /* by --what-if */
    stk_blob              missing;                 /* what the trace lacks */
    stk_timeline         *timeline;                /* of the trace; NULL: none */
    char                  trace[CLI_PROFILE_PATH]; /* its file */
    const char           *run;                     /* the folder operand; NULL: a file */
} session;

/* A trace has no core count; our own machine's is used for its own traces. */
static stk_status add_cores(session *s, stk_error *err)
{
    stk_profile   *p = &s->profile;
    stk_resources *here;
    if (s->values->cores) p->machine.cores = (int)s->values->cores;
    if (p->machine.cores > 0 || !*p->machine.host) return STK_OK;
    STK_TRY(stk_resources_open(&here, -1, err));
    if (strcmp(stk_resources_machine(here)->host, p->machine.host) == 0)
        p->machine.cores = stk_resources_machine(here)->cores;
    stk_resources_close(here);
    return STK_OK;
}

static stk_status load_trace(session *s, const char *path, stk_error *err)
{
    snprintf(s->trace, sizeof s->trace, "%s", path);
    STK_TRY(stk_timeline_read(&s->timeline, path, NULL, err));
    const stk_status st = stk_timeline_profile(s->timeline, &s->profile, &s->missing, err);
    if (st && !*err->where) snprintf(err->where, sizeof err->where, "%s", path);
    return st;
}

/* A traced run also shows its timeline on the page. */
static stk_status find_timeline(session *s, const char *folder, stk_error *err)
{
    stk_file_info info;
    snprintf(s->trace, sizeof s->trace, "%.1000s/trace.json.gz", folder);
    const stk_status st = stk_path_info(NULL, s->trace, &info, err);
    if (st) return st == STK_E_NOTFOUND ? STK_OK : st;
    return stk_timeline_read(&s->timeline, s->trace, NULL, err);
}

static stk_status load_file(session *s, const char *path, stk_error *err)
{
    bool is_trace;
    STK_TRY(cli_profile_is_trace(path, &is_trace, err));
    return is_trace ? load_trace(s, path, err) : stk_profile_load(&s->profile, path, err);
}

static stk_status load(session *s, const char *path, stk_error *err)
{
    char          inside[CLI_PROFILE_PATH];
    stk_file_info info;
    STK_TRY(stk_path_info(NULL, path, &info, err));
    if (info.kind != STK_FILE_DIRECTORY) return load_file(s, path, err);
    s->run = path;
    snprintf(inside, sizeof inside, "%.1000s/profile.json", path);
    STK_TRY(stk_profile_load(&s->profile, inside, err));
    return s->values->output ? find_timeline(s, path, err) : STK_OK;
}

/* Prints a warning for each property that the trace lacks. */
static void warn_of_missing(session *s)
{
    stk_diagnosis *d = &s->diagnosis;
    if (!s->missing.size) return;
    const char *at = (const char *)s->missing.data, *end = at + s->missing.size;
    while (at < end && d->warning_count < STK_DIAGNOSIS_WARNINGS) {
        const char  *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t length = (size_t)((stop ? stop : end) - at);
        snprintf(d->warnings[d->warning_count++], STK_DIAGNOSIS_LINE, "%.*s", (int)length, at);
        at += length + 1;
    }
}

static int print_json(const session *s)
{
    stk_blob   text;
    stk_error  err;
    stk_status st;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    if (s->values->what_if) {
        stk_json_writer w;
        stk_json_begin(&w, &text, 2);
        stk_json_object(&w);
        stk_json_pair_string(&w, "what_if", s->values->what_if);
        stk_json_pair_double(&w, "samples_per_s_now", s->diagnosis.samples_per_s.value);
        stk_json_pair_double(&w, "samples_per_s", s->then.value);
        stk_json_pair_double(&w, "low", s->then.low);
        stk_json_pair_double(&w, "high", s->then.high);
        stk_json_object_end(&w);
        st = stk_json_end(&w, &err);
    } else {
        st = stk_diagnosis_write(&s->diagnosis, &text, &err);
    }
    if (!st) fwrite(text.data, 1, text.size, stdout);
    stk_blob_release(&text);
    return st ? cli_report_error(s->call->command, &err, NULL) : CLI_EXIT_OK;
}

static char *rate(char *text, double per_s)
{
    if (per_s < 100) return stk_rate_text(text, CLI_FORMAT_CAPACITY, per_s);
    return cli_format_count(text, (uint64_t)(per_s + 0.5));
}

static void print_then(const session *s)
{
    const stk_estimate now = s->diagnosis.samples_per_s;
    char a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY], gain[32];
    if (!(now.value > 0) || s->then.value < 0)
        printf("%s\n", s->diagnosis.verdict);
    else if (s->then.value > 0)
        printf("%s %s/s (%s to %s) with %s: %s\n", rate(a, s->then.value), s->diagnosis.unit,
               rate(b, s->then.low), rate(c, s->then.high), s->values->what_if,
               stk_gain_text(gain, sizeof gain, s->then.value / now.value - 1));
    else
        printf("nothing is left that takes time with %s\n", s->values->what_if);
}

static int print(const session *s)
{
    const cli_style style = cli_style_for(stdout, s->values->color);
    if (s->values->json) return print_json(s);
    if (s->values->what_if)
        print_then(s);
    else
        cli_diagnosis_print(stdout, &s->diagnosis, &style);
    return CLI_EXIT_OK;
}

static const char *advise(const stk_error *err)
{
    if (err->status == STK_E_NOTFOUND) return "'stoker profile' and 'stoker train' write a profile";
    return NULL;
}

static int diagnose(session *s)
{
    char       message[CLI_OPTION_MESSAGE];
    stk_error  err;
    const bool asks = s->values->what_if != NULL;
    if (asks && !cli_what_if_parse(&s->what, s->values->what_if, message, sizeof message))
        return cli_report_usage(s->call->command, message, NULL);
    stk_status st = load(s, s->call->operands[0], &err);
    if (!st) st = add_cores(s, &err);
    if (!st) st = stk_diagnose(&s->diagnosis, &s->profile, &err);
    if (st) return cli_report_error(s->call->command, &err, advise(&err));
    warn_of_missing(s);
    if (asks) s->then = stk_simulate(&s->profile, &s->what);
    if (s->values->output && cli_profile_save_page(&s->profile, &s->diagnosis, s->timeline,
                                                   s->trace, s->run, s->values->output, &err))
        return cli_report_error(s->call->command, &err, NULL);
    return print(s);
}

static int run(const cli_invocation *call)
{
    session s = {.call = call, .values = call->values};
    stk_profile_init(&s.profile);
    stk_blob_init(&s.missing, NULL, STK_MEMORY_OUTPUT);
    const int code = diagnose(&s);
    stk_profile_release(&s.profile);
    stk_blob_release(&s.missing);
    stk_timeline_free(s.timeline);
    return code;
}

const cli_command cli_command_diagnose = {
    .name = "diagnose",
    .summary = "say what limits a run that was recorded, and what if",
    .operands = "FILE",
    .description =
        "Reads a profile (of 'stoker profile' or 'stoker train', or the folder it is in) or a "
        "trace "
        "(of this program, PyTorch or TensorFlow) and says what limits the run, why, and what each "
        "fix would give; -o makes a page of it, with the timeline of a trace. With --what-if it "
        "simulates the recorded steps with other times and "
        "tells the rate.",
    .examples = "stoker diagnose profile-lenet-1\n"
                "stoker diagnose runs/first/profile.json --json | jq .verdict\n"
                "stoker diagnose profile-lenet-1 --what-if S2=0.5,S7=0\n"
                "stoker diagnose pytorch.json.gz -o page.html",
    .least_operands = 1,
    .most_operands = 1,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .defaults = &defaults,
    .value_bytes = sizeof defaults,
    .run = run,
};
