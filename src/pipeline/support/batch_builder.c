/* Collects elements for a batch. */
#include "pipeline/support/batch_builder.h"

#include <stdlib.h>

enum {
    CAPACITY_MIN = 16,
    ELEMENT_BYTES = 96 /* of an element without its values, with what malloc adds */
};

/* Elements of a batch are alike: the first one gives the size of all structs; buffers account for
 * themselves. One reservation per doubling avoids ledger calls per element. */
static stk_status grow(stk_batch_builder *gather, const stk_element *like, const char *component,
                       stk_error *err)
{
    const size_t more = gather->capacity ? gather->capacity * 2 : CAPACITY_MIN;
    const size_t each =
        sizeof(stk_element *) + ELEMENT_BYTES + stk_element_count(like) * sizeof(stk_value);
    uint64_t bytes = (uint64_t)(more - gather->capacity) * each;
    STK_TRY(stk_ledger_reserve(gather->ledger, STK_MEMORY_BATCH, bytes, err));
    stk_element **elements = realloc(gather->elements, more * sizeof(stk_element *));
    if (!elements) {
        stk_ledger_release(gather->ledger, STK_MEMORY_BATCH, bytes);
        return stk_fail(err, STK_E_NOMEM, component, NULL, "no memory for a batch of %zu elements",
                        more);
    }
    gather->reserved += bytes;
    gather->elements = elements;
    gather->capacity = more;
    return STK_OK;
}

stk_status stk_batch_builder_keep(stk_batch_builder *gather, stk_element *element,
                                  const char *component, stk_error *err)
{
    if (gather->count == gather->capacity) {
        stk_status st = grow(gather, element, component, err);
        if (st) {
            stk_element_unref(element);
            return st;
        }
    }
    gather->elements[gather->count++] = element;
    return STK_OK;
}

void stk_batch_builder_clear(stk_batch_builder *gather)
{
    for (size_t i = 0; i < gather->count; i++)
        stk_element_unref(gather->elements[i]);
    gather->count = 0;
}

void stk_batch_builder_release(stk_batch_builder *gather)
{
    stk_batch_builder_clear(gather);
    free(gather->elements);
    stk_ledger_release(gather->ledger, STK_MEMORY_BATCH, gather->reserved);
    *gather = (stk_batch_builder){0};
}

/* One input. False at the end, after an error that ends the batch and when stopped. */
static bool take_one(stk_batch_builder *gather, stk_node *node, stk_batch_builder_errors errors,
                     stk_status *failed, stk_error *failure)
{
    stk_element *element;
    stk_error    inner;
    stk_status   st = stk_node_pull(node, &element, &inner);
    if (!st && !element) return false;
    const bool good = !st;
    /* After an error nothing of the batch is wanted any more. */
    if (!st && *failed)
        stk_element_unref(element);
    else if (!st)
        st = stk_batch_builder_keep(gather, element, node->plan->op->name, &inner);
    if (!st) return true;
    const bool machine = stk_status_is_environment(st);
    if (!*failed || st == STK_E_CANCELLED || (machine && !stk_status_is_environment(*failed))) {
        *failed = st;
        *failure = inner;
        stk_batch_builder_clear(gather);
    }
    /* Want of memory is not the element's fault: it ends the batch, which could be of any size. */
    const bool ends = st == STK_E_CANCELLED || st == STK_E_CEILING || good;
    return errors == STK_ERRORS_LOSE_THE_BATCH && !ends;
}

stk_status stk_batch_builder_fill(stk_batch_builder *gather, stk_node *node, int64_t size,
                                  stk_batch_builder_errors errors, bool *complete, stk_error *err)
{
    stk_status failed = STK_OK;
    stk_error  failure;
    int64_t    index_count = 0;
    gather->ledger = stk_run_options_of(node->run)->ledger;
    while (index_count < size && take_one(gather, node, errors, &failed, &failure))
        index_count++;
    *complete = index_count == size;
    if (failed && err) *err = failure;
    return failed;
}

int64_t stk_batch_builder_batches(int64_t count, int64_t size, bool drop_remainder)
{
    if (count < 0) return count;
    return count / size + (!drop_remainder && count % size != 0);
}

void stk_batch_builder_close(stk_node *node)
{
    stk_batch_builder_release(STK_STATE(stk_batch_builder, node));
}
