/* Parts of a profile, each from what it is made of. */
#ifndef STK_TRAIN_PROFILE_PROFILE_PARTS_H
#define STK_TRAIN_PROFILE_PROFILE_PARTS_H

#include "train/session/session.h"
#include <stoker/profile.h>

/* The card, the memory and the number of parameters: what does not change during a run. */
void stk_profile_fill_card(stk_profile *out, const stk_train_recipe *recipe, stk_session *session);

/* What the data is: its kind, how much, how large images are stored, where it is kept. */
void stk_profile_fill_data(stk_profile *out, const stk_train_data *data, const char *cache);

/* The input's stages. */
typedef struct stk_input_state {
    size_t               count;
    stk_profile_input    list[STK_PROFILE_STAGES];
    size_t               op_count;
    stk_profile_input_op ops[STK_PROFILE_INPUT_OPS];
    int                  helpers, in_flight; /* threads that prepare; reads at a time */
    char                 limit[STK_PROFILE_LINE];
} stk_input_state;

void stk_input_state_read(stk_input_state *out, const stk_iterator_report *report);
/* Into the profile, without what was done before; queues are those of the whole time. */
void stk_profile_fill_input(stk_profile *out, const stk_input_state *now,
                            const stk_input_state *before);

/* What the device is, and what it did between two moments; times stay -1 where it has none. */
void stk_profile_describe_device(stk_profile *out, const stk_device *device);
void stk_profile_fill_device(stk_profile *out, const stk_device_times *now,
                             const stk_device_times *before);

/* Those of the measured part; step_list and windows have all. */
STK_NODISCARD stk_status stk_profile_fill_steps(stk_profile *out, stk_meter *meter, stk_error *err);

/* The operations of program that were timed: *count of them in *out, which the caller frees; none
 * without any, or without memory. */
void stk_profile_ops_of(stk_program *program, stk_profile_op **out, size_t *count);

#endif
