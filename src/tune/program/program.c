/* Tuning a program: the search over its knobs, and the best setting as a command. */
#include "tune/program/neighbours.h"
#include "tune/program/program_identity.h"
#include "tune/program/program_subject.h"
#include "tune/program/tuned_script.h"
#include "tune/report/report_files.h"

#include <stdio.h>
#include <stoker/text.h>
#include <string.h>

/* The command in words of a shell, cut where it is too long. */
static void describe_command(char *text, size_t capacity, char *const *argv)
{
    char   word[STK_TUNE_LINE];
    size_t used = 0;
    for (size_t i = 0; argv[i] && used < capacity; i++) {
        if (stk_shell_word(word, sizeof word, argv[i]) >= sizeof word)
            snprintf(word, sizeof word, "...");
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", i ? " " : "", word);
    }
}

static void describe(stk_tune_report *report, const stk_tune_program_subject *subject)
{
    const char *objective =
        subject->busy_gpu ? "how busy GPUs are, seen from outside" : subject->rate.kind->objective;
    const char *unit =
        subject->busy_gpu ? "GPU seconds" : stk_tune_rate_source_unit(&subject->rate);
    snprintf(report->unit, sizeof report->unit, "%s", unit);
    snprintf(report->objective, sizeof report->objective, "%s", objective);
    describe_command(report->subject, sizeof report->subject, subject->program->argv);
}

/* What a person should know before believing the numbers. */
static void warn(const stk_tune_program_subject *subject)
{
    const bool steps = strcmp(stk_tune_rate_source_unit(&subject->rate), "steps") == 0;
    for (size_t i = 0; i < subject->knobs.count; i++) {
        const char *name = subject->knobs.list[i].name;
        if (!subject->run.guard && stk_tune_knob_changes_learning(name))
            stk_tune_program_say(subject,
                                 "%s may change what is learnt, and without --guard nothing says "
                                 "whether it does: compare trainings before you keep it",
                                 name);
        if (steps && strstr(name, "batch"))
            stk_tune_program_say(subject,
                                 "the rate looks like steps, of which a larger %s makes fewer: a "
                                 "--rate of samples is fair to it",
                                 name);
    }
}

static stk_status write_script(const stk_tune_program_subject *subject,
                               const stk_tune_report *report, stk_error *err)
{
    stk_blob path;
    stk_blob_init(&path, NULL, STK_MEMORY_OUTPUT);
    const stk_status st =
        stk_tune_script_write(&path, subject->options->folder, &subject->parts, &report->best, err);
    if (!st)
        stk_tune_program_say(subject, "the best setting as a command: %s", (const char *)path.data);
    stk_blob_release(&path);
    return st;
}

/* A guard is there to allow what changes learning. */
static stk_status search(stk_tune_program_subject *subject, stk_tune_ledger *ledger,
                         stk_tune_report *report, stk_error *err)
{
    const stk_tune_subject table = stk_tune_program_subject_table(subject);
    stk_tune_options       options = *subject->options;
    options.allow_learning = options.allow_learning || subject->run.guard;
    warn(subject);
    stk_blob identity;
    STK_TRY(stk_tune_program_subject_choose(subject, err));
    STK_TRY(stk_tune_report_identify(report, err));
    describe(report, subject);
    stk_blob_init(&identity, NULL, STK_MEMORY_OUTPUT);
    stk_status st = stk_tune_program_identity(&identity, subject, err);
    if (!st)
        st = stk_tune_search(&table, &options, (const char *)identity.data, ledger, report, err);
    stk_blob_release(&identity);
    return st;
}

/* What was found before an error is worth having. */
static stk_status tune(stk_tune_program_subject *subject, stk_tune_report *report, stk_error *err)
{
    stk_tune_ledger *ledger;
    STK_TRY(stk_tune_ledger_open(&ledger, subject->options->folder, subject->options->resume, err));
    stk_status st = search(subject, ledger, report, err);
    stk_tune_ledger_close(ledger);
    if (st && !report->best.count) return st;
    const stk_status saved = write_script(subject, report, st ? NULL : err);
    if (!st) st = saved;
    const stk_status shown = stk_tune_save_page(report, subject->options->folder, st ? NULL : err);
    return st ? st : shown;
}

stk_status stk_tune_program_run(stk_tune_report *report, const stk_tune_program *program,
                                const stk_tune_options *options, stk_error *err)
{
    stk_tune_program_subject subject;
    stk_tune_report_init(report);
    stk_status st = stk_tune_program_subject_init(&subject, program, options, err);
    if (!st) snprintf(report->kind, sizeof report->kind, "program");
    if (!st) st = tune(&subject, report, err);
    stk_tune_program_subject_release(&subject);
    return st;
}
