/* Fixes: predicted gains, and how a program applies them. */
#include "observe/diagnose/fix.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stoker/text.h>
#include <string.h>

/* Error of predictions against real runs (bench/observe/advice.py): fractions of the time saved and
 * of the remaining step. Resampling does not cover it. Savings are bounded, so runs tend to be
 * slower than predicted. */
static const double late_error = 0.2, early_error = 0.1, step_error = 0.06, early_max = 0.25;
/* Tracing lengthens operations, so without it more is saved than predicted. */
static const double recorded_error = 0.25;

static void set_gains(const stk_diagnosis_ctx *c, stk_fix *fix)
{
    fix->gain = fix->samples_per_s.value / c->rate - 1;
    fix->gain_low = fix->samples_per_s.low / c->rate - 1;
    fix->gain_high = fix->samples_per_s.high / c->rate - 1;
}

stk_estimate stk_diagnosis_ctx_widen(const stk_diagnosis_ctx *c, stk_estimate rate)
{
    const double now = 1 / c->rate, then = 1 / rate.value, saved = fmax(0, now - then);
    const double late = late_error * saved + step_error * then;
    const double more = stk_diagnosis_ctx_is_foreign(c) ? recorded_error : early_error;
    const double early = fmin(more * saved + step_error * then, early_max * then);
    const double slow = 1 / (then + late), fast = 1 / (then - early);
    rate.low = fmin(rate.low, slow);
    rate.high = fmax(rate.high, fast);
    return rate;
}

stk_fix *stk_diagnosis_ctx_fix_rate(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                    stk_estimate rate)
{
    stk_diagnosis *d = c->out;
    const double worth = stk_diagnosis_ctx_is_foreign(c) ? STK_GAIN_WORTH_FOREIGN : STK_GAIN_WORTH;
    if (!(rate.value > c->rate * (1 + worth)) || d->fix_count == STK_DIAGNOSIS_FIXES) return NULL;
    stk_fix *fix = &d->fixes[d->fix_count++];
    *fix = (stk_fix){.stage = stage, .samples_per_s = rate};
    snprintf(fix->name, sizeof fix->name, "%s", name);
    set_gains(c, fix);
    return fix;
}

stk_fix *stk_diagnosis_ctx_fix(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                               const stk_what_if *what)
{
    const stk_estimate rate = stk_sim_model_estimate(c->model, what);
    return stk_diagnosis_ctx_fix_rate(c, stage, name, stk_diagnosis_ctx_widen(c, rate));
}

/* The geometric mean of two simulations, with their joint interval. */
stk_fix *stk_diagnosis_ctx_fix_between(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                       const stk_what_if *weak, const stk_what_if *strong)
{
    const stk_estimate low = stk_diagnosis_ctx_widen(c, stk_sim_model_estimate(c->model, weak));
    const stk_estimate high = stk_diagnosis_ctx_widen(c, stk_sim_model_estimate(c->model, strong));
    return stk_diagnosis_ctx_fix_rate(
        c, stage, name, (stk_estimate){sqrt(low.value * high.value), low.low, high.high});
}

stk_fix *stk_diagnosis_ctx_fix_at_most(stk_diagnosis_ctx *c, stk_stage stage, const char *name,
                                       const stk_what_if *what)
{
    stk_fix *fix = stk_diagnosis_ctx_fix(c, stage, name, what);
    if (!fix) return NULL;
    fix->at_most = true;
    fix->samples_per_s.value = fix->samples_per_s.high; /* a bound includes its error */
    fix->samples_per_s.low = c->rate;
    fix->gain = fix->gain_high;
    fix->gain_low = 0;
    return fix;
}

stk_fix *stk_diagnosis_ctx_fix_unpredicted(stk_diagnosis_ctx *c, stk_stage stage, const char *name)
{
    stk_diagnosis *d = c->out;
    if (d->fix_count == STK_DIAGNOSIS_FIXES) return NULL;
    stk_fix *fix = &d->fixes[d->fix_count++];
    *fix = (stk_fix){.stage = stage, .samples_per_s = {-1, -1, -1}};
    snprintf(fix->name, sizeof fix->name, "%s", name);
    return fix;
}

#define PRINT(target, capacity)                                                                    \
    do {                                                                                           \
        va_list args;                                                                              \
        va_start(args, format);                                                                    \
        vsnprintf(target, capacity, format, args);                                                 \
        va_end(args);                                                                              \
    } while (0)

void stk_fix_describe(stk_fix *fix, const char *format, ...)
{
    PRINT(fix->title, sizeof fix->title);
}

void stk_fix_because(stk_fix *fix, const char *format, ...)
{
    PRINT(fix->why, sizeof fix->why);
}

void stk_fix_code(stk_fix *fix, const char *format, ...)
{
    PRINT(fix->code, sizeof fix->code);
}

void stk_fix_set(stk_fix *fix, const char *format, ...)
{
    if (fix->set_count == STK_FIX_SETS) return;
    PRINT(fix->set[fix->set_count], sizeof fix->set[0]);
    fix->set_count++;
}

static const char *data_of(const stk_diagnosis_ctx *c)
{
    const char *data = c->profile->run.data;
    return *data && strlen(data) <= STK_FIX_PATH ? data : "DATA";
}

/* A profile may come from anywhere: its data path is quoted for the shell. */
static const char *as_path(char *word, size_t capacity, const char *path)
{
    return stk_shell_path(word, capacity, path) < capacity ? word : "DATA";
}

void stk_fix_train(const stk_diagnosis_ctx *c, stk_fix *fix, const char *format, ...)
{
    char      word[STK_FIX_WORD];
    const int used = snprintf(fix->command, sizeof fix->command, "stoker train %s ",
                              as_path(word, sizeof word, data_of(c)));
    PRINT(fix->command + used, sizeof fix->command - (size_t)used);
}

void stk_fix_recipe(stk_fix *fix, const char *format, ...)
{
    PRINT(fix->recipe, sizeof fix->recipe);
}

/* A folder beside the data: "photos-146". */
void stk_fix_pack(const stk_diagnosis_ctx *c, stk_fix *fix, const char *suffix, const char *flags)
{
    const char *data = data_of(c);
    size_t      length = strlen(data);
    char        from[STK_FIX_WORD], to[STK_FIX_WORD];
    while (length > 1 && data[length - 1] == '/')
        length--;
    snprintf(fix->data, sizeof fix->data, "%.*s-%s", (int)length, data, suffix);
    const bool fits =
        as_path(from, sizeof from, data) == from && as_path(to, sizeof to, fix->data) == to;
    if (!fits) {
        snprintf(from, sizeof from, "DATA");
        snprintf(to, sizeof to, "DATA-%s", suffix);
    }
    snprintf(fix->command, sizeof fix->command, "stoker pack %s %s%s%s", from, to,
             *flags ? " " : "", flags);
}
