/* A preset's steps as a chain, for those who draw for it without running it. */
#ifndef STK_PIPELINE_PRESETS_PRESET_CHAIN_H
#define STK_PIPELINE_PRESETS_PRESET_CHAIN_H

#include "image/chain/chain.h"

#include <stoker/presets.h>

enum { STK_PRESET_STEPS = 8 };

typedef struct stk_preset_chain {
    stk_chain_op steps[STK_PRESET_STEPS];
    size_t       count;
} stk_preset_chain;

/* Of the steps to train with, as stk_dataset_preset puts them on a dataset. To be released even on
 * failure. */
STK_NODISCARD stk_status stk_preset_chain_init(stk_preset_chain *chain, const stk_preset *preset,
                                               int size, double augment_reduction, stk_error *err);
void                     stk_preset_chain_release(stk_preset_chain *chain);
/* Takes out the steps of this operation. */
void stk_preset_chain_remove(stk_preset_chain *chain, const char *operation);

/* The parameters as stk_function_image takes them. */
void stk_preset_op_parameters(const stk_preset_op *step, int size, double augment_reduction,
                              char *out, size_t capacity);
/* That it is done at all. */
double stk_preset_op_probability(const stk_preset_op *step, double augment_reduction);

#endif
