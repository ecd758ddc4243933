/* A program as what a search measures. */
#ifndef STK_TUNE_PROGRAM_PROGRAM_SUBJECT_H
#define STK_TUNE_PROGRAM_PROGRAM_SUBJECT_H

#include "tune/program/records.h"

typedef struct stk_tune_program_subject {
    const stk_tune_program *program; /* borrowed, and so are the options */
    const stk_tune_options *options;
    stk_tune_knobs          knobs;
    stk_tune_rate_source    rate;
    stk_tune_pattern        guard;    /* compiled only if there is one */
    stk_blob                config;   /* text of the template, terminated */
    stk_blob                folder;   /* of the runs, terminated and absolute */
    stk_tune_command_parts  parts;    /* of what is above */
    stk_tune_run_options    run;      /* of what is above */
    bool                    busy_gpu; /* the rate is how busy GPUs are: nothing is read */
    stk_tune_record        *records;
} stk_tune_program_subject;

/* Checks all that the user gave, and makes the folder. The caller releases it even on failure. */
STK_NODISCARD stk_status stk_tune_program_subject_init(stk_tune_program_subject *subject,
                                                       const stk_tune_program   *program,
                                                       const stk_tune_options   *options,
                                                       stk_error                *err);
void                     stk_tune_program_subject_release(stk_tune_program_subject *subject);
/* Runs the start once where the program does not tell its rate, to see whether it reads anything;
 * else how busy GPUs are has to do. */
STK_NODISCARD stk_status stk_tune_program_subject_choose(stk_tune_program_subject *subject,
                                                         stk_error                *err);
/* The table of functions over subject, which must outlive it. */
stk_tune_subject stk_tune_program_subject_table(stk_tune_program_subject *subject);

/* One run of a setting, which is remembered. */
STK_NODISCARD stk_status stk_tune_program_subject_measure(stk_tune_program_subject *subject,
                                                          const stk_tune_setting   *setting,
                                                          stk_tune_block *out, stk_error *err);
/* program_list.c */
STK_NODISCARD stk_status stk_tune_program_list(stk_tune_program_subject *subject,
                                               const stk_tune_setting   *now,
                                               stk_tune_candidates *out, stk_error *err);
/* program_guard.c */
STK_NODISCARD stk_status stk_tune_program_guard(stk_tune_program_subject *subject,
                                                const stk_tune_setting   *before,
                                                const stk_tune_setting   *after,
                                                const stk_tune_candidate *candidate,
                                                stk_tune_guard_result *out, stk_error *err);
/* Writes a line to the options' log. */
void stk_tune_program_say(const stk_tune_program_subject *subject, const char *format, ...)
    STK_PRINTF(2, 3);

#endif
