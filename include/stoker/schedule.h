/* stoker/schedule.h - the learning rate and momentum of every step.
 * Both are functions of the step alone, so a run that is continued needs nothing but its step; only
 * "plateau" learns from what it is told, and its state is a few bytes. */
#ifndef STOKER_SCHEDULE_H
#define STOKER_SCHEDULE_H

#include <stdbool.h>
#include <stoker/blob.h>

STK_BEGIN_DECLS

enum { STK_SCHEDULE_MILESTONES = 32 };

typedef struct stk_schedule_options {
    const char *kind;          /* see stk_schedule_kind_at; NULL: "constant" */
    double      rate;          /* the largest */
    double      momentum;      /* of every kind but one-cycle */
    double      warmup_epochs; /* linear up to what the kind says; not for those that rise */
    double      warmup_from;   /* the share of the rate at the first step */
    double      final_rate;    /* cosine, poly: after the last step; plateau: never below */
    double      gamma;         /* step, multistep, plateau multiply with this */
    double      milestones[STK_SCHEDULE_MILESTONES]; /* epochs; the first of step: every so many */
    size_t      milestone_count;
    double      power; /* poly */
    /* one-cycle: up from rate / start_divide in this share of the steps, then down to that over
     * final_divide; momentum the other way round. momentum_high 0: momentum stays. */
    double rise_fraction, start_divide, final_divide, momentum_low, momentum_high;
    /* triangle: straight up from this share of the rate, with the largest after the fraction
     * rise_fraction of the steps, and straight down to that one, which the step after the last
     * would have. */
    double start_factor, end_factor;
    /* plateau: so many reports without getting better by the share threshold are borne; after that
     * the rate falls, and cooldown reports do not count. */
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
/* The defaults of a kind; an unknown name is STK_E_INVALID with the nearest one. */
STK_API STK_NODISCARD stk_status stk_schedule_defaults(stk_schedule_options *out, const char *kind,
                                                       stk_error *err);
/* Sets the milestones from "30,60,80", which must rise; "" is none. On failure they are as before.
 */
STK_API STK_NODISCARD stk_status stk_schedule_milestones(stk_schedule_options *options,
                                                         const char *text, stk_error *err);

/* Held by the caller; plain bytes that own nothing. */
typedef struct stk_schedule {
    stk_schedule_options           options;
    const struct stk_schedule_row *row;
    int64_t                        steps_per_epoch, total, warmup; /* in steps */
    struct {
        double  rate, best;
        int64_t bad, cooling;
    } plateau;
} stk_schedule;

/* For training of total steps. What makes no sense is STK_E_INVALID naming the option. */
STK_API STK_NODISCARD stk_status stk_schedule_init(stk_schedule               *schedule,
                                                   const stk_schedule_options *options,
                                                   int64_t steps_per_epoch, int64_t total,
                                                   stk_error *err);
/* Of step, which counts from 0; from total on they stay as after the last. */
STK_API double stk_schedule_rate(const stk_schedule *schedule, int64_t step);
STK_API double stk_schedule_momentum(const stk_schedule *schedule, int64_t step);
/* Tells plateau how well it goes, after each evaluation; the others do not care. */
STK_API void stk_schedule_observe(stk_schedule *schedule, double metric);

/* Appends the state, which is plateau's. */
STK_API STK_NODISCARD stk_status stk_schedule_save(const stk_schedule *schedule, stk_blob *out,
                                                   stk_error *err);
/* STK_E_DATALOSS for other bytes; the schedule is then as it was. */
STK_API STK_NODISCARD stk_status stk_schedule_restore(stk_schedule *schedule, stk_bytes saved,
                                                      stk_error *err);

/* "cosine from 0.1 to 0 over 30 epochs, after 1.5 epochs of warm-up from 0.01": returns text. */
STK_API char *stk_schedule_text(const stk_schedule *schedule, char *text, size_t capacity);

STK_END_DECLS
#endif
