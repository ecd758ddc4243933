/* Wording of gains and verdicts. */
#include "observe/diagnose/context.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From this predicted gain on, a verdict must not sound as if all were well. */
static const double much = 0.25;

char *stk_gain_text(char *text, size_t capacity, double gain)
{
    if (gain >= 9)
        snprintf(text, capacity, "%.0fx", 1 + gain);
    else if (gain >= 1)
        snprintf(text, capacity, "%.1fx", 1 + gain);
    else
        snprintf(text, capacity, "%+.0f %%", 100 * gain);
    return text;
}

char *stk_rate_text(char *text, size_t capacity, double rate)
{
    snprintf(text, capacity, "%.*f", rate < 10 ? 2 : rate < 100 ? 1 : 0, rate);
    return text;
}

/* Predicted gains first, then bounds and assumptions, then fixes without a number; larger gains
 * first. */
static int rank(const stk_fix *fix)
{
    if (fix->samples_per_s.value < 0) return 2;
    return fix->supposed || fix->at_most;
}

static int compare(const void *a, const void *b)
{
    const stk_fix *x = a, *y = b;
    if (rank(x) != rank(y)) return rank(x) - rank(y);
    return (x->gain < y->gain) - (x->gain > y->gain);
}

/* Adds a sentence if compute is the bottleneck and a fix gains much. */
static void reconcile(stk_diagnosis *d)
{
    static const char addition[] = "; a fix gives ";
    const stk_fix    *best = d->fix_count ? &d->fixes[0] : NULL;
    char             *before = strstr(d->verdict, addition), gain[32];
    if (before) *before = 0;
    if (!best || rank(best) || best->gain < much || d->limit.stage != STK_STAGE_COMPUTE) return;
    const char  *sounds_well = strstr(d->verdict, ", as it should");
    const size_t length = strlen(", as it should");
    if (sounds_well) {
        char *at = d->verdict + (sounds_well - d->verdict);
        memmove(at, at + length, strlen(at + length) + 1);
    }
    const size_t used = strlen(d->verdict);
    snprintf(d->verdict + used, sizeof d->verdict - used, "%s%s: %.120s", addition,
             stk_gain_text(gain, sizeof gain, best->gain), best->title);
}

void stk_diagnosis_calibrate(stk_diagnosis *diagnosis)
{
    qsort(diagnosis->fixes, diagnosis->fix_count, sizeof *diagnosis->fixes, compare);
    reconcile(diagnosis);
}
