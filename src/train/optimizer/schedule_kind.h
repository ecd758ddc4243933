/* Table row of a schedule. */
#ifndef STK_TRAIN_OPTIMIZER_SCHEDULE_KIND_H
#define STK_TRAIN_OPTIMIZER_SCHEDULE_KIND_H

#include <stoker/schedule.h>

typedef struct stk_schedule_row {
    stk_schedule_kind kind;
    /* Excludes warm-up. step is below the total. */
    double (*rate)(const stk_schedule *schedule, int64_t step);
    double (*momentum)(const stk_schedule *schedule,
                       int64_t             step); /* NULL: the constant of the options */
    /* Describes it, after its name: " from 0.1 to 0". */
    void (*describe)(const stk_schedule *schedule, char *text, size_t capacity);
    bool wants_milestones, warms_up_itself, divides;
} stk_schedule_row;

/* NULL: constant. On failure *out is NULL. */
STK_NODISCARD stk_status stk_schedule_find(const char *name, const stk_schedule_row **out,
                                           stk_error *err);
/* The step at which epoch, possibly fractional, begins. */
int64_t stk_schedule_step_of(const stk_schedule *schedule, double epoch);

#endif
