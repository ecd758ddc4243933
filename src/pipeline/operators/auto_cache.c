/* auto_cache: keeps the elements of the first epoch in memory for later ones. Inserted by a pass
 * above operators with equal elements in every epoch. Its state belongs to one iterator: the pass
 * makes a new one for each. It gives up if other parts need the memory; later epochs then read the
 * input. */
#include "pipeline/operators/auto_cache.h"

#include "pipeline/runtime/run_node.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* Passes follow each other; while an iterator is restored, two may be open at a time. */
typedef struct store {
    stk_resource    base;
    pthread_mutex_t lock; /* of all below */
    const stk_node *recorder;
    bool            complete, given_up;
    uint64_t        epoch; /* of the cached epoch */
    stk_element   **elements;
    size_t          count, capacity;
    stk_ledger     *ledger;
    uint64_t        reserved;
} store;

typedef struct state {
    uint64_t given;
    bool     serving; /* from memory: the input is not open */
} state;

/* The lock is held. */
static void forget(store *s)
{
    for (size_t i = 0; i < s->count; i++)
        stk_element_unref(s->elements[i]);
    free(s->elements);
    s->elements = NULL;
    s->count = s->capacity = 0;
    s->complete = false;
    stk_ledger_release(s->ledger, STK_MEMORY_CACHE, s->reserved);
    s->reserved = 0;
}

static void release_store(stk_resource *resource)
{
    store *s = (store *)resource;
    forget(s);
    stk_ledger_unref(s->ledger);
    pthread_mutex_destroy(&s->lock);
    free(s);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    if (!data->resource) {
        store *s = calloc(1, sizeof *s);
        if (!s) return stk_fail(err, STK_E_NOMEM, "auto_cache", NULL, "no memory for a stage");
        s->base.references = 1;
        s->base.release = release_store;
        pthread_mutex_init(&s->lock, NULL);
        data->resource = &s->base;
    }
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

static store *store_of(const stk_node *node)
{
    return (store *)node->plan->resource;
}

/* Stops caching without a result. */
static void resign(stk_node *node, bool for_good)
{
    store *s = store_of(node);
    pthread_mutex_lock(&s->lock);
    if (s->recorder == node) {
        forget(s);
        s->recorder = NULL;
        s->given_up = s->given_up || for_good;
    }
    pthread_mutex_unlock(&s->lock);
}

static stk_status open(stk_node *node, stk_error *err)
{
    store *s = store_of(node);
    /* An order that is not the same again must not be kept: a checkpoint could not be restored. */
    const bool relaxed = stk_node_is_relaxed(node->run, node->plan->inputs[0]);
    pthread_mutex_lock(&s->lock);
    /* The run met its ceiling and begins again: no other pass is open. */
    if (stk_run_is_serial(node->run) && !s->recorder) {
        forget(s);
        s->given_up = true;
    }
    const bool serving = s->complete;
    if (!serving && !s->recorder && !s->given_up && !relaxed) {
        s->recorder = node;
        s->epoch = node->epoch;
        if (!s->ledger) s->ledger = stk_ledger_ref(stk_run_options_of(node->run)->ledger);
    }
    pthread_mutex_unlock(&s->lock);
    STK_STATE(state, node)->serving = serving;
    return serving ? STK_OK : stk_node_open_input(node, 0, err);
}

static void close(stk_node *node)
{
    resign(node, false);
}

/* Bytes of an element beyond its buffers' own reservations. */
static uint64_t cost_of(const stk_element *element)
{
    return sizeof element + 64 + stk_element_count(element) * sizeof(stk_value);
}

static bool is_half_full(const store *s)
{
    uint64_t held, ceiling;
    stk_ledger_total(s->ledger, &held, &ceiling);
    return held > ceiling / 2;
}

/* Under the lock. False without memory. */
static bool keep(store *s, stk_element *element)
{
    const uint64_t cost = cost_of(element);
    if (is_half_full(s)) return false;
    if (s->count == s->capacity) {
        const size_t  more = s->capacity ? s->capacity * 2 : 64;
        stk_element **elements = realloc(s->elements, more * sizeof(stk_element *));
        if (!elements) return false;
        s->elements = elements;
        s->capacity = more;
    }
    if (stk_ledger_reserve(s->ledger, STK_MEMORY_CACHE, cost, NULL)) return false;
    s->reserved += cost;
    s->elements[s->count++] = stk_element_ref(element);
    return true;
}

static void record(stk_node *node, stk_element *element)
{
    store *s = store_of(node);
    bool   full = false;
    size_t kept = 0;
    pthread_mutex_lock(&s->lock);
    if (s->recorder == node) {
        full = !keep(s, element);
        kept = s->count;
    }
    pthread_mutex_unlock(&s->lock);
    if (!full) return;
    resign(node, true);
    stk_run_log(node->run,
                "auto_cache: gave up after %zu of %" PRId64
                " elements: half of the memory is in use; every epoch computes them anew",
                kept, node->plan->cardinality);
}

/* At the end of the input and not with its last element: an error may stand between the two, and
 * later epochs must have it too. */
static void complete(stk_node *node)
{
    store *s = store_of(node);
    pthread_mutex_lock(&s->lock);
    if (s->recorder == node && (int64_t)s->count == node->plan->cardinality) {
        s->complete = true;
        s->recorder = NULL;
    }
    pthread_mutex_unlock(&s->lock);
}

/* From memory to the input: what was kept is wanted elsewhere. */
static stk_status leave_memory(stk_node *node, stk_error *err)
{
    state   *s = STK_STATE(state, node);
    uint64_t discarded;
    STK_TRY(stk_node_open_input(node, 0, err));
    s->serving = false;
    return stk_node_discard(node->inputs[0], s->given, &discarded, err);
}

static void evict(stk_node *node)
{
    store *s = store_of(node);
    pthread_mutex_lock(&s->lock);
    const bool had = s->complete;
    if (had) forget(s);
    s->given_up = s->given_up || had;
    pthread_mutex_unlock(&s->lock);
    if (had)
        stk_run_log(node->run,
                    "auto_cache: dropped %" PRId64
                    " elements: memory is wanted elsewhere; every epoch computes them anew",
                    node->plan->cardinality);
}

/* An element knows which pass it came from; it is given as of this one. */
static stk_status as_of_this_pass(stk_node *node, uint64_t recorded, stk_element **element,
                                  stk_error *err)
{
    stk_origin from = *stk_element_origin(*element);
    if (recorded == node->epoch || from.epoch != recorded) return STK_OK;
    STK_TRY(stk_element_make_unique(element, err));
    from.epoch = node->epoch;
    stk_element_set_origin(*element, &from);
    return STK_OK;
}

/* *out stays NULL with served false when there is nothing in memory any more. */
static stk_status serve(stk_node *node, stk_element **out, bool *served, stk_error *err)
{
    state *own = STK_STATE(state, node);
    store *s = store_of(node);
    pthread_mutex_lock(&s->lock);
    *served = s->complete;
    const uint64_t recorded = s->epoch;
    if (*served && own->given < s->count) *out = stk_element_ref(s->elements[own->given]);
    pthread_mutex_unlock(&s->lock);
    if (!*out) return STK_OK;
    stk_status st = as_of_this_pass(node, recorded, out, err);
    if (st) {
        stk_element_unref(*out);
        *out = NULL;
        return st;
    }
    own->given++;
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (s->serving) {
        bool served;
        if (stk_run_memory_is_tight(node->run, 0)) evict(node);
        STK_TRY(serve(node, out, &served, err));
        if (served) return STK_OK;
        STK_TRY(leave_memory(node, err));
    }
    stk_status st = stk_node_pull(node, out, err);
    if (st) resign(node, true);
    if (!st && !*out) complete(node);
    if (st || !*out) return st;
    s->given++;
    record(node, *out);
    return STK_OK;
}

static stk_status discard(stk_node *node, uint64_t count, uint64_t *discarded, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (s->serving) {
        const uint64_t left = (uint64_t)node->plan->cardinality - s->given;
        *discarded = count < left ? count : left;
    } else {
        resign(node, false);
        STK_TRY(stk_node_discard(node->inputs[0], count, discarded, err));
    }
    s->given += *discarded;
    return STK_OK;
}

/* The input's position if it is open; else the index alone, and the input is skipped. */
static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const state  *s = STK_STATE(state, node);
    stk_blob      blob;
    stk_state_out inner = {.blob = &blob};
    stk_blob_init(&blob, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_state_put_u64(out, s->given, err);
    if (!st && !s->serving) st = stk_node_save(node->inputs[0], &inner, err);
    if (!st) st = stk_state_put_bytes(out, stk_blob_bytes(&blob), err);
    stk_blob_release(&blob);
    return st;
}

static stk_status restore_input(stk_node *node, stk_bytes saved, const stk_state_in *in,
                                stk_error *err)
{
    const uint64_t given = STK_STATE(state, node)->given;
    uint64_t       discarded;
    if (given) resign(node, false);
    if (saved.size) {
        stk_state_in inner = *in;
        inner.left = saved;
        STK_TRY(stk_node_restore(node->inputs[0], &inner, err));
        return inner.left.size ? stk_state_damaged(in, "there is more than was expected", err)
                               : STK_OK;
    }
    STK_TRY(stk_node_discard(node->inputs[0], given, &discarded, err));
    return discarded < given ? stk_state_damaged(in, "the data is shorter than its place", err)
                             : STK_OK;
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    state    *s = STK_STATE(state, node);
    stk_bytes saved;
    STK_TRY(stk_state_get_count(in, (uint64_t)node->plan->cardinality, &s->given, err));
    STK_TRY(stk_state_get_bytes(in, &saved, err));
    return s->serving ? STK_OK : restore_input(node, saved, in, err);
}

const stk_operator stk_operator_auto_cache = {
    .name = "auto_cache",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .check = check,
    .cardinality = cardinality,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
    .discard = discard,
};

stk_status stk_auto_cache_make(stk_dataset **out, stk_dataset *input, stk_error *err)
{
    return stk_dataset_make(out, &stk_operator_auto_cache, NULL, &input, 1, err);
}
