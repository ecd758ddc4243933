/* The schedules; all but triangle compute the same as torch.optim's of that name. */
#include "train/optimizer/schedule_kind.h"
#include "base/decimal.h"
#include "base/suggest.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { DIGITS = 4 };

static char *number(double value, char text[STK_DECIMAL_CAPACITY])
{
    return stk_decimal_write(value, DIGITS, text);
}

int64_t stk_schedule_step_of(const stk_schedule *s, double epoch)
{
    double step = epoch * (double)s->steps_per_epoch;
    return step < 0x1p62 ? (int64_t)llround(step) : INT64_MAX / 2;
}

static double constant(const stk_schedule *s, int64_t step)
{
    (void)step;
    return s->options.rate;
}

static void describe_constant(const stk_schedule *s, char *text, size_t capacity)
{
    char rate[STK_DECIMAL_CAPACITY];
    snprintf(text, capacity, " %s", number(s->options.rate, rate));
}

static double every(const stk_schedule *s, int64_t step)
{
    int64_t period = stk_schedule_step_of(s, s->options.milestones[0]);
    return s->options.rate * pow(s->options.gamma, (double)(step / (period ? period : 1)));
}

static void describe_every(const stk_schedule *s, char *text, size_t capacity)
{
    char rate[STK_DECIMAL_CAPACITY], gamma[STK_DECIMAL_CAPACITY], epochs[STK_DECIMAL_CAPACITY];
    snprintf(text, capacity, " from %s, times %s every %s epochs", number(s->options.rate, rate),
             number(s->options.gamma, gamma), number(s->options.milestones[0], epochs));
}

static double multistep(const stk_schedule *s, int64_t step)
{
    int passed = 0;
    for (size_t i = 0; i < s->options.milestone_count; i++)
        passed += step >= stk_schedule_step_of(s, s->options.milestones[i]);
    return s->options.rate * pow(s->options.gamma, passed);
}

static void describe_multistep(const stk_schedule *s, char *text, size_t capacity)
{
    char rate[STK_DECIMAL_CAPACITY], gamma[STK_DECIMAL_CAPACITY], epoch[STK_DECIMAL_CAPACITY];
    int  used = snprintf(text, capacity, " from %s, times %s at epoch",
                         number(s->options.rate, rate), number(s->options.gamma, gamma));
    for (size_t i = 0; i < s->options.milestone_count && (size_t)used < capacity; i++)
        used += snprintf(text + used, capacity - (size_t)used, "%s %s", i ? "," : "",
                         number(s->options.milestones[i], epoch));
}

/* Progress after warm-up, from 0 to 1. */
static double progress(const stk_schedule *s, int64_t step)
{
    return step <= s->warmup ? 0 : (double)(step - s->warmup) / (double)(s->total - s->warmup);
}

static double cosine(const stk_schedule *s, int64_t step)
{
    double final = s->options.final_rate;
    return final + (s->options.rate - final) * (1 + cos(M_PI * progress(s, step))) / 2;
}

static double poly(const stk_schedule *s, int64_t step)
{
    double final = s->options.final_rate;
    return final + (s->options.rate - final) * pow(1 - progress(s, step), s->options.power);
}

static void describe_fall(const stk_schedule *s, char *text, size_t capacity)
{
    char rate[STK_DECIMAL_CAPACITY], final[STK_DECIMAL_CAPACITY], epochs[STK_DECIMAL_CAPACITY];
    snprintf(text, capacity, " from %s to %s over %s epochs", number(s->options.rate, rate),
             number(s->options.final_rate, final),
             number((double)(s->total - s->warmup) / (double)s->steps_per_epoch, epochs));
}

/* From a to b along half a cosine. */
static double swing(double a, double b, double fraction)
{
    return b + (a - b) / 2 * (cos(M_PI * fraction) + 1);
}

/* low at the first step, high at the peak, end at the last. As in OneCycleLR the peak is at a
 * fraction of all steps, less one, and usually lies between two steps. */
static double cycle(const stk_schedule *s, int64_t step, double low, double high, double end)
{
    double at = (double)step, last = (double)(s->total - 1);
    double peak = s->options.rise_fraction * (double)s->total - 1;
    if (at <= peak) return swing(low, high, peak > 0 ? at / peak : 1);
    return swing(high, end, last > peak ? (at - peak) / (last - peak) : 1);
}

static double one_cycle(const stk_schedule *s, int64_t step)
{
    const stk_schedule_options *o = &s->options;
    double                      low = o->rate / o->start_divide;
    return cycle(s, step, low, o->rate, low / o->final_divide);
}

static double one_cycle_momentum(const stk_schedule *s, int64_t step)
{
    const stk_schedule_options *o = &s->options;
    if (o->momentum_high == 0) return o->momentum;
    return cycle(s, step, o->momentum_high, o->momentum_low, o->momentum_high);
}

static void describe_one_cycle(const stk_schedule *s, char *text, size_t capacity)
{
    const stk_schedule_options *o = &s->options;
    char   low[STK_DECIMAL_CAPACITY], high[STK_DECIMAL_CAPACITY], end[STK_DECIMAL_CAPACITY];
    char   rise[STK_DECIMAL_CAPACITY], epochs[STK_DECIMAL_CAPACITY];
    double length = (double)s->total / (double)s->steps_per_epoch;
    int    used = snprintf(text, capacity, " from %s to %s in %s of %s epochs, then to %s",
                           number(o->rate / o->start_divide, low), number(o->rate, high),
                           number(o->rise_fraction * length, rise), number(length, epochs),
                           number(o->rate / o->start_divide / o->final_divide, end));
    if (o->momentum_high != 0 && (size_t)used < capacity)
        snprintf(text + used, capacity - (size_t)used, "; momentum %s to %s and back",
                 number(o->momentum_high, high), number(o->momentum_low, low));
}

/* The peak is at an integer step. */
static double triangle(const stk_schedule *s, int64_t step)
{
    const stk_schedule_options *o = &s->options;
    double at = (double)step, total = (double)s->total, peak = floor(o->rise_fraction * total);
    if (at < peak) return o->rate * (o->start_factor + (1 - o->start_factor) * at / peak);
    return o->rate * (1 - (1 - o->end_factor) * (at - peak) / (total > peak ? total - peak : 1));
}

static void describe_triangle(const stk_schedule *s, char *text, size_t capacity)
{
    const stk_schedule_options *o = &s->options;
    char   low[STK_DECIMAL_CAPACITY], high[STK_DECIMAL_CAPACITY], end[STK_DECIMAL_CAPACITY];
    char   rise[STK_DECIMAL_CAPACITY], epochs[STK_DECIMAL_CAPACITY];
    double length = (double)s->total / (double)s->steps_per_epoch;
    snprintf(text, capacity, " from %s to %s in %s of %s epochs, then to %s",
             number(o->rate * o->start_factor, low), number(o->rate, high),
             number(o->rise_fraction * length, rise), number(length, epochs),
             number(o->rate * o->end_factor, end));
}

static double plateau(const stk_schedule *s, int64_t step)
{
    (void)step;
    return s->plateau.rate;
}

static void describe_plateau(const stk_schedule *s, char *text, size_t capacity)
{
    char rate[STK_DECIMAL_CAPACITY], gamma[STK_DECIMAL_CAPACITY];
    snprintf(text, capacity, " from %s, times %s after %d evaluations that are no better",
             number(s->options.rate, rate), number(s->options.gamma, gamma),
             s->options.patience + 1);
}

#define COMMON .rate = 0.1, .momentum = 0.9, .warmup_from = 0.1

static const stk_schedule_row rows[] = {
    {.kind = {"constant", "the same rate always", {.kind = "constant", COMMON}},
     .rate = constant,
     .describe = describe_constant},
    {.kind = {"step",
              "falls by a factor every so many epochs",
              {.kind = "step", COMMON, .gamma = 0.1, .milestones = {30}, .milestone_count = 1}},
     .rate = every,
     .describe = describe_every,
     .wants_milestones = true},
    {.kind = {"multistep",
              "falls by a factor at given epochs",
              {.kind = "multistep", COMMON, .gamma = 0.1}},
     .rate = multistep,
     .describe = describe_multistep,
     .wants_milestones = true},
    {.kind = {"cosine", "falls along half a cosine", {.kind = "cosine", COMMON}},
     .rate = cosine,
     .describe = describe_fall},
    {.kind = {"poly", "falls along a power", {.kind = "poly", COMMON, .power = 2}},
     .rate = poly,
     .describe = describe_fall},
    {.kind = {"one-cycle",
              "rises, then falls far below where it began; momentum the other way round",
              {.kind = "one-cycle",
               COMMON,
               .rise_fraction = 0.3,
               .start_divide = 25,
               .final_divide = 1e4,
               .momentum_low = 0.85,
               .momentum_high = 0.95}},
     .rate = one_cycle,
     .momentum = one_cycle_momentum,
     .describe = describe_one_cycle,
     .warms_up_itself = true,
     .divides = true},
    {.kind = {"triangle",
              "rises in a straight line, then falls in one",
              {.kind = "triangle",
               COMMON,
               .rise_fraction = 0.23,
               .start_factor = 0.2,
               .end_factor = 0.07}},
     .rate = triangle,
     .describe = describe_triangle,
     .warms_up_itself = true},
    {.kind = {"plateau",
              "falls by a factor when evaluations get no better",
              {.kind = "plateau", COMMON, .gamma = 0.1, .patience = 10, .threshold = 1e-4}},
     .rate = plateau,
     .describe = describe_plateau},
};

const stk_schedule_kind *stk_schedule_kind_at(size_t index)
{
    return index < sizeof rows / sizeof *rows ? &rows[index].kind : NULL;
}

stk_status stk_schedule_find(const char *name, const stk_schedule_row **out, stk_error *err)
{
    stk_suggest near = {.wanted = name};
    char        text[96];
    *out = name ? NULL : &rows[0];
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !*out; i++) {
        if (strcmp(rows[i].kind.name, name) == 0) *out = &rows[i];
        stk_suggest_offer(&near, rows[i].kind.name);
    }
    if (*out) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "schedule", name, "no schedule has this name%s",
                    stk_suggest_text(&near, text, sizeof text));
}

stk_status stk_schedule_defaults(stk_schedule_options *out, const char *kind, stk_error *err)
{
    const stk_schedule_row *row;
    STK_TRY(stk_schedule_find(kind, &row, err));
    *out = row->kind.defaults;
    return STK_OK;
}
