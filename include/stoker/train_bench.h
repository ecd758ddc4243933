/* stoker/train_bench.h - training steps without a run, for measurements: input alone, compute
 * alone, or both. The caller measures the time. Nothing is written, and the learning rate is 0, so
 * all steps do the same work. */
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
    bool              inference; /* forward pass alone */
    const stk_cancel *cancel;
    stk_trace        *trace;
    const stk_inject *inject; /* injected faults; NULL: none */
    void (*log)(void *context, const char *line);
    void *log_context;
} stk_train_bench_options;

/* Compiles a step of the resolved recipe as training does. With data NULL there is no input: images
 * and labels are fixed random numbers. recipe and data must outlive *out. options may be NULL. On
 * failure *out is NULL. */
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

/* Runs one batch of the recipe's size. BOTH and INPUT need data. An asynchronous device keeps some
 * steps in flight, as in training: each call enqueues a step and waits for an earlier one. */
STK_API STK_NODISCARD stk_status stk_train_bench_step(stk_train_bench     *bench,
                                                      stk_train_bench_part part, stk_error *err);

/* Runs so many COMPUTE steps back to back on images already on the device. Waits for the last one
 * only. */
STK_API STK_NODISCARD stk_status stk_train_bench_window(stk_train_bench *bench, int64_t steps,
                                                        stk_error *err);

/* The largest batch of the resolved recipe whose memory plan stays within limit bytes; *plan
 * receives that plan. Memory does not grow evenly: above the first batch that does not fit,
 * multiples of 8 are tried. Runs nothing. inference: forward pass alone. STK_E_LIMIT if one image
 * does not fit; the message has the bytes needed. */
STK_API STK_NODISCARD stk_status stk_train_largest_batch(const stk_train_recipe *recipe,
                                                         bool inference, uint64_t limit,
                                                         int64_t *batch, stk_memory_plan *plan,
                                                         stk_error *err);

/* The step's program: its operations, their times, its memory. Borrowed; runs with
 * stk_train_bench_step. */
STK_API stk_program *stk_train_bench_program(stk_train_bench *bench);
/* How data is cached, and why, for the user. Borrowed. */
STK_API const char *stk_train_bench_cache(const stk_train_bench *bench);
STK_API stk_meter  *stk_train_bench_meter(stk_train_bench *bench); /* of BOTH's steps; borrowed */
/* Like stk_trainer_profile, over steps of BOTH without the first STK_TRAIN_WARM_UP. Call it from
 * the stepping thread. Operations are those that stk_program_time measured. */
STK_API STK_NODISCARD stk_status stk_train_bench_profile(stk_train_bench *bench, stk_profile *out,
                                                         stk_error *err);
STK_API const char              *stk_train_bench_backend(const stk_train_bench *bench);
STK_API int                      stk_train_bench_threads(const stk_train_bench *bench);

STK_END_DECLS
#endif
