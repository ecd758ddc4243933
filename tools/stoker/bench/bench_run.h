/* Runs pipelines for a while: one with a report, or several interleaved. */
#ifndef CLI_TOOLS_BENCH_RUN_H
#define CLI_TOOLS_BENCH_RUN_H

#include "bench_report.h"

typedef struct cli_bench_limits {
    double   seconds;
    uint64_t elements; /* 0: no limit */
    int      threads;
    uint64_t memory_bytes;
    bool     quiet;
} cli_bench_limits;

/* Draws from data until a limit, the end, or Ctrl-C. */
STK_NODISCARD stk_status cli_bench_measure(stk_dataset *data, const cli_bench_limits *limits,
                                           cli_bench_result *result, stk_error *err);

/* Whether elements that it has given are batches, and how many samples such a one has. */
bool     cli_bench_gives_batches(stk_iterator *it);
uint64_t cli_bench_rows(const stk_element *element);

enum { CLI_BENCH_ROUNDS = 5, CLI_BENCH_CONTENDERS = 12 };

/* One of several pipelines that are compared. */
typedef struct cli_contender {
    char         name[48];
    stk_dataset *data; /* yields batches */
    double       rate; /* samples per second: median of the rounds */
    double       cpu;  /* CPU seconds per sample: median of the rounds */
    double       rates[CLI_BENCH_ROUNDS], cpus[CLI_BENCH_ROUNDS];
} cli_contender;

/* Runs each contender for limits->seconds in total, in interleaved rounds, so that other load
 * affects all alike. Autotuning is off. Ctrl-C is STK_E_CANCELLED. */
STK_NODISCARD stk_status cli_bench_interleaved(cli_contender *contenders, size_t count,
                                               const cli_bench_limits *limits, stk_error *err);

#endif
