/* Image functions on many elements with a decode device: it runs the prefix of each chain before
 * the first pixel op; the rest, and images it refuses, run here. */
#include "pipeline/functions/image_context.h"

#include "image/chain/offload.h"

#include <stdlib.h>

/* One element on its way. */
typedef struct one {
    stk_decode_offload foresight;
    stk_image_target   target;  /* of the result, if the device completes it */
    stk_blob           pixels;  /* else: what the device gives */
    size_t             request; /* index among the requests; SIZE_MAX: none */
} one;

static bool find_output(const stk_image_context *c, one *o)
{
    stk_decode_request *r = &o->foresight.request;
    const stk_shape     shape = stk_shape_3d(r->down.count, r->across.count, r->channels);
    void               *data;
    stk_error           unasked;
    if (o->foresight.rest < c->count) {
        const size_t bytes = (size_t)r->down.count * (size_t)r->across.count * (size_t)r->channels;
        if (stk_blob_reserve(&o->pixels, bytes, &unasked)) return false;
        data = o->pixels.data;
    } else if (stk_image_output(&o->target, &shape, STK_DTYPE_U8, &data, &unasked)) {
        return false;
    }
    r->out = data;
    return true;
}

/* The device's request for an element; false: none. */
static bool foresee(const stk_image_context *c, const stk_many_item *item, one *o)
{
    const stk_chain  chain = stk_image_chain_of(c);
    stk_chain_source source;
    stk_random       randoms[STK_IMAGE_OPS_MAX];
    stk_error        unasked;
    if (stk_image_find_source(c, *item->element, &source, &unasked)) return false;
    stk_image_draw(c, &item->call, randoms);
    return stk_chain_split_offload(&chain, &source, randoms, &o->foresight) && find_output(c, o);
}

static size_t foresee_all(const stk_image_context *c, const stk_many_item *items, size_t count,
                          one *ones, stk_decode_request *requests)
{
    size_t asked = 0;
    for (size_t i = 0; i < count; i++) {
        stk_decode_offload_init(&ones[i].foresight, items[i].call.ledger);
        stk_blob_init(&ones[i].pixels, items[i].call.ledger, STK_MEMORY_DECODE);
        ones[i].target = (stk_image_target){.call = &items[i].call, .value = c->value};
        ones[i].request = SIZE_MAX;
        if (!foresee(c, &items[i], &ones[i])) continue;
        ones[i].request = asked;
        requests[asked] = ones[i].foresight.request;
        requests[asked++].status = STK_E_UNSUPPORTED;
    }
    return asked;
}

/* The steps that are left, on the device's pixels. */
static stk_status run_rest(const stk_image_context *c, const stk_many_item *item, one *o,
                           stk_error *err)
{
    const stk_decode_request *r = &o->foresight.request;
    const size_t              rest = o->foresight.rest;
    const stk_chain           chain = {.steps = c->steps + rest, .count = c->count - rest};
    const stk_chain_source    source = {
           .pixels = {.data = r->out,
                      .width = r->across.count,
                      .height = r->down.count,
                      .channels = r->channels,
                      .stride = (size_t)r->across.count * (size_t)r->channels}};
    stk_random           randoms[STK_IMAGE_OPS_MAX];
    stk_image_workspace *workspace;
    STK_TRY(stk_image_workspace_pool_acquire(c->workspaces, item->call.ledger, &workspace, err));
    stk_image_draw(c, &item->call, randoms);
    const stk_status st =
        stk_chain_run(&chain, workspace, &source, randoms + rest,
                      &(stk_chain_target){stk_image_output, &o->target}, NULL, err);
    stk_image_workspace_pool_put_back(c->workspaces, workspace);
    return st;
}

static stk_status finish(const stk_image_context *c, const stk_many_item *item, one *o,
                         stk_error *err)
{
    if (o->foresight.rest < c->count) STK_TRY(run_rest(c, item, o, err));
    const stk_status st = stk_replace_value(item->element, c->value, &o->target.made, err);
    o->target.made = (stk_value){0};
    return st;
}

static void release(one *o)
{
    stk_value_release(&o->target.made);
    stk_blob_release(&o->pixels);
    stk_decode_offload_release(&o->foresight);
}

/* Returns the output row meant for the device's result before it is requested again. */
static void finish_all(void *untyped, stk_many_item *items, size_t count, one *ones,
                       const stk_decode_request *requests, bool failed)
{
    const stk_image_context *c = stk_builtin_context(untyped);
    for (size_t i = 0; i < count; i++) {
        stk_many_item *item = &items[i];
        one           *o = &ones[i];
        item->by_device = !failed && o->request != SIZE_MAX && !requests[o->request].status;
        if (item->by_device) item->status = finish(c, item, o, &item->err);
        release(o);
        if (!item->by_device)
            item->status = stk_image_map(untyped, &item->call, item->element, &item->err);
    }
}

static stk_status map_with(void *untyped, const stk_decode_device *images, stk_many_item *items,
                           size_t count, one *ones, stk_decode_request *requests, stk_error *err)
{
    const size_t asked = foresee_all(stk_builtin_context(untyped), items, count, ones, requests);
    stk_status   st = STK_OK;
    if (asked) st = images->decode(images->context, requests, asked, err);
    finish_all(untyped, items, count, ones, requests, st != STK_OK);
    return st;
}

/* Without memory for so many they are mapped one by one, which says what is missing. */
stk_status stk_image_map_many(void *untyped, const stk_decode_device *images, stk_many_item *items,
                              size_t count, stk_error *err)
{
    one                *ones = calloc(count, sizeof *ones);
    stk_decode_request *requests = calloc(count, sizeof *requests);
    stk_status          st = STK_OK;
    if (ones && requests)
        st = map_with(untyped, images, items, count, ones, requests, err);
    else
        for (size_t i = 0; i < count; i++)
            items[i].status =
                stk_image_map(untyped, &items[i].call, items[i].element, &items[i].err);
    free(ones);
    free(requests);
    return st;
}
