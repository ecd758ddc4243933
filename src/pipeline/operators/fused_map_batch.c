/* Batches of computed elements, copied by one thread or by several. */
#include "pipeline/operators/fused_map_batch.h"

#include "pipeline/operators/fused_map.h"
#include "pipeline/support/stack.h"

#include <stdlib.h>

enum {
    PARALLEL_BYTES = 1 << 20, /* below, waking a thread costs more than it copies */
    PART_BYTES = 256 << 10
};

/* A batch that is being copied. */
typedef struct copying {
    stk_element *batch;
    size_t       count;
    size_t       rows; /* of one part */
    stk_element *elements[];
} copying;

static void put_result(stk_work_unit *unit, stk_queue_item result)
{
    for (size_t i = 0; i < unit->count; i++)
        stk_queue_item_clear(&unit->items[i]);
    stk_element_unref(unit->result);
    unit->result = NULL;
    unit->items[0] = result;
}

static void put_error(stk_work_unit *unit, const stk_error *err)
{
    stk_queue_item result = {0};
    stk_queue_item_fail(&result, err);
    put_result(unit, result);
}

/* The error that a batch reports: the last error of the machine, as cancellation and the ceiling
 * end their unit; else the first data error. So a bad element never hides a fatal error. NULL:
 * none. */
static stk_queue_item *find_error(const stk_work_unit *unit)
{
    stk_queue_item *found = NULL;
    for (size_t i = 0; i < unit->count; i++) {
        stk_queue_item *item = &unit->items[i];
        if (stk_status_is_environment(item->status) || (item->status && !found)) found = item;
    }
    return found;
}

static bool take_error(stk_work_unit *unit, stk_queue_item *result)
{
    stk_queue_item *item = find_error(unit);
    if (!item) return false;
    *result = *item;
    *item = (stk_queue_item){0};
    return true;
}

/* Elements that were given before a checkpoint were emptied: all of a batch, or none. */
static copying *gather(const stk_work_unit *unit)
{
    copying *c = malloc(sizeof *c + unit->count * sizeof c->elements[0]);
    if (!c) return NULL;
    *c = (copying){0};
    for (size_t i = 0; i < unit->count; i++)
        if (unit->items[i].element) c->elements[c->count++] = unit->items[i].element;
    return c;
}

/* Rows computed in place are not copied. */
static size_t bytes_to_copy(const stk_work_unit *unit, const copying *c)
{
    const size_t bytes = stk_element_bytes(c->batch);
    const size_t there = unit->result ? stk_element_bytes(unit->result) : 0;
    return bytes > there ? bytes - there : 0;
}

static bool is_to_be_shared(const stk_node *node, const stk_work_unit *unit, const copying *c)
{
    return STK_PARAMS(stk_fused_map_params, node)->parallel_copy && c->count > 1 &&
           stk_run_options_of(node->run)->threads > 0 && bytes_to_copy(unit, c) >= PARALLEL_BYTES;
}

static void split(stk_work_unit *unit, copying *c)
{
    size_t parts = bytes_to_copy(unit, c) / PART_BYTES;
    if (parts > c->count) parts = c->count;
    c->rows = (c->count + parts - 1) / parts;
    unit->parts = (c->count + c->rows - 1) / c->rows;
    unit->scratch = c;
}

void stk_fused_map_batch_finish(void *context, stk_work_unit *unit)
{
    const stk_node             *node = context;
    const stk_fused_map_params *p = node->plan->params;
    const stk_run_options      *run = stk_run_options_of(node->run);
    const stk_batch_memory      memory = {.ledger = run->ledger, .kind = run->batch_memory};
    stk_queue_item              result = {0};
    stk_error                   err;
    if (take_error(unit, &result)) {
        put_result(unit, result);
        return;
    }
    copying *c = gather(unit);
    if (!c) {
        stk_fail(&err, STK_E_NOMEM, "batch", NULL, "no memory for %zu elements", unit->count);
        put_error(unit, &err);
    } else if (!c->count || (c->count < (size_t)p->batch && p->drop_remainder)) {
        put_result(unit, result);
    } else if (stk_stack_prepare(&c->batch, c->elements, c->count, unit->result, &memory, &err)) {
        put_error(unit, &err);
    } else if (is_to_be_shared(node, unit, c)) {
        split(unit, c);
        return;
    } else {
        stk_stack_copy(c->batch, c->elements, 0, c->count);
        put_result(unit, (stk_queue_item){.element = c->batch});
    }
    free(c);
}

void stk_fused_map_batch_copy(void *node, stk_work_unit *unit, size_t part)
{
    (void)node;
    const copying *c = unit->scratch;
    const size_t   first = part * c->rows, left = c->count - first;
    stk_stack_copy(c->batch, c->elements, first, left < c->rows ? left : c->rows);
}

void stk_fused_map_batch_seal(void *node, stk_work_unit *unit)
{
    (void)node;
    copying *c = unit->scratch;
    unit->parts = 0;
    unit->scratch = NULL;
    put_result(unit, (stk_queue_item){.element = c->batch});
    free(c);
}
