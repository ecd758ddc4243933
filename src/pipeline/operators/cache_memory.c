/* cache in memory: the elements of the first complete epoch. They belong to the dataset and serve
 * all its iterators; each iterator without them stores its own, and the first to complete wins. */
#include "base/ledger_pressure.h"
#include "pipeline/operators/cache.h"
#include "pipeline/support/compact.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>

/* Elements and what they take in the ledger. */
typedef struct content {
    stk_blob list; /* of stk_element * */
    uint64_t count;
    uint64_t held, reserved; /* bytes of the elements themselves; reserved in larger steps */
} content;

typedef struct memory {
    stk_resource           resource; /* first: plans hold this */
    pthread_mutex_t        lock;     /* of what becomes complete */
    uint32_t               complete; /* atomic: from then on nothing below changes */
    content                content;
    stk_materialized_epoch pass;
    stk_ledger            *ledger; /* one reference: content is reserved there */
} memory;

typedef struct state {
    stk_materializer materializer; /* first */
    content          content;      /* being filled */
    uint64_t         given;        /* of the memory's */
} state;

enum { STEP_BYTES = 256 << 10 };

static void release_content(content *c, stk_ledger *ledger)
{
    for (uint64_t i = 0; i < c->count; i++)
        stk_element_unref(((stk_element **)(void *)c->list.data)[i]);
    stk_ledger_release(ledger, STK_MEMORY_CACHE, c->reserved);
    stk_blob_release(&c->list);
    *c = (content){.list = c->list};
}

static void release_memory(stk_resource *resource)
{
    memory *m = (memory *)resource;
    if (m->complete) release_content(&m->content, m->ledger);
    stk_ledger_unref(m->ledger);
    pthread_mutex_destroy(&m->lock);
    free(m);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    if (!data->resource) {
        memory *m = calloc(1, sizeof *m);
        if (!m) return stk_fail(err, STK_E_NOMEM, "cache", NULL, "no memory for a cache");
        m->resource = (stk_resource){.references = 1, .release = release_memory};
        pthread_mutex_init(&m->lock, NULL);
        data->resource = &m->resource;
    }
    return stk_cache_check(data, err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    (void)data;
    return stk_describe(out, err, "in memory");
}

static memory *memory_of(const stk_node *node)
{
    return (memory *)node->plan->resource;
}

static bool is_complete(stk_node *node)
{
    return __atomic_load_n(&memory_of(node)->complete, __ATOMIC_ACQUIRE) != 0;
}

static stk_ledger *ledger_of(const stk_node *node)
{
    return stk_run_options_of(node->run)->ledger;
}

static stk_status find(stk_node *node, bool *found, stk_materialized_epoch *pass, stk_error *err)
{
    (void)err;
    *found = is_complete(node);
    if (*found) *pass = memory_of(node)->pass;
    STK_STATE(state, node)->given = 0;
    return STK_OK;
}

static stk_status begin(stk_node *node, const stk_materialized_epoch *pass, stk_error *err)
{
    (void)node, (void)pass, (void)err;
    return STK_OK;
}

static void drop(stk_node *node)
{
    release_content(&STK_STATE(state, node)->content, ledger_of(node));
}

static stk_status append(content *c, stk_ledger *ledger, stk_element **element, stk_error *err)
{
    STK_TRY(stk_element_compact(element, ledger, STK_MEMORY_CACHE, err));
    const size_t bytes = stk_element_own_bytes(*element);
    if (c->held + bytes > c->reserved) {
        uint64_t more = bytes + (stk_ledger_is_pressed(ledger) ? 0 : STEP_BYTES);
        if (stk_ledger_reserve(ledger, STK_MEMORY_CACHE, more, NULL)) {
            more = bytes;
            STK_TRY(stk_ledger_reserve(ledger, STK_MEMORY_CACHE, more, err));
        }
        c->reserved += more;
    }
    STK_TRY(stk_blob_append(&c->list, element, sizeof *element, err));
    stk_element_ref(*element);
    c->held += bytes;
    c->count++;
    return STK_OK;
}

/* When another iterator was quicker, there is nothing left to record. */
static stk_status add(stk_node *node, stk_element **element, stk_error *err)
{
    content *c = &STK_STATE(state, node)->content;
    if (is_complete(node)) {
        drop(node);
        return STK_OK;
    }
    const stk_status st = append(c, ledger_of(node), element, err);
    if (st != STK_E_CEILING) return st;
    uint64_t held, ceiling;
    stk_ledger_total(ledger_of(node), &held, &ceiling);
    return stk_fail(err, st, "cache", NULL,
                    "the cache does not fit: after %" PRIu64 " elements %" PRIu64
                    " bytes are held and the ceiling is %" PRIu64
                    "; cache on disk (directory), cache before decoding, or raise the memory "
                    "ceiling. This pass goes on without the cache",
                    c->count, held, ceiling);
}

static stk_status finish(stk_node *node, stk_error *err)
{
    (void)err;
    memory *m = memory_of(node);
    state  *s = STK_STATE(state, node);
    pthread_mutex_lock(&m->lock);
    if (!m->complete) {
        stk_ledger_release(ledger_of(node), STK_MEMORY_CACHE,
                           s->content.reserved - s->content.held);
        s->content.reserved = s->content.held;
        m->content = s->content;
        m->pass = s->materializer.pass;
        m->ledger = stk_ledger_ref(ledger_of(node));
        stk_blob_init(&s->content.list, ledger_of(node), STK_MEMORY_CACHE);
        s->content = (content){.list = s->content.list};
        __atomic_store_n(&m->complete, 1, __ATOMIC_RELEASE);
    }
    pthread_mutex_unlock(&m->lock);
    drop(node); /* completed first by another iterator */
    return STK_OK;
}

static stk_status read(stk_node *node, stk_element **out, stk_error *err)
{
    (void)err;
    const content *c = &memory_of(node)->content;
    state         *s = STK_STATE(state, node);
    if (s->given < c->count)
        *out = stk_element_ref(((stk_element **)(void *)c->list.data)[s->given++]);
    return STK_OK;
}

static stk_status skip(stk_node *node, uint64_t count, uint64_t *skipped, stk_error *err)
{
    (void)err;
    const content *c = &memory_of(node)->content;
    state         *s = STK_STATE(state, node);
    *skipped = count < c->count - s->given ? count : c->count - s->given;
    s->given += *skipped;
    return STK_OK;
}

static const stk_materializer_ops recorder_ops = {
    .find = find,
    .begin = begin,
    .add = add,
    .finish = finish,
    .drop = drop,
    .read = read,
    .skip = skip,
    .is_superfluous = is_complete,
    .how = "To cache a part of the data write take(n).cache(), not cache().take(n)",
};

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    state *s = STK_STATE(state, node);
    stk_blob_init(&s->content.list, ledger_of(node), STK_MEMORY_CACHE);
    s->materializer.ops = &recorder_ops;
    return STK_OK;
}

const stk_operator stk_operator_cache_memory = {
    .name = "cache",
    .stage = STK_STAGE_PREPROCESS,
    .traits = STK_OPERATOR_LAZY_INPUTS,
    .params_bytes = sizeof(stk_cache_params),
    .release_params = stk_cache_release_params,
    .check = check,
    .cardinality = stk_cache_cardinality,
    .describe = describe,
    .state_bytes = sizeof(state),
    .open = open,
    .next = stk_materializer_next,
    .close = stk_materializer_close,
    .save = stk_materializer_save,
    .restore = stk_materializer_restore,
};
