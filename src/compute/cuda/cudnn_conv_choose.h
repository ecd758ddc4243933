/* Choice of convolution algorithms: the fastest, measured once per problem.
 *
 * Problems are enqueued during layout assignment, before any is prepared. So plans of all problems
 * are built in parallel, and then timed one by one. Choices are stored in the device's tuning file.
 * STOKER_TUNE=off: no timing; the libraries' first proposal is used. */
#ifndef STK_COMPUTE_CUDA_CUDNN_CONV_CHOOSE_H
#define STK_COMPUTE_CUDA_CUDNN_CONV_CHOOSE_H

#include "compute/cuda/cudnn_conv_algorithm.h"
#include "compute/cuda/cudnn_libraries.h"

typedef struct stk_conv_chosen {
    stk_conv_problem   c;
    stk_conv_algorithm algorithm; /* none if all proposals failed */
    const char        *how;       /* "measured", ... */
    double             us;        /* of one run; 0: unknown */
} stk_conv_chosen;

STK_NODISCARD stk_status stk_conv_choices_new(stk_conv_choices **out, stk_error *err);
void                     stk_conv_choices_free(stk_conv_choices *choices);

/* Whether a library supports c. Also true if the libraries fail to start: choose returns the
 * error. */
bool stk_conv_can(const stk_device *device, const stk_conv_problem *c);
/* Announces c to the next choose. */
STK_NODISCARD stk_status stk_conv_enqueue_choice(const stk_device       *device,
                                                 const stk_conv_problem *c, stk_error *err);
/* *out is valid as long as the device. */
STK_NODISCARD stk_status stk_conv_choose(const stk_device *device, const stk_conv_problem *c,
                                         const stk_conv_chosen **out, stk_error *err);

#endif
