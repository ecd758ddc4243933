/* A preset's operations as a chain, to draw their random numbers without running it. */
#ifndef STK_PIPELINE_PRESETS_PRESET_CHAIN_H
#define STK_PIPELINE_PRESETS_PRESET_CHAIN_H

#include "image/chain/chain.h"

#include <stoker/presets.h>

enum { STK_PRESET_STEPS = 8 };

typedef struct stk_preset_chain {
    stk_chain_op steps[STK_PRESET_STEPS];
    size_t       count;
} stk_preset_chain;

/* The training operations, as stk_dataset_preset adds them. Call release even on failure. */
STK_NODISCARD stk_status stk_preset_chain_init(stk_preset_chain *chain, const stk_preset *preset,
                                               int size, double augment_reduction, stk_error *err);
void                     stk_preset_chain_release(stk_preset_chain *chain);
/* Removes all steps of this operation. */
void stk_preset_chain_remove(stk_preset_chain *chain, const char *operation);

/* Writes the parameters for stk_function_image. */
void stk_preset_op_parameters(const stk_preset_op *step, int size, double augment_reduction,
                              char *out, size_t capacity);
/* The probability of the operation. */
double stk_preset_op_probability(const stk_preset_op *step, double augment_reduction);

#endif
