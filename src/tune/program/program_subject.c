/* A program as a subject. A block of work is a whole run, since nothing is known of a foreign
 * program that could be stopped in between: pairs of runs are compared. */
#include "tune/program/program_subject.h"
#include "tune/program/program_json.h"
#include "tune/search/words.h"

#include "storage/file/paths.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/filesystem.h>
#include <string.h>

/* A run takes many seconds: noise and the end are measured no longer than tells something. */
enum { PAIRS_MAX = 10, NOISE_PAIRS = 3, CONFIRM_PAIRS = 4, LINE = 512, CONFIG_MAX = 16 << 20 };

static const double warm_up_default_s = 5, measure_default_s = 10, timeout_default_s = 120;
static const double grace_s = 5;
/* Programs read some files while they train, whatever that is. Fewer bytes a second are not data.
 */
static const double bytes_least = 1e5;

typedef struct program_arm {
    stk_tune_program_subject *subject;
    stk_tune_setting          setting;
} program_arm;

void stk_tune_program_say(const stk_tune_program_subject *subject, const char *format, ...)
{
    char    line[LINE];
    va_list args;
    if (!subject->options->log) return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    subject->options->log(subject->options->context, line);
}

static stk_status check(const stk_tune_program *p, const stk_tune_options *o, stk_error *err)
{
    const struct {
        const char *name;
        double      value;
    } times[] = {
        {"--warm-up", p->warm_up_s}, {"--measure", p->measure_s}, {"--timeout", p->timeout_s}};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (!(times[i].value >= 0 && times[i].value <= 1e6))
            return stk_fail(err, STK_E_INVALID, "tune", times[i].name,
                            "%g is no time in seconds; 0 is the default", times[i].value);
    if (!isfinite(p->guard_margin))
        return stk_fail(err, STK_E_INVALID, "tune", "--guard-margin", "%g is no number",
                        p->guard_margin);
    if (!p->knob_count)
        return stk_fail(err, STK_E_INVALID, "tune", "--knob",
                        "nothing to tune; give a knob, as in --knob workers=0,1,2,4");
    if (!o->folder || !*o->folder)
        return stk_fail(err, STK_E_INVALID, "tune", NULL, "no folder for what is found");
    return STK_OK;
}

static bool knob_at(const void *context, size_t index, char word[STK_TUNE_WORD])
{
    const stk_tune_knobs *knobs = context;
    if (index < knobs->count) snprintf(word, STK_TUNE_WORD, "%s", knobs->list[index].name);
    return index < knobs->count;
}

/* A knob's changes are the actions of its name. */
static stk_status check_words(const stk_tune_knobs *knobs, const stk_tune_options *o,
                              stk_error *err)
{
    STK_TRY(stk_tune_words_check(o->only, "--only", "knob", knob_at, knobs, err));
    STK_TRY(stk_tune_words_check(o->without, "--without", "knob", knob_at, knobs, err));
    return stk_tune_words_check(o->pinned, "--pin", "knob", knob_at, knobs, err);
}

/* Read once: a change of it during a search would be measured as one of the knobs. */
static stk_status read_template(stk_tune_program_subject *s, stk_error *err)
{
    const char *path = s->program->template_path;
    if (!path) return STK_OK;
    STK_TRY(stk_file_read_all(NULL, path, 0, CONFIG_MAX, &s->config, err));
    if (s->config.size && memchr(s->config.data, 0, s->config.size))
        return stk_fail(err, STK_E_FORMAT, "tune", path,
                        "it has bytes that are zero; a template is a text");
    return stk_blob_append(&s->config, "", 1, err);
}

/* Absolute, since programs may change their folder before they open {config}. */
static stk_status make_folder(stk_tune_program_subject *s, stk_error *err)
{
    stk_blob name;
    stk_blob_init(&name, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_path_join(&name, s->options->folder, "runs", err);
    if (!st) st = stk_path_make_directories(NULL, (const char *)name.data, err);
    if (!st) st = stk_path_resolve(NULL, (const char *)name.data, &s->folder, err);
    stk_blob_release(&name);
    return st;
}

static double or_default(double seconds, double usual)
{
    return seconds > 0 ? seconds : usual;
}

static void gather(stk_tune_program_subject *s)
{
    const stk_tune_program *p = s->program;
    s->parts = (stk_tune_command_parts){.argv = p->argv,
                                        .environment = p->environment,
                                        .environment_count = p->environment_count,
                                        .config = (const char *)s->config.data,
                                        .config_name = p->template_path,
                                        .knobs = &s->knobs};
    s->run = (stk_tune_run_options){.parts = &s->parts,
                                    .rate = &s->rate,
                                    .guard = s->guard.compiled ? &s->guard : NULL,
                                    .folder = (const char *)s->folder.data,
                                    .warm_up_s = or_default(p->warm_up_s, warm_up_default_s),
                                    .measure_s = or_default(p->measure_s, measure_default_s),
                                    .timeout_s = or_default(p->timeout_s, timeout_default_s),
                                    .grace_s = grace_s,
                                    .is_watched = true,
                                    .cancel = s->options->cancel};
}

/* Every knob has to be somewhere, before the first run takes its time. */
static stk_status try_to_fill(const stk_tune_program_subject *s, stk_error *err)
{
    const stk_tune_setting start = {0};
    stk_tune_command       command;
    const stk_status       st = stk_tune_command_fill(&command, &s->parts, &start, "config", err);
    stk_tune_command_release(&command);
    return st;
}

stk_status stk_tune_program_subject_init(stk_tune_program_subject *subject,
                                         const stk_tune_program   *program,
                                         const stk_tune_options *options, stk_error *err)
{
    *subject = (stk_tune_program_subject){.program = program, .options = options};
    stk_blob_init(&subject->config, NULL, STK_MEMORY_OUTPUT);
    stk_blob_init(&subject->folder, NULL, STK_MEMORY_OUTPUT);
    STK_TRY(check(program, options, err));
    STK_TRY(stk_tune_knobs_parse(&subject->knobs, program->knobs, program->knob_count, err));
    STK_TRY(check_words(&subject->knobs, options, err));
    STK_TRY(stk_tune_rate_source_init(&subject->rate, program->rate, err));
    if (program->guard)
        STK_TRY(stk_tune_pattern_init(&subject->guard, program->guard, "--guard", err));
    STK_TRY(read_template(subject, err));
    gather(subject);
    STK_TRY(try_to_fill(subject, err));
    STK_TRY(make_folder(subject, err));
    gather(subject);
    return STK_OK;
}

void stk_tune_program_subject_release(stk_tune_program_subject *subject)
{
    stk_tune_knobs_release(&subject->knobs);
    stk_tune_rate_source_release(&subject->rate);
    stk_tune_pattern_release(&subject->guard);
    stk_blob_release(&subject->config);
    stk_blob_release(&subject->folder);
    stk_tune_records_free(subject->records);
    subject->records = NULL;
}

static double busy_gpus(const stk_usage *usage)
{
    double sum = 0;
    for (int i = 0; i < usage->gpu_count; i++)
        if (usage->gpus[i].used && usage->gpus[i].utilisation.mean > 0)
            sum += usage->gpus[i].utilisation.mean;
    return sum;
}

/* 0: not known. */
static double watts_of_gpus(const stk_usage *usage)
{
    double sum = 0;
    for (int i = 0; i < usage->gpu_count; i++)
        if (usage->gpus[i].used && usage->gpus[i].watts.mean > 0) sum += usage->gpus[i].watts.mean;
    return sum;
}

static stk_status run_once(stk_tune_program_subject *s, const stk_tune_setting *setting,
                           stk_tune_run *out, stk_error *err)
{
    const stk_tune_setting normal = stk_tune_knobs_normalize(&s->knobs, setting);
    STK_TRY(stk_tune_run_measure(out, &s->run, &normal, err));
    if (s->run.guard && !out->has_guard)
        return stk_fail(err, STK_E_INVALID, "tune", "--guard",
                        "no line of run %d has its number (see %s/%d.log)", out->number,
                        s->run.folder, out->number);
    return stk_tune_records_add(&s->records, &normal, out, err);
}

stk_status stk_tune_program_subject_choose(stk_tune_program_subject *subject, stk_error *err)
{
    const stk_tune_setting start = {0};
    stk_tune_run           run;
    if (stk_tune_rate_source_is_told(&subject->rate)) return STK_OK;
    STK_TRY(run_once(subject, &start, &run, err));
    const double busy = busy_gpus(&run.usage);
    subject->busy_gpu = run.rate < bytes_least && busy > 0;
    if (run.rate < bytes_least && !subject->busy_gpu)
        return stk_fail(err, STK_E_INVALID, "tune", subject->program->argv[0],
                        "it reads %.0f bytes a second and uses no GPU: nothing to measure it by "
                        "from outside; give --rate",
                        run.rate);
    if (subject->busy_gpu)
        stk_tune_program_say(subject,
                             "without --rate, the program is measured by how busy its GPUs are "
                             "(%.0f %%), which is a poor measure: it hardly reads anything",
                             100 * busy);
    else
        stk_tune_program_say(subject,
                             "without --rate, the program is measured by the bytes that it reads "
                             "(%.3g MB/s)",
                             run.rate * 1e-6);
    return STK_OK;
}

stk_status stk_tune_program_subject_measure(stk_tune_program_subject *subject,
                                            const stk_tune_setting *setting, stk_tune_block *out,
                                            stk_error *err)
{
    stk_tune_run run;
    STK_TRY(run_once(subject, setting, &run, err));
    const double rate = subject->busy_gpu ? busy_gpus(&run.usage) : run.rate;
    if (!(rate > 0))
        return stk_fail(err, STK_E_INVALID, "tune", subject->program->argv[0],
                        "%s while it was measured: it hangs, or it needs a longer --warm-up",
                        subject->busy_gpu ? "no GPU was busy" : "it read nothing");
    *out = (stk_tune_block){.samples = rate * run.seconds,
                            .seconds = run.seconds,
                            .joules = watts_of_gpus(&run.usage) * run.seconds};
    return STK_OK;
}

static stk_status open_arm(void *context, const stk_tune_setting *setting, void **out,
                           stk_error *err)
{
    program_arm *arm = *out = malloc(sizeof *arm);
    if (!arm) return stk_fail(err, STK_E_NOMEM, "tune", NULL, "no memory for a setting");
    *arm = (program_arm){context, *setting};
    return STK_OK;
}

static stk_status measure_arm(void *of, stk_tune_block *out, stk_error *err)
{
    const program_arm *arm = of;
    return stk_tune_program_subject_measure(arm->subject, &arm->setting, out, err);
}

static void close_arm(void *arm)
{
    free(arm);
}

static stk_status list(void *context, const stk_tune_setting *now, stk_tune_candidates *out,
                       stk_error *err)
{
    return stk_tune_program_list(context, now, out, err);
}

static stk_status guard(void *context, const stk_tune_setting *before,
                        const stk_tune_setting *after, const stk_tune_candidate *candidate,
                        stk_tune_guard_result *out, stk_error *err)
{
    return stk_tune_program_guard(context, before, after, candidate, out, err);
}

static void describe(void *context, stk_json_writer *w)
{
    const stk_tune_program_subject *subject = context;
    stk_tune_program_write(w, subject->program);
}

stk_tune_subject stk_tune_program_subject_table(stk_tune_program_subject *subject)
{
    return (stk_tune_subject){.blocks_of_four = false,
                              .observations_max = PAIRS_MAX,
                              .noise_observations = NOISE_PAIRS,
                              .confirm_observations = CONFIRM_PAIRS,
                              .describe = describe,
                              .list = list,
                              .open = open_arm,
                              .measure = measure_arm,
                              .close = close_arm,
                              .guard = subject->run.guard ? guard : NULL,
                              .context = subject};
}
