/* The table of trials that grows while a search goes on. */
#include "format.h"
#include "text.h"
#include "tune_gain.h"
#include "tune_text.h"

enum {
    NUMBER = 3,
    PREDICTED = 9,
    MEASURED = 14,
    DECISION = 9,
    TOOK = 6,
    GAP = 2,
    TITLE_LEAST = 20,
    TITLE_MOST = 56,
    TITLE_CAPACITY = 4 * STK_TUNE_LINE
};

/* Narrow terminals have no room for the prediction. */
typedef struct layout {
    int  title;
    bool predicted;
} layout;

static layout layout_for(const cli_style *style)
{
    const int left = style->width - (NUMBER + MEASURED + DECISION + TOOK + 4 * GAP);
    layout    l = {.title = left - PREDICTED - GAP, .predicted = true};
    if (l.title < TITLE_LEAST) l = (layout){.title = left};
    if (l.title > TITLE_MOST) l.title = TITLE_MOST;
    return l;
}

static void print_measured(FILE *out, const layout *l, const char *predicted, const char *measured)
{
    if (l->predicted) fprintf(out, "%*s  ", PREDICTED, predicted);
    fprintf(out, "%-*s  ", MEASURED, measured);
}

void cli_tune_trial_header(FILE *out, const cli_style *style)
{
    const layout l = layout_for(style);
    fprintf(out, "%s%*s  %-*s  ", style->dim, NUMBER, "#", l.title, "change");
    print_measured(out, &l, "predicted", "measured gain");
    fprintf(out, "%-*s  %*s%s\n", DECISION, "decision", TOOK, "took", style->plain);
}

static const char *colour_of(stk_tune_decision decision, const cli_style *style)
{
    if (decision == STK_TUNE_KEPT) return style->good;
    return decision == STK_TUNE_SLOWER || decision == STK_TUNE_FAILED ? style->bad : style->dim;
}

void cli_tune_trial_row(FILE *out, const stk_tune_trial *trial, const cli_style *style)
{
    const layout l = layout_for(style);
    char         title[TITLE_CAPACITY], took[CLI_FORMAT_CAPACITY];
    char         predicted[CLI_GAIN_CAPACITY], measured[CLI_GAIN_CAPACITY];
    cli_text_fit(title, sizeof title, *trial->title ? trial->title : trial->action, l.title);
    cli_gain_text(predicted, trial->predicted.value);
    cli_gain_short(measured, cli_gain_of(trial), style->unicode);
    fprintf(out, "%*d  %-*s  ", NUMBER, trial->number, l.title, title);
    print_measured(out, &l, predicted, measured);
    fprintf(out, "%s%-*s%s  %*s\n", colour_of(trial->decision, style), DECISION,
            stk_tune_decision_name(trial->decision), style->plain, TOOK,
            cli_format_duration(took, trial->seconds));
}
