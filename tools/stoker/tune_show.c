/* What 'stoker tune' shows while it searches: rows of finished trials, and a line of the one under
 * way. All of it is talk, on stderr. */
#include "signals.h"
#include "text.h"
#include "tune_job.h"
#include "tune_text.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const double redraw_s = 0.2;

static const char *phase_name(stk_tune_phase phase)
{
    static const char *const names[] = {
        "preparing", "measuring the noise of this machine", "finding what limits",
        "trying",    "checking what it learns with",        "measuring the best against the start"};
    return (unsigned)phase < sizeof names / sizeof *names ? names[phase] : "";
}

static void clear(cli_tune_show *show)
{
    if (show->drawn) fputs("\r\033[K", stderr);
    show->drawn = false;
}

void cli_tune_show_end(cli_tune_show *show)
{
    clear(show);
}

static void draw(cli_tune_show *show, const stk_tune_progress *p)
{
    char line[STK_TUNE_LINE + 128], fitted[sizeof line];
    int  used = snprintf(line, sizeof line, "%d:%02d of %d:%02d  %s", (int)p->seconds / 60,
                         (int)p->seconds % 60, (int)p->budget_s / 60, (int)p->budget_s % 60,
                         phase_name(p->phase));
    if (p->trial && p->trial->observations)
        snprintf(line + used, sizeof line - (size_t)used, " %.60s: %+.1f %% so far (%zu)",
                 p->trial->title, 100 * p->trial->gain.value, p->trial->observations);
    else if (p->trial)
        snprintf(line + used, sizeof line - (size_t)used, " %.60s", p->trial->title);
    clear(show);
    cli_text_fit(fitted, sizeof fitted, line, cli_terminal_width(stderr, 60, 120) - 1);
    fputs(fitted, stderr);
    show->drawn = true;
}

/* Elsewhere than on a terminal the rows of trials are enough. */
static void on_progress(void *context, const stk_tune_progress *progress)
{
    cli_tune_show *show = context;
    const bool     due = progress->seconds - show->told_s >= redraw_s;
    if (!show->terminal || show->values->train.quiet || !due) return;
    show->told_s = progress->seconds;
    draw(show, progress);
}

static void on_finished(void *context, const stk_tune_trial *trial)
{
    cli_tune_show  *show = context;
    const cli_style style = cli_style_for(stderr, show->values->color);
    if (show->values->train.quiet) return;
    clear(show);
    if (!show->header) cli_tune_trial_header(stderr, &style);
    show->header = true;
    cli_tune_trial_row(stderr, trial, &style);
}

static void on_log(void *context, const char *line)
{
    cli_tune_show *show = context;
    if (show->values->train.quiet) return;
    clear(show);
    cli_text_print(stderr, line);
    fputc('\n', stderr);
}

/* A tenth of what is free, unless a number was given. */
static uint64_t space_for(const cli_tune_values *v, const char *folder)
{
    enum { PART = 10 };
    struct statvfs disk;
    char           above[2] = ".";
    if (v->no_packs) return 0;
    if (v->space) return v->space;
    if (statvfs(folder, &disk) && statvfs(above, &disk)) return 0;
    return (uint64_t)disk.f_bavail * disk.f_frsize / PART;
}

void cli_tune_options(stk_tune_options *out, const cli_tune_values *v, const char *folder,
                      cli_tune_show *show)
{
    *show = (cli_tune_show){.values = v, .terminal = isatty(STDERR_FILENO)};
    *out = (stk_tune_options){.least = v->least / 100,
                              .budget_s = v->budget_min * 60,
                              .allow_learning = v->allow && strcmp(v->allow, "learning") == 0,
                              .margin = v->margin / 100,
                              .space = space_for(v, folder),
                              .pinned = v->pin,
                              .only = v->only,
                              .without = v->without,
                              .folder = folder,
                              .resume = v->resume,
                              .cancel = cli_signals_token(),
                              .progress = on_progress,
                              .finished = on_finished,
                              .log = on_log,
                              .context = show};
}
