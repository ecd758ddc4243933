/* The actions, by name. */
#ifndef STK_TUNE_ACTIONS_ACTIONS_H
#define STK_TUNE_ACTIONS_ACTIONS_H

#include "tune/actions/action.h"

extern const stk_tune_action stk_action_augment, stk_action_batch, stk_action_cache,
    stk_action_checkpoints, stk_action_decode, stk_action_deterministic, stk_action_eager,
    stk_action_logging, stk_action_memory, stk_action_pack, stk_action_passes, stk_action_precision,
    stk_action_progressive, stk_action_resident, stk_action_steps_in_flight, stk_action_threads;

#endif
