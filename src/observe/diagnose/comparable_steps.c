/* Selects comparable steps of a recording: those of the longest phase, after warm-up and without
 * tracing. */
#include "observe/diagnose/comparable_steps.h"

enum { WARM_STEPS = 20, FEWEST_LEFT = 10 };

typedef struct span {
    size_t begin, end;
} span;

/* A new loader begins a new phase: the image size may change. */
static span longest_phase(const stk_profile *p)
{
    span best = {0, 0}, now = {0, 0};
    for (size_t i = 0; i < p->step_count; i++) {
        if (p->step_list[i].marks & STK_STEP_FIRST) now.begin = i + 1;
        now.end = i + 1;
        if (now.end - now.begin >= best.end - best.begin) best = now;
    }
    return best;
}

static bool untraced_suffice(const stk_profile *p, span phase)
{
    size_t count = 0;
    for (size_t i = phase.begin; i < phase.end; i++)
        count += !(p->step_list[i].marks & STK_STEP_TRACED);
    return count >= FEWEST_LEFT;
}

/* If a run reports when its measurement began, its totals cover those last steps, and so must the
 * verdict. Otherwise warm-up is estimated. */
static bool knows_measured(const stk_profile *p)
{
    return p->steps >= 1 && p->steps < (double)p->step_count;
}

static bool is_warm(const stk_profile *p, size_t index, span phase)
{
    const size_t  fifth = (phase.end - phase.begin) / 5;
    const int64_t cold = fifth < WARM_STEPS ? (int64_t)fifth : WARM_STEPS;
    if (knows_measured(p)) return index >= p->step_count - (size_t)p->steps;
    return p->step_list[index].step >= cold;
}

size_t stk_comparable_steps(const stk_profile *profile, const stk_step_record **out,
                            size_t capacity)
{
    const span phase = longest_phase(profile);
    const bool no_traced = untraced_suffice(profile, phase);
    size_t     count = 0;
    for (size_t i = phase.end; i > phase.begin && count < capacity; i--) {
        const stk_step_record *step = &profile->step_list[i - 1];
        if (!step->ns || !step->samples || !is_warm(profile, i - 1, phase)) continue;
        if (no_traced && step->marks & STK_STEP_TRACED) continue;
        out[count++] = step;
    }
    for (size_t i = 0; i < count / 2; i++) { /* collected newest first */
        const stk_step_record *other = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = other;
    }
    return count;
}
