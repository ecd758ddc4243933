/* The case studies: a real run, and the same run with one stage made slow on purpose, by as much as
 * this machine's own step takes. Is it found, and is what is foretold what comes? */
#ifndef STK_TOOLS_BENCH_CASES_H
#define STK_TOOLS_BENCH_CASES_H

#include "measured_run.h"
#include "terminal.h"

#include <stoker/diagnosis.h>
#include <stoker/json.h>

enum { STK_CASES = 6, STK_CASE_PATH = 512 };

/* What is known of the clean run, which faults are made from. */
typedef struct stk_clean_run {
    double  rate;           /* samples a second */
    double  step_s;         /* of a step */
    double  bytes_a_sample; /* that were read */
    double  helpers;        /* threads that prepare beside training */
    double  copy_s;         /* what copying a batch once more takes */
    double  scale;          /* faults are so many times as large */
    int64_t batch;
} stk_clean_run;

typedef struct stk_case_result {
    const char *name, *expected;
    char        fault[96]; /* as a flag: "--inject read=400KB/s" */
    char        verdict[STK_DIAGNOSIS_LINE];
    double      rate, foretold, measured; /* samples a second; -1: not told */
    bool        right;                    /* the verdict */
} stk_case_result;

typedef struct stk_cases {
    const stk_invocation   *call;
    const stk_train_values *flags;
    stk_profile_plan        plan;
    char                    folder[STK_CASE_PATH]; /* for data and runs; removed at the end */
    const char             *data;
    char                    model[64];
    int                     runs; /* so far */
    stk_clean_run           clean;
    char                    clean_verdict[STK_DIAGNOSIS_LINE];
    size_t                  count;
    stk_case_result         list[STK_CASES];
} stk_cases;

/* bench_cases_data.c: a folder for everything, and pictures in it. */
STK_NODISCARD stk_status stk_cases_make_folder(stk_cases *cases, stk_error *err);
STK_NODISCARD stk_status stk_cases_make_data(const stk_cases *cases, char *path, size_t room,
                                             stk_error *err);
void                     stk_cases_remove_folder(const stk_cases *cases);

/* bench_cases_run.c: all of them, or those whose numbers are in only ("2,6"; NULL: all). Gives an
 * exit code, and has told why when it is not STK_EXIT_OK. */
int  stk_cases_run(stk_cases *cases, const char *only);
bool stk_cases_are_numbers(const char *only);

/* bench_cases_report.c */
void stk_cases_print(const stk_cases *cases, const stk_style *style);
void stk_cases_json(stk_json_writer *json, const stk_cases *cases);

#endif
