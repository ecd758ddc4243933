/* Which way convolutions are computed: the fastest of all, measured once for each case.
 *
 * Cases are noted when formats are decided, before the first of them is prepared: the plans of all
 * are then built by all threads at once, and timed one after the other. What was found is kept in
 * the device's file of tuning. STOKER_TUNE=off: nothing is timed, the libraries' own first proposal
 * is taken. */
#ifndef STK_COMPUTE_CUDA_CUDNN_CONV_CHOOSE_H
#define STK_COMPUTE_CUDA_CUDNN_CONV_CHOOSE_H

#include "compute/cuda/cudnn_conv_algorithm.h"
#include "compute/cuda/cudnn_libraries.h"

typedef struct stk_conv_chosen {
    stk_conv_problem   c;
    stk_conv_algorithm algorithm; /* may be none: everything proposed failed */
    const char        *how;       /* "measured", ... */
    double             us;        /* of one run; 0: not known */
} stk_conv_chosen;

STK_NODISCARD stk_status stk_conv_choices_new(stk_conv_choices **out, stk_error *err);
void                     stk_conv_choices_free(stk_conv_choices *choices);

/* Whether one of the libraries has something for c. True also where they cannot be started: choose
 * says why. */
bool stk_conv_can(const stk_device *device, const stk_conv_problem *c);
/* c will be asked for. */
STK_NODISCARD stk_status stk_conv_enqueue_choice(const stk_device       *device,
                                                 const stk_conv_problem *c, stk_error *err);
/* *out is lent as long as the device is there. */
STK_NODISCARD stk_status stk_conv_choose(const stk_device *device, const stk_conv_problem *c,
                                         const stk_conv_chosen **out, stk_error *err);

#endif
