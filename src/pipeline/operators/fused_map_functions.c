/* Runs functions on items. */
#include "pipeline/operators/fused_map_functions.h"

#include "base/clock.h"
#include "pipeline/functions/image_function.h"
#include "pipeline/support/invoke.h"

#include <stdlib.h>

static stk_call call_of(const stk_fused_map_work *work, const stk_work_unit *unit, size_t number,
                        size_t step, stk_output_row rows[STK_FUSED_MAP_ROWS_MAX])
{
    stk_call call = work->calls[step];
    call.index = unit->first + number;
    call.output_rows = rows;
    call.output_row_count = stk_fused_map_rows_of(work->rows, unit, number, step, rows);
    return call;
}

/* False when the item has no element any more. ticks: of this step's parts, or NULL. */
static bool run_step(const stk_fused_map_work *work, stk_work_unit *unit, size_t number,
                     size_t step, uint64_t *ticks)
{
    const stk_function *function = work->params->steps[step].function;
    stk_queue_item     *item = &unit->items[number];
    stk_output_row      rows[STK_FUSED_MAP_ROWS_MAX];
    stk_call            call = call_of(work, unit, number, step, rows);
    bool                keep = true;
    stk_error           err;
    call.ticks = ticks;
    const stk_status st = stk_function_info_of(function)->test
                              ? stk_call_predicate(function, &call, item->element, &keep, &err)
                              : stk_call_map(function, &call, &item->element, &err);
    if (st)
        stk_queue_item_fail(item, &err);
    else if (!keep)
        stk_queue_item_clear(item);
    return !st && keep;
}

/* Image functions time their own parts. */
static bool run_timed(const stk_fused_map_work *work, stk_work_unit *unit, size_t number,
                      size_t step, uint64_t *ticks)
{
    const uint64_t begin = stk_clock_ticks();
    const bool     keep = run_step(work, unit, number, step, ticks);
    if (!stk_image_function_parts(work->params->steps[step].function))
        *ticks += stk_clock_ticks() - begin;
    return keep;
}

void stk_fused_map_run(const stk_fused_map_work *work, stk_work_unit *unit, size_t number,
                       uint64_t *ticks)
{
    for (size_t i = 0; i < work->params->count; i++)
        if (!(ticks ? run_timed(work, unit, number, i, ticks + work->parts[i])
                    : run_step(work, unit, number, i, NULL)))
            return;
}

bool stk_fused_map_can_offload(const stk_fused_map_params *params)
{
    for (size_t i = 0; i < params->count; i++)
        if (stk_function_info_of(params->steps[i].function)->map_many) return true;
    return false;
}

/* Items that pass through the functions together. */
typedef struct batch_items {
    size_t           count; /* in the current function */
    stk_many_item   *items;
    stk_queue_item **queue_items; /* whose they are */
    stk_output_row  *rows;        /* STK_FUSED_MAP_ROWS_MAX for each */
} batch_items;

static bool batch_items_init(batch_items *c, const stk_unit_slice *parts, size_t count)
{
    size_t item_count = 0;
    for (size_t i = 0; i < count; i++)
        item_count += parts[i].count;
    *c = (batch_items){.items = malloc(item_count * sizeof *c->items),
                       .queue_items = malloc(item_count * sizeof *c->queue_items),
                       .rows = malloc(item_count * STK_FUSED_MAP_ROWS_MAX * sizeof *c->rows)};
    return c->items && c->queue_items && c->rows;
}

static void batch_items_release(batch_items *c)
{
    free(c->items);
    free(c->queue_items);
    free(c->rows);
}

static void join(batch_items *c, const stk_fused_map_work *work, stk_work_unit *unit, size_t number,
                 size_t step)
{
    stk_output_row *rows = c->rows + c->count * STK_FUSED_MAP_ROWS_MAX;
    stk_many_item  *item = &c->items[c->count];
    item->call = call_of(work, unit, number, step, rows);
    item->element = &unit->items[number].element;
    c->queue_items[c->count++] = &unit->items[number];
}

static stk_status run_items(batch_items *c, const stk_function *function,
                            const stk_decode_device *images, uint64_t *device_items, stk_error *err)
{
    if (!c->count) return STK_OK;
    const stk_status st = stk_call_map_many(function, images, c->items, c->count, err);
    for (size_t i = 0; i < c->count; i++) {
        *device_items += c->items[i].by_device;
        if (c->items[i].status) stk_queue_item_fail(c->queue_items[i], &c->items[i].err);
    }
    return st;
}

/* One step on all items that are left. */
static stk_status run_step_on_all(batch_items *c, const stk_fused_map_work *work,
                                  const stk_unit_slice *parts, size_t count, size_t step,
                                  const stk_decode_device *images, uint64_t *device_items,
                                  stk_error *err)
{
    const stk_function *function = work->params->steps[step].function;
    const bool          many = stk_function_info_of(function)->map_many != NULL;
    c->count = 0;
    for (size_t p = 0; p < count; p++)
        for (size_t i = parts[p].first; i < parts[p].first + parts[p].count; i++) {
            if (!parts[p].unit->items[i].element) continue;
            if (many)
                join(c, work, parts[p].unit, i, step);
            else
                run_step(work, parts[p].unit, i, step, NULL);
        }
    return run_items(c, function, images, device_items, err);
}

static void run_each(const stk_fused_map_work *work, const stk_unit_slice *parts, size_t count)
{
    for (size_t p = 0; p < count; p++)
        for (size_t i = parts[p].first; i < parts[p].first + parts[p].count; i++)
            if (parts[p].unit->items[i].element) stk_fused_map_run(work, parts[p].unit, i, NULL);
}

stk_status stk_fused_map_run_many(const stk_fused_map_work *work, const stk_decode_device *images,
                                  const stk_unit_slice *parts, size_t count, uint64_t *device_items,
                                  stk_error *err)
{
    batch_items c;
    stk_status  st = STK_OK;
    if (batch_items_init(&c, parts, count)) {
        for (size_t i = 0; i < work->params->count; i++) {
            stk_error        unasked;
            const stk_status one = run_step_on_all(&c, work, parts, count, i, images, device_items,
                                                   st ? &unasked : err);
            if (!st) st = one;
        }
    } else {
        run_each(work, parts, count);
    }
    batch_items_release(&c);
    return st;
}
