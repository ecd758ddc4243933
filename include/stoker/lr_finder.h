/* stoker/lr_finder.h - suggests a learning rate from a ramp over a few hundred steps. */
#ifndef STOKER_LR_FINDER_H
#define STOKER_LR_FINDER_H

#include <stoker/cancel.h>
#include <stoker/train_resolve.h>

STK_BEGIN_DECLS

typedef struct stk_lr_options {
    double            from, to;  /* 0: 1e-5 and 10 */
    int64_t           steps;     /* 0: 100 */
    double            smoothing; /* 0: 0.95 */
    double            stop_at;   /* stops above this multiple of the best smoothed loss; 0: 4 */
    const stk_cancel *cancel;
    void (*progress)(void *context, int64_t step, int64_t steps, double rate, double loss);
    void *progress_context;
} stk_lr_options;

typedef struct stk_lr_point {
    double rate, loss, smoothed;
} stk_lr_point;

typedef struct stk_lr_result {
    stk_lr_point *points;
    size_t        count;
    double        steepest, valley; /* rates; 0: not found in the curve */
    double        suggestion;       /* the smaller of steepest and valley */
    bool          diverged;         /* the ramp stopped at stop_at */
} stk_lr_result;

/* Trains on the recipe's data with a rate that grows per step, and discards the weights. options
 * may be NULL. */
STK_API STK_NODISCARD stk_status stk_lr_find(const stk_train_recipe *recipe,
                                             const stk_train_data   *data,
                                             const stk_lr_options *options, stk_lr_result *out,
                                             stk_error *err);
/* Computes the suggestions for an existing curve, as stk_lr_find does at its end. */
STK_API void stk_lr_suggest(stk_lr_result *result);
STK_API void stk_lr_result_release(stk_lr_result *result);

STK_END_DECLS
#endif
