/* All operators, for passes that match them. Each has its own file; those with parameters that
 * passes read or make have a header of their name. */
#ifndef STK_PIPELINE_OPERATORS_OPERATORS_H
#define STK_PIPELINE_OPERATORS_OPERATORS_H

#include "pipeline/plan/operator.h"

#include <stoker/dataset_operators.h>

extern const stk_operator stk_operator_range, stk_operator_elements, stk_operator_map,
    stk_operator_filter, stk_operator_fused_map, stk_operator_batch, stk_operator_prefetch,
    stk_operator_repeat;
extern const stk_operator stk_operator_flat_map, stk_operator_interleave, stk_operator_window,
    stk_operator_group_by_window, stk_operator_bucket_by_length, stk_operator_sample_from,
    stk_operator_choose_from, stk_operator_rejection_resample;
extern const stk_operator stk_operator_tensors, stk_operator_slices, stk_operator_generator,
    stk_operator_indexed;
extern const stk_operator stk_operator_padded_batch, stk_operator_ragged_batch,
    stk_operator_batch_of_ragged, stk_operator_sparse_batch, stk_operator_unbatch,
    stk_operator_rebatch;
extern const stk_operator stk_operator_take, stk_operator_skip, stk_operator_shard,
    stk_operator_zip, stk_operator_concatenate, stk_operator_enumerate, stk_operator_scan,
    stk_operator_take_while, stk_operator_unique, stk_operator_ignore_errors,
    stk_operator_quarantine, stk_operator_options;
extern const stk_operator stk_operator_shuffle, stk_operator_shuffle_repeat,
    stk_operator_global_shuffle, stk_operator_balance;
extern const stk_operator stk_operator_cache_memory, stk_operator_cache_disk, stk_operator_snapshot;
extern const stk_operator stk_operator_files, stk_operator_tfrecord, stk_operator_tfrecord_indexed,
    stk_operator_text, stk_operator_fixed_length_records, stk_operator_source;

/* The operator trait for an order option. */
static inline unsigned stk_order_traits(stk_order order)
{
    if (order == STK_ORDER_DEFAULT) return STK_OPERATOR_FOLLOWS;
    return order == STK_ORDER_RELAXED ? STK_OPERATOR_RELAXED : 0;
}

#endif
