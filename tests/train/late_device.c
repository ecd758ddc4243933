/* A backend that is the reference, made late: what it gives is only there when it is waited for, a
 * mark has not passed when it is first asked, and batches that were lent to it must still be as
 * they were when their step is done. $STOKER_LATE_FAILS_AT: it is lost at that mark. A plug-in
 * named "cuda", so that programs find it. */
#include "base/clock.h"
#include "compute/graph/graph_op.h"
#include "compute/runtime/plugin.h"
#include <stdlib.h>
#include <string.h>

typedef struct kept {
    struct kept *next;
    uint64_t     until; /* the mark that must have passed */
    bool         lent;  /* at is the caller's, and must stay; else a copy to it is to be made */
    void        *at;
    size_t       size;
    uint8_t      data[];
} kept;

typedef struct mark {
    uint64_t number, ns;
    bool     asked;
} mark;

typedef struct late {
    kept    *first;
    uint64_t marks, fails_at;
    bool     lost, changed;
} late;

static stk_status told(const late *l, stk_error *err)
{
    if (l->changed)
        return stk_fail(err, STK_E_DATALOSS, "late", NULL,
                        "a batch was changed before its step was done");
    if (l->lost) return stk_fail(err, STK_E_IO, "late", NULL, "the device is lost");
    return STK_OK;
}

static void arrive(late *l, uint64_t until)
{
    for (kept **at = &l->first; *at;) {
        kept *k = *at;
        if (k->until > until) {
            at = &k->next;
            continue;
        }
        if (k->lent && memcmp(k->at, k->data, k->size)) l->changed = true;
        if (!k->lent && !l->lost) memcpy(k->at, k->data, k->size);
        *at = k->next;
        free(k);
    }
}

static stk_status keep(late *l, void *at, const void *data, size_t size, bool lent, stk_error *err)
{
    kept *k = malloc(sizeof *k + size);
    if (!k) return stk_fail(err, STK_E_NOMEM, "late", NULL, "no memory");
    *k = (kept){l->first, l->marks + 1, lent, at, size};
    memcpy(k->data, data, size);
    l->first = k;
    return STK_OK;
}

static stk_status open_device(stk_device *device, stk_error *err)
{
    const char *fails = getenv("STOKER_LATE_FAILS_AT");
    STK_TRY(stk_backend_ref.open(device, err));
    late *l = calloc(1, sizeof *l);
    if (!l) return stk_fail(err, STK_E_NOMEM, "late", NULL, "no memory");
    l->fails_at = fails ? (uint64_t)strtoull(fails, NULL, 10) : UINT64_MAX;
    device->state = l;
    return STK_OK;
}

static stk_status sync_device(stk_device *device, stk_error *err)
{
    late *l = device->state;
    arrive(l, UINT64_MAX);
    return told(l, err);
}

static void close_device(stk_device *device)
{
    arrive(device->state, UINT64_MAX);
    free(device->state);
}

static stk_status feed(stk_device *device, void *dst, const void *src, size_t size, bool lent,
                       stk_error *err)
{
    memcpy(dst, src, size);
    return lent ? keep(device->state, (void *)src, src, size, true, err) : STK_OK;
}

static stk_status post(stk_device *device, void *dst, const void *src, size_t size, stk_error *err)
{
    memset(dst, 0xff, size); /* what was there is gone before it is there */
    return keep(device->state, dst, src, size, false, err);
}

static stk_status set_mark(stk_device *device, void **at, stk_error *err)
{
    late *l = device->state;
    mark *m = *at ? *at : malloc(sizeof *m);
    if (!m) return stk_fail(err, STK_E_NOMEM, "late", NULL, "no memory");
    *at = m;
    *m = (mark){.number = ++l->marks, .ns = stk_clock_ns()};
    return STK_OK;
}

static stk_status passed(stk_device *device, void *at, bool wait, bool *there, stk_error *err)
{
    late *l = device->state;
    mark *m = at;
    *there = wait || m->asked;
    m->asked = true;
    if (!*there) return STK_OK;
    l->lost = l->lost || m->number >= l->fails_at;
    arrive(l, m->number);
    return told(l, err);
}

static uint64_t between(stk_device *device, void *from, void *to)
{
    (void)device;
    return ((mark *)to)->ns - ((mark *)from)->ns;
}

static void unmark(stk_device *device, void *at)
{
    (void)device;
    free(at);
}

static void *host_alloc(stk_device *device, size_t size)
{
    (void)device;
    return aligned_alloc(64, (size + 63) & ~(size_t)63);
}

static void host_free(stk_device *device, void *data, size_t size)
{
    (void)device, (void)size;
    free(data);
}

static void describe(const stk_device *device, char *text, size_t capacity)
{
    (void)device;
    if (capacity > 4) strcpy(text, "late");
}

__attribute__((visibility("default"))) const stk_backend *stk_plugin_backend(const char  *asks,
                                                                             const char **build);

const stk_backend *stk_plugin_backend(const char *asks, const char **build)
{
    static stk_backend table;
    table = stk_backend_ref;
    table.name = "cuda";
    table.open = open_device;
    table.close = close_device;
    table.describe = describe;
    table.upload_async = feed;
    table.download_async = post;
    table.event_record = set_mark;
    table.event_query = passed;
    table.event_elapsed = between;
    table.event_free = unmark;
    table.host_alloc = host_alloc;
    table.host_free = host_free;
    table.sync = sync_device;
    *build = STOKER_BUILD;
    return strcmp(asks, STOKER_BUILD) == 0 ? &table : NULL;
}
