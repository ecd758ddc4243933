/* The list of actions. */
#include "tune/actions/actions.h"
#include <string.h>

static const stk_tune_action *const list[] = {
    &stk_action_threads,     &stk_action_cache,           &stk_action_memory,
    &stk_action_pack,        &stk_action_decode,          &stk_action_augment,
    &stk_action_resident,    &stk_action_steps_in_flight, &stk_action_eager,
    &stk_action_passes,      &stk_action_deterministic,   &stk_action_checkpoints,
    &stk_action_logging,     &stk_action_precision,       &stk_action_batch,
    &stk_action_progressive,
};

const stk_tune_action *stk_tune_actions_at(size_t index)
{
    return index < sizeof list / sizeof *list ? list[index] : NULL;
}

const stk_tune_action *stk_tune_actions_find(const char *name)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (strcmp(list[i]->info.name, name) == 0) return list[i];
    return NULL;
}

const stk_tune_action_info *stk_tune_action_at(size_t index)
{
    const stk_tune_action *action = stk_tune_actions_at(index);
    return action ? &action->info : NULL;
}
