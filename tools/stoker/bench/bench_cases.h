/* The case studies: a real run, and the same run with one stage made slow on purpose, by as much as
 * this machine's own step takes. Is it found, and is what is predicted what comes? */
#ifndef CLI_TOOLS_BENCH_CASES_H
#define CLI_TOOLS_BENCH_CASES_H

#include "terminal.h"
#include "train_job.h"

#include <stoker/diagnosis.h>
#include <stoker/json.h>

enum { CLI_CASES = 6, CLI_CASE_PATH = 512 };

/* What is known of the clean run, which faults are made from. */
typedef struct cli_clean_run {
    double  rate;           /* samples a second */
    double  step_s;         /* of a step */
    double  bytes_a_sample; /* that were read */
    double  helpers;        /* threads that prepare beside training */
    double  copy_s;         /* what copying a batch once more takes */
    double  scale;          /* faults are so many times as large */
    int64_t batch;
} cli_clean_run;

typedef struct cli_case_result {
    const char *name, *expected;
    char        fault[96]; /* as a flag: "--inject read=400KB/s" */
    char        verdict[STK_DIAGNOSIS_LINE];
    double      rate, predicted, measured; /* samples a second; -1: not told */
    bool        right;                     /* the verdict */
} cli_case_result;

typedef struct cli_cases {
    const cli_invocation   *call;
    const cli_train_values *flags;
    double                  seconds;               /* of a run */
    int64_t                 steps;                 /* instead; 0: as the seconds say */
    char                    folder[CLI_CASE_PATH]; /* for data and runs; removed at the end */
    const char             *data;
    char                    model[64];
    cli_clean_run           clean;
    char                    clean_verdict[STK_DIAGNOSIS_LINE];
    size_t                  count;
    cli_case_result         list[CLI_CASES];
} cli_cases;

/* bench_cases_data.c: a folder for everything, and images in it. */
STK_NODISCARD stk_status cli_cases_make_folder(cli_cases *cases, stk_error *err);
STK_NODISCARD stk_status cli_cases_make_data(const cli_cases *cases, char *path, size_t capacity,
                                             stk_error *err);
void                     cli_cases_remove_folder(const cli_cases *cases);

/* bench_cases_run.c: all of them, or those whose numbers are in only ("2,6"; NULL: all). Gives an
 * exit code, and has told why when it is not CLI_EXIT_OK. */
int  cli_cases_run(cli_cases *cases, const char *only);
bool cli_cases_are_numbers(const char *only);

/* bench_cases_report.c */
void cli_cases_print(const cli_cases *cases, const cli_style *style);
void cli_cases_json(stk_json_writer *json, const cli_cases *cases);

#endif
