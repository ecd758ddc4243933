/* Measures a compute step over batch sizes, to find a sufficient one. */
#ifndef CLI_TOOLS_BENCH_SWEEP_H
#define CLI_TOOLS_BENCH_SWEEP_H

#include "json_out.h"
#include "terminal.h"

#include <stoker/train_bench.h>

enum { CLI_SWEEP_MAX = 24 };

typedef struct cli_sweep_row {
    int64_t batch;
    double  step_s, images_per_s, bytes;
} cli_sweep_row;

typedef struct cli_sweep {
    const stk_train_recipe *recipe;
    bool                    inference;
    int64_t                 first, last; /* last 0: until memory is full */
    double                  seconds;     /* per batch size */
    uint64_t                memory;      /* available */
    cli_sweep_row           rows[CLI_SWEEP_MAX];
    size_t                  count;
    char                    ended[160]; /* why there is no larger one; "" */
} cli_sweep;

/* Parses "4..512", "4..max" or "32"; false for others. */
bool cli_sweep_read(const char *text, int64_t *first, int64_t *last);
/* Measures first, twice that and so on, while the batch fits into memory. */
STK_NODISCARD stk_status cli_sweep_run(cli_sweep *sweep, stk_error *err);
/* The smallest batch within 5 % of the fastest; 0 without rows. */
int64_t cli_sweep_enough(const cli_sweep *sweep);

void cli_sweep_print(const cli_sweep *sweep, const cli_style *style);
void cli_sweep_json(stk_json_writer *json, const cli_sweep *sweep);
/* Plots img/s by batch to a .svg or .png file. */
STK_NODISCARD stk_status cli_sweep_plot(const cli_sweep *sweep, const char *path, stk_error *err);

#endif
