/* Returns a batch row by row, and saves the position inside it. */
#include "pipeline/support/partial_batch.h"

#include "pipeline/support/batch_rows.h"

enum { SMALL_BYTES = 16 << 10 }; /* batches up to here are written into checkpoints */

typedef enum form { NOTHING, ROWS_LEFT, POSITION_BEFORE } form;

/* An input that cannot be saved is not an error yet: a checkpoint may never be requested. Nothing
 * was pulled, so after a lack of memory the caller may try again. */
static stk_status note_position(stk_partial_batch *held, stk_node *node, stk_error *err)
{
    held->has_before = false;
    held->before.size = 0;
    if (held->began && !held->keep_before) return STK_OK;
    if (!held->began) stk_blob_init(&held->before, NULL, STK_MEMORY_INDEX);
    held->began = true;
    stk_state_out out = {.blob = &held->before};
    stk_status    st = stk_node_save_input(node, &out, err);
    held->has_before = st == STK_OK;
    return st == STK_E_NOMEM || st == STK_E_CEILING ? st : STK_OK;
}

/* Batches of one input are mostly alike: the last one tells whether saving the position before the
 * next is worth its cost. */
static void weigh(stk_partial_batch *held)
{
    const size_t bytes = stk_element_bytes(held->batch);
    const bool   large = bytes > SMALL_BYTES;
    held->keep_before = large && (!held->has_before || held->before.size < bytes / 2);
    held->has_before = held->has_before && held->keep_before;
}

stk_status stk_partial_batch_pull(stk_partial_batch *held, stk_node *node, stk_error *err)
{
    stk_partial_batch_drop(held);
    STK_TRY(note_position(held, node, err));
    STK_TRY(stk_node_pull(node, &held->batch, err));
    if (!held->batch) return STK_OK;
    stk_status st = stk_rows_count(held->batch, node->plan->op->name, &held->rows, err);
    if (st)
        stk_partial_batch_drop(held);
    else
        weigh(held);
    return st;
}

void stk_partial_batch_drop(stk_partial_batch *held)
{
    stk_element_unref(held->batch);
    held->batch = NULL;
    held->row = held->rows = 0;
}

void stk_partial_batch_release(stk_partial_batch *held)
{
    stk_partial_batch_drop(held);
    if (held->began) stk_blob_release(&held->before);
}

static stk_status save_rows(const stk_partial_batch *held, stk_node *node, stk_state_out *out,
                            stk_error *err)
{
    stk_element *left;
    STK_TRY(stk_rows_slice(&left, held->batch, held->row, held->rows - held->row,
                           stk_run_options_of(node->run)->ledger, err));
    stk_status st = stk_state_put_element(out, left, err);
    stk_element_unref(left);
    return st;
}

stk_status stk_partial_batch_save(const stk_partial_batch *held, stk_node *node, stk_state_out *out,
                                  stk_error *err)
{
    const form how = !held->batch ? NOTHING : held->has_before ? POSITION_BEFORE : ROWS_LEFT;
    STK_TRY(stk_state_put_u64(out, how, err));
    if (how == POSITION_BEFORE) {
        STK_TRY(stk_state_put_u64(out, (uint64_t)held->row, err));
        return stk_blob_append(out->blob, held->before.data, held->before.size, err);
    }
    if (how == ROWS_LEFT) STK_TRY(save_rows(held, node, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore_rows(stk_partial_batch *held, stk_node *node, stk_state_in *in,
                               stk_error *err)
{
    STK_TRY(stk_state_get_element(in, &held->batch, err));
    if (!held->batch) return stk_state_damaged(in, "a batch is missing", err);
    if (stk_rows_count(held->batch, node->plan->op->name, &held->rows, NULL))
        return stk_state_damaged(in, "a batch without rows", err);
    return stk_node_restore_input(node, in, err);
}

static stk_status pull_again(stk_partial_batch *held, stk_node *node, stk_state_in *in,
                             stk_error *err)
{
    uint64_t row;
    STK_TRY(stk_state_get_count(in, INT64_MAX, &row, err));
    STK_TRY(stk_node_restore_input(node, in, err));
    STK_TRY(stk_partial_batch_pull(held, node, err));
    if (!held->batch || row > (uint64_t)held->rows)
        return stk_state_damaged(in, "the batch has fewer rows than were given", err);
    held->row = (int64_t)row;
    return STK_OK;
}

stk_status stk_partial_batch_restore(stk_partial_batch *held, stk_node *node, stk_state_in *in,
                                     stk_error *err)
{
    uint64_t how;
    STK_TRY(stk_state_get_count(in, POSITION_BEFORE, &how, err));
    if (how == ROWS_LEFT) return restore_rows(held, node, in, err);
    if (how == POSITION_BEFORE) return pull_again(held, node, in, err);
    return stk_node_restore_input(node, in, err);
}
