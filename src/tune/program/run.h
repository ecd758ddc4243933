/* One run of a program in one setting: started, measured, and stopped, with nothing left behind. */
#ifndef STK_TUNE_PROGRAM_RUN_H
#define STK_TUNE_PROGRAM_RUN_H

#include "tune/program/command.h"
#include "tune/program/rate_source.h"

#include <stoker/usage.h>

/* All of it borrowed. */
typedef struct stk_tune_run_options {
    const stk_tune_command_parts *parts;
    const stk_tune_rate_source   *rate;
    const stk_tune_pattern       *guard;  /* NULL: none */
    const char                   *folder; /* for NUMBER.log and filled templates */
    double                        warm_up_s, measure_s, timeout_s;
    double                        grace_s;    /* from SIGTERM to SIGKILL */
    bool                          is_watched; /* its use of the machine, too */
    const stk_cancel             *cancel;
} stk_tune_run_options;

typedef struct stk_tune_run {
    int       number;  /* of its log */
    double    rate;    /* as the source has it; 0 only if that is "watch" */
    double    seconds; /* that were measured */
    double    whole_s; /* from the start until nothing was left */
    bool      has_guard;
    double    guard; /* mean of the last few numbers */
    stk_usage usage; /* while measured; samples is 0 unless watched */
} stk_tune_run;

/* Errors of the program are STK_E_INVALID (it failed, or ended too early), STK_E_LIMIT (it hangs),
 * STK_E_FORMAT (NaN), or those of exec; their message has the last line that it printed. Ours are
 * those of stk_status_is_environment. */
STK_NODISCARD stk_status stk_tune_run_measure(stk_tune_run               *out,
                                              const stk_tune_run_options *options,
                                              const stk_tune_setting *setting, stk_error *err);

#endif
