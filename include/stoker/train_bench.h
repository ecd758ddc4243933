/* stoker/train_bench.h - steps of training without a run, to measure them: input alone, compute
 * alone, both. The caller has the clock. Nothing is written, and nothing is learnt: the learning
 * rate is 0, so that no step differs from the others. */
#ifndef STOKER_TRAIN_BENCH_H
#define STOKER_TRAIN_BENCH_H

#include <stoker/cancel.h>
#include <stoker/inject.h>
#include <stoker/meter.h>
#include <stoker/profile.h>
#include <stoker/program.h>
#include <stoker/trace.h>
#include <stoker/train_resolve.h>

STK_BEGIN_DECLS

typedef struct stk_train_bench stk_train_bench;

typedef struct stk_train_bench_options {
    bool              inference; /* without gradients and update */
    const stk_cancel *cancel;
    stk_trace        *trace;
    const stk_inject *inject; /* faults on purpose; NULL: none */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_train_bench_options;

/* Compiles a step of the settled recipe as training does. data NULL: there is no input; images
 * and labels are random numbers that stay the same. recipe and data must outlive it. options may be
 * NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_train_bench_open(stk_train_bench              **out,
                                                      const stk_train_recipe        *recipe,
                                                      const stk_train_data          *data,
                                                      const stk_train_bench_options *options,
                                                      stk_error                     *err);
/* NULL is fine. */
STK_API void stk_train_bench_free(stk_train_bench *bench);

typedef enum stk_train_bench_part {
    STK_TRAIN_BENCH_BOTH,
    STK_TRAIN_BENCH_COMPUTE, /* on generated images */
    STK_TRAIN_BENCH_INPUT
} stk_train_bench_part;

/* One batch of the recipe's size. BOTH and INPUT want data. On a device that works beside the
 * caller, some steps are under way as in training: one begins, and an earlier one is waited for, so
 * that after the first few each takes its time. */
STK_API STK_NODISCARD stk_status stk_train_bench_step(stk_train_bench     *bench,
                                                      stk_train_bench_part part, stk_error *err);

/* So many steps of COMPUTE, one right after the other, on images that the device has already:
 * only the last is waited for. */
STK_API STK_NODISCARD stk_status stk_train_bench_window(stk_train_bench *bench, int64_t steps,
                                                        stk_error *err);

/* The largest batch of the settled recipe whose step takes at most limit bytes, by its own plan,
 * which is in *plan. Memory grows in jumps: of batches past the first that does not fit, those that
 * 8 divides are tried. Nothing is run.
 * inference: forward alone. Where not even one image fits, STK_E_LIMIT says what it takes. */
STK_API STK_NODISCARD stk_status stk_train_largest_batch(const stk_train_recipe *recipe,
                                                         bool inference, uint64_t limit,
                                                         int64_t *batch, stk_memory_plan *plan,
                                                         stk_error *err);

/* What a step runs: its operations, their times, its memory. Lent; stepped by the call above. */
STK_API stk_program *stk_train_bench_program(stk_train_bench *bench);
/* What is kept of the data, and why, for people. Lent. */
STK_API const char *stk_train_bench_cache(const stk_train_bench *bench);
STK_API stk_meter  *stk_train_bench_meter(stk_train_bench *bench); /* of steps of BOTH; lent */
/* As stk_trainer_profile, of steps of BOTH: the first STK_TRAIN_WARM_UP are not measured. For the
 * thread that steps. Operations are those that stk_program_time timed. */
STK_API STK_NODISCARD stk_status stk_train_bench_profile(stk_train_bench *bench, stk_profile *out,
                                                         stk_error *err);
STK_API const char              *stk_train_bench_backend(const stk_train_bench *bench);
STK_API int                      stk_train_bench_threads(const stk_train_bench *bench);

STK_END_DECLS
#endif
