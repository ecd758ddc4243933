/* Schedules: validated options, and warm-up before any kind. */
#include "base/decimal.h"
#include "train/optimizer/schedule_kind.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Conditions are written to reject NaN too. */
static stk_status check_numbers(const stk_schedule_options *o, stk_error *err)
{
    const struct {
        const char *name;
        double      value, min, max;
    } numbers[] = {
        {"rate", o->rate, 0, 1e12},
        {"momentum", o->momentum, 0, 1},
        {"warmup_epochs", o->warmup_epochs, 0, 1e12},
        {"warmup_from", o->warmup_from, 0, 1},
        {"final_rate", o->final_rate, 0, 1e12},
        {"gamma", o->gamma, 0, 1},
        {"power", o->power, 0, 1e3},
        {"rise_fraction", o->rise_fraction, 0, 1},
        {"start_divide", o->start_divide, 0, 1e12},
        {"final_divide", o->final_divide, 0, 1e12},
        {"start_factor", o->start_factor, 0, 1},
        {"end_factor", o->end_factor, 0, 1},
        {"momentum_low", o->momentum_low, 0, 1},
        {"momentum_high", o->momentum_high, 0, 1},
        {"patience", o->patience, 0, 1e9},
        {"cooldown", o->cooldown, 0, 1e9},
        {"threshold", o->threshold, 0, 1},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!(numbers[i].value >= numbers[i].min && numbers[i].value <= numbers[i].max))
            return stk_fail(err, STK_E_INVALID, "schedule", numbers[i].name,
                            "it is %g; it must be from %g to %g", numbers[i].value, numbers[i].min,
                            numbers[i].max);
    return STK_OK;
}

static stk_status check_milestones(const stk_schedule_options *o, stk_error *err)
{
    for (size_t i = 0; i < o->milestone_count; i++) {
        double before = i ? o->milestones[i - 1] : 0;
        if (!(o->milestones[i] > before && o->milestones[i] < 1e12))
            return stk_fail(err, STK_E_INVALID, "schedule", "milestones",
                            "%g comes after %g; epochs must rise", o->milestones[i], before);
    }
    return STK_OK;
}

static stk_status check_kind(const stk_schedule *s, stk_error *err)
{
    const stk_schedule_options *o = &s->options;
    const char                 *name = s->row->kind.name;
    if (o->milestone_count > STK_SCHEDULE_MILESTONES)
        return stk_fail(err, STK_E_LIMIT, "schedule", "milestones", "%zu of them; at most %d",
                        o->milestone_count, STK_SCHEDULE_MILESTONES);
    STK_TRY(check_milestones(o, err));
    if (s->row->wants_milestones && !o->milestone_count)
        return stk_fail(err, STK_E_INVALID, "schedule", "milestones", "%s needs them", name);
    if (s->row->divides && !(o->start_divide > 0 && o->final_divide > 0))
        return stk_fail(err, STK_E_INVALID, "schedule", name,
                        "it divides the rate by %g and %g; both must be more than 0",
                        o->start_divide, o->final_divide);
    if (s->row->warms_up_itself && o->warmup_epochs > 0)
        return stk_fail(err, STK_E_INVALID, "schedule", "warmup_epochs",
                        "%g, but %s warms up itself: leave them at 0", o->warmup_epochs, name);
    return STK_OK;
}

stk_status stk_schedule_init(stk_schedule *schedule, const stk_schedule_options *options,
                             int64_t steps_per_epoch, int64_t total, stk_error *err)
{
    stk_schedule s = {.options = *options, .steps_per_epoch = steps_per_epoch, .total = total};
    if (steps_per_epoch < 1 || total < 1)
        return stk_fail(err, STK_E_INVALID, "schedule", options->kind,
                        "%lld steps in all and %lld to an epoch; both must be at least 1",
                        (long long)total, (long long)steps_per_epoch);
    STK_TRY(stk_schedule_find(options->kind, &s.row, err));
    STK_TRY(check_numbers(options, err));
    STK_TRY(check_kind(&s, err));
    s.warmup = stk_schedule_step_of(&s, options->warmup_epochs);
    if (s.warmup >= total && s.warmup > 0)
        return stk_fail(err, STK_E_INVALID, "schedule", "warmup_epochs",
                        "%g epochs of warm-up are %lld steps, but training has %lld",
                        options->warmup_epochs, (long long)s.warmup, (long long)total);
    s.plateau.rate = options->rate;
    s.plateau.best = options->larger_is_better ? -INFINITY : INFINITY;
    *schedule = s;
    return STK_OK;
}

static int64_t within(const stk_schedule *s, int64_t step)
{
    return step < 0 ? 0 : step < s->total ? step : s->total - 1;
}

double stk_schedule_rate(const stk_schedule *s, int64_t step)
{
    double from = s->options.warmup_from;
    step = within(s, step);
    double rate = s->row->rate(s, step);
    if (step < s->warmup) rate *= from + (1 - from) * (double)step / (double)s->warmup;
    return rate;
}

double stk_schedule_momentum(const stk_schedule *s, int64_t step)
{
    return s->row->momentum ? s->row->momentum(s, within(s, step)) : s->options.momentum;
}

stk_status stk_schedule_milestones(stk_schedule_options *options, const char *text, stk_error *err)
{
    stk_schedule_options next = {0};
    const char          *at = text, *end;
    while (*at) {
        if (next.milestone_count == STK_SCHEDULE_MILESTONES)
            return stk_fail(err, STK_E_LIMIT, "schedule", text, "more than %d milestones",
                            STK_SCHEDULE_MILESTONES);
        next.milestones[next.milestone_count++] = stk_decimal_read(at, &end);
        bool more = *end == ',';
        if (end == at || (*end && !more) || (more && !end[1]))
            return stk_fail(err, STK_E_INVALID, "schedule", text,
                            "at \"%.20s\": epochs are numbers with commas between, as 30,60,80",
                            end == at ? at : end);
        at = end + more;
    }
    STK_TRY(check_milestones(&next, err));
    memcpy(options->milestones, next.milestones, sizeof next.milestones);
    options->milestone_count = next.milestone_count;
    return STK_OK;
}

char *stk_schedule_text(const stk_schedule *s, char *text, size_t capacity)
{
    char what[256] = "", warm[80] = "", epochs[STK_DECIMAL_CAPACITY], from[STK_DECIMAL_CAPACITY];
    s->row->describe(s, what, sizeof what);
    if (s->warmup)
        snprintf(warm, sizeof warm, ", after %s epochs of warm-up from %s",
                 stk_decimal_write(s->options.warmup_epochs, 4, epochs),
                 stk_decimal_write(stk_schedule_rate(s, 0), 4, from));
    snprintf(text, capacity, "%s%s%s", s->row->kind.name, what, warm);
    return text;
}
