/* Applies the usage detectors to Stoker's own runs. */
#include "observe/diagnose/context.h"

#include <stdio.h>
#include <stoker/usage.h>
#include <string.h>

/* Whether a finding is reported for our own runs: the device and its links are configured or
 * measured better. */
static bool is_told(stk_finding_kind kind)
{
    static const bool reported[STK_FINDING_KINDS] = {
        [STK_FINDING_GPU_DIPS] = true,     [STK_FINDING_CPU_DIPS] = true,
        [STK_FINDING_LEAK] = true,         [STK_FINDING_MEMORY_FULL] = true,
        [STK_FINDING_OUTPUT_GROWS] = true, [STK_FINDING_THROTTLED] = true,
    };
    return reported[kind];
}

/* A cache in memory grows during the first epoch, which is no leak. */
static size_t first_that_counts(const stk_profile *p)
{
    double seen = 0, before = 0;
    if (strcmp(p->run.cache, "memory") != 0) return 0;
    for (size_t i = 0; i < p->resource_count; i++) {
        const stk_resource_sample *s = &p->resources[i];
        if (s->rate > 0) seen += s->rate * (s->seconds - before);
        before = s->seconds;
        if (p->run.data_count && seen >= (double)p->run.data_count) return i + 1;
    }
    return p->resource_count;
}

static void add(stk_diagnosis *d, const stk_finding *f)
{
    if (d->finding_count == STK_DIAGNOSIS_FINDINGS) return;
    stk_usage_note *note = &d->findings[d->finding_count++];
    note->value = f->value;
    snprintf(note->name, sizeof note->name, "%s", stk_finding_name(f->kind));
    snprintf(note->sentence, sizeof note->sentence, "%s", f->sentence);
    snprintf(note->advice, sizeof note->advice, "%s", f->advice);
}

void stk_diagnosis_ctx_usage(stk_diagnosis_ctx *c)
{
    const stk_profile *p = c->profile;
    const size_t       first = first_that_counts(p);
    stk_usage          usage;
    if (first == p->resource_count) return;
    stk_usage_analyze(&usage, &p->machine, p->resources + first, p->resource_count - first, NULL);
    for (size_t i = 0; i < usage.finding_count; i++)
        if (is_told(usage.findings[i].kind)) add(c->out, &usage.findings[i]);
}
