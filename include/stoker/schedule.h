/* stoker/schedule.h - the learning rate and momentum of every step. Both are functions of the step
 * alone, so a resumed run needs only its step. The exception is "plateau", which observes a metric;
 * its state is a few bytes. */
#ifndef STOKER_SCHEDULE_H
#define STOKER_SCHEDULE_H

#include <stdbool.h>
#include <stoker/blob.h>

STK_BEGIN_DECLS

enum { STK_SCHEDULE_MILESTONES = 32 };

typedef struct stk_schedule_options {
    const char *kind;          /* see stk_schedule_kind_at; NULL: "constant" */
    double      rate;          /* the peak rate */
    double      momentum;      /* of all kinds but one-cycle */
    double      warmup_epochs; /* linear warm-up; not for kinds that begin with a rise */
    double      warmup_from;   /* fraction of the rate at the first step */
    double      final_rate;    /* cosine, poly: after the last step; plateau: the lower bound */
    double      gamma;         /* step, multistep, plateau: the factor of a reduction */
    double milestones[STK_SCHEDULE_MILESTONES]; /* in epochs; step: the first is the interval */
    size_t milestone_count;
    double power; /* poly */
    /* one-cycle: rises from rate / start_divide during this fraction of the steps, then falls to
     * that over final_divide. Momentum moves the other way. momentum_high 0: momentum is
     * constant. */
    double rise_fraction, start_divide, final_divide, momentum_low, momentum_high;
    /* triangle: straight up from this share of the rate, with the largest after the fraction
     * rise_fraction of the steps, and straight down to that one, which the step after the last
     * would have. */
    double start_factor, end_factor;
    /* plateau: the rate falls after more than patience reports without an improvement by the
     * fraction threshold. The next cooldown reports do not count. */
    int    patience, cooldown;
    double threshold;
    bool   larger_is_better;
} stk_schedule_options;

typedef struct stk_schedule_kind {
    const char          *name, *help;
    stk_schedule_options defaults;
} stk_schedule_kind;

/* NULL past the end. */
STK_API const stk_schedule_kind *stk_schedule_kind_at(size_t index);
/* Writes the defaults of a kind. An unknown name is STK_E_INVALID; the message suggests the nearest
 * one. */
STK_API STK_NODISCARD stk_status stk_schedule_defaults(stk_schedule_options *out, const char *kind,
                                                       stk_error *err);
/* Parses ascending milestones such as "30,60,80"; "" is none. On failure they do not change. */
STK_API STK_NODISCARD stk_status stk_schedule_milestones(stk_schedule_options *options,
                                                         const char *text, stk_error *err);

/* Held by the caller; plain data without ownership. */
typedef struct stk_schedule {
    stk_schedule_options           options;
    const struct stk_schedule_row *row;
    int64_t                        steps_per_epoch, total, warmup; /* in steps */
    struct {
        double  rate, best;
        int64_t bad, cooling;
    } plateau;
} stk_schedule;

/* Prepares total steps of training. Invalid options are STK_E_INVALID; the message names the
 * option. */
STK_API STK_NODISCARD stk_status stk_schedule_init(stk_schedule               *schedule,
                                                   const stk_schedule_options *options,
                                                   int64_t steps_per_epoch, int64_t total,
                                                   stk_error *err);
/* step counts from 0. From total on, the values stay as after the last step. */
STK_API double stk_schedule_rate(const stk_schedule *schedule, int64_t step);
STK_API double stk_schedule_momentum(const stk_schedule *schedule, int64_t step);
/* Reports the metric of an evaluation to plateau; no-op for the other kinds. */
STK_API void stk_schedule_observe(stk_schedule *schedule, double metric);

/* Appends plateau's state. */
STK_API STK_NODISCARD stk_status stk_schedule_save(const stk_schedule *schedule, stk_blob *out,
                                                   stk_error *err);
/* STK_E_DATALOSS for invalid bytes; the schedule does not change then. */
STK_API STK_NODISCARD stk_status stk_schedule_restore(stk_schedule *schedule, stk_bytes saved,
                                                      stk_error *err);

/* Writes "cosine from 0.1 to 0 over 30 epochs, after 1.5 epochs of warm-up from 0.01". Returns
 * text. */
STK_API char *stk_schedule_text(const stk_schedule *schedule, char *text, size_t capacity);

STK_END_DECLS
#endif
