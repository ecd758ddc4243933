/* The operators, for passes that look for them. Each is a file of its own; those whose parameters a
 * pass must read or make have them in a header of their name. */
#ifndef STK_PIPELINE_OPERATORS_OPERATORS_H
#define STK_PIPELINE_OPERATORS_OPERATORS_H

#include "pipeline/plan/operator.h"

#include <stoker/dataset_operators.h>

extern const stk_op stk_op_range, stk_op_elements, stk_op_map, stk_op_filter, stk_op_apply,
    stk_op_batch, stk_op_prefetch, stk_op_repeat;
extern const stk_op stk_op_flat_map, stk_op_interleave, stk_op_window, stk_op_group_by_window,
    stk_op_bucket_by_length, stk_op_sample_from, stk_op_choose_from, stk_op_rejection_resample;
extern const stk_op stk_op_tensors, stk_op_slices, stk_op_generator, stk_op_indexed;
extern const stk_op stk_op_padded_batch, stk_op_ragged_batch, stk_op_batch_of_ragged,
    stk_op_sparse_batch, stk_op_unbatch, stk_op_rebatch;
extern const stk_op stk_op_take, stk_op_skip, stk_op_shard, stk_op_zip, stk_op_concatenate,
    stk_op_enumerate, stk_op_scan, stk_op_take_while, stk_op_unique, stk_op_ignore_errors,
    stk_op_quarantine, stk_op_options;
extern const stk_op stk_op_shuffle, stk_op_shuffle_repeat, stk_op_global_shuffle, stk_op_balance;
extern const stk_op stk_op_cache_memory, stk_op_cache_disk, stk_op_snapshot;
extern const stk_op stk_op_files, stk_op_tfrecord, stk_op_tfrecord_indexed, stk_op_text,
    stk_op_fixed, stk_op_source;

/* The trait of a stage with that setting of its order. */
static inline unsigned stk_order_traits(stk_order order)
{
    if (order == STK_ORDER_DEFAULT) return STK_OP_FOLLOWS;
    return order == STK_ORDER_RELAXED ? STK_OP_RELAXED : 0;
}

#endif
