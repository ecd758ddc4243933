/* unbatch: the rows of batches, one by one. */
#include "base/checked.h"
#include "pipeline/element/spec.h"
#include "pipeline/operators/operators.h"
#include "pipeline/support/batch_rows.h"
#include "pipeline/support/partial_batch.h"

#include <stoker/dataset_operators.h>

static stk_status check(stk_dataset *data, stk_error *err)
{
    int64_t rows;
    return stk_spec_rows(&data->spec, &data->inputs[0]->spec, "unbatch", &rows, &data->arena, err);
}

/* A known batch size gives the number of rows. check validated the spec. */
static int64_t cardinality(const stk_dataset *data)
{
    const stk_element_spec *spec = &data->inputs[0]->spec;
    const int64_t           batches = data->inputs[0]->cardinality;
    int64_t                 rows = -1, product;
    if (batches == 0 || batches == STK_CARDINALITY_UNKNOWN) return batches;
    for (size_t i = 0; spec->known && i < spec->count; i++)
        if (spec->values[i].kind <= STK_VALUE_RAGGED && spec->values[i].rank_known &&
            spec->values[i].shape.dim[0] >= 0)
            rows = spec->values[i].shape.dim[0];
    if (rows == 0) return 0;
    if (batches == STK_CARDINALITY_INFINITE) return batches;
    if (rows < 0 || stk_mul_overflows_i64(batches, rows, &product)) return STK_CARDINALITY_UNKNOWN;
    return product;
}

/* Goes on to a row. Batches without rows may follow each other for ever, so a request to stop is
 * looked at here. Holds no batch at the end. */
static stk_status find_row(stk_node *node, stk_error *err)
{
    stk_partial_batch *held = STK_STATE(stk_partial_batch, node);
    while (held->row == held->rows) {
        STK_TRY(stk_cancel_check(stk_run_options_of(node->run)->cancel, "unbatch", err));
        STK_TRY(stk_partial_batch_pull(held, node, err));
        if (!held->batch) return STK_OK;
    }
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    stk_partial_batch *held = STK_STATE(stk_partial_batch, node);
    STK_TRY(find_row(node, err));
    if (!held->batch) return STK_OK;
    STK_TRY(stk_rows_take(out, held->batch, held->row, stk_run_options_of(node->run)->ledger, err));
    if (++held->row == held->rows) stk_partial_batch_drop(held);
    return STK_OK;
}

static void close(stk_node *node)
{
    stk_partial_batch_release(STK_STATE(stk_partial_batch, node));
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    return stk_partial_batch_save(STK_STATE(stk_partial_batch, node), node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    return stk_partial_batch_restore(STK_STATE(stk_partial_batch, node), node, in, err);
}

/* Rows that every batch is known to have; -1: not known. */
static int64_t rows_known(const stk_dataset *data)
{
    const stk_element_spec *spec = &data->inputs[0]->spec;
    int64_t                 rows = -1;
    for (size_t i = 0; spec->known && i < spec->count; i++) {
        const stk_value_spec *value = &spec->values[i];
        if (value->kind != STK_VALUE_DENSE || !value->rank_known || value->shape.dim[0] < 0)
            return -1;
        rows = value->shape.dim[0];
    }
    return rows;
}

static unsigned traits_of(const stk_dataset *data)
{
    return rows_known(data) > 0 ? STK_OPERATOR_JUMPS : 0;
}

/* Complete batches before the one with the last row. */
static stk_status discard_batches(stk_node *node, uint64_t count, uint64_t *discarded,
                                  stk_error *err)
{
    const uint64_t rows = (uint64_t)rows_known(node->plan);
    uint64_t       passed;
    STK_TRY(stk_node_discard(node->inputs[0], count / rows, &passed, err));
    *discarded += passed * rows;
    return STK_OK;
}

/* Rows are skipped without being made; an error counts as one result. */
static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    stk_partial_batch *held = STK_STATE(stk_partial_batch, node);
    *discarded = 0;
    while (*discarded < count) {
        if (!held->batch && node->plan->jumps)
            STK_TRY(discard_batches(node, count - *discarded, discarded, err));
        if (*discarded == count) return STK_OK;
        stk_status st = find_row(node, err);
        if (stk_status_is_environment(st)) return st;
        if (st) {
            stk_run_pass_error(node->run, err);
            ++*discarded;
            continue;
        }
        if (!held->batch) return STK_OK;
        const uint64_t left = (uint64_t)(held->rows - held->row), wanted = count - *discarded;
        const uint64_t taken = left < wanted ? left : wanted;
        held->row += (int64_t)taken;
        *discarded += taken;
        if (held->row == held->rows) stk_partial_batch_drop(held);
    }
    return STK_OK;
}

const stk_operator stk_operator_unbatch = {
    .name = "unbatch",
    .stage = STK_STAGE_PREPROCESS,
    .check = check,
    .cardinality = cardinality,
    .traits_of = traits_of,
    .state_bytes = sizeof(stk_partial_batch),
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_dataset_unbatch(stk_dataset **data, stk_error *err)
{
    return stk_dataset_append(data, &stk_operator_unbatch, NULL, err);
}
