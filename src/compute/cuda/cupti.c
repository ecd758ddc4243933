/* CUPTI fills buffers on threads of its own. Records are copied out on completion and reported at
 * the next poll. Timestamps come from our clock through CUPTI's timestamp callback. */
#include "compute/cuda/cupti.h"

#if __has_include(<cupti.h>)
#include "base/clock.h"
#include "compute/cuda/cupti_library.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUFFER = 1 << 20, ALIGNMENT = 8, TAGS = 1 << 16, RECORDS_MAX = 1 << 20 };
static const uint64_t flush_every_ns = 100000000;

typedef struct record {
    uint64_t                 begin, end, bytes;
    const char              *name; /* owned by CUPTI; permanent */
    uint32_t                 correlation, stream;
    stk_device_activity_kind kind;
} record;

/* Maps a correlation id to a tag. */
typedef struct tagged {
    uint32_t correlation;
    uint64_t tag;
} tagged;

struct stk_cupti {
    stk_cupti_library library;
    uint64_t          flushed_ns;
    uint32_t          stream; /* the compute stream; 0: unknown */

    pthread_mutex_t lock; /* guards the fields below */
    stk_blob        records;
    uint64_t        lost; /* no memory, or no timestamps */
    tagged          tags[TAGS];
};

/* CUPTI passes no user data to buffer callbacks, so they find the listener here. */
static pthread_mutex_t listening = PTHREAD_MUTEX_INITIALIZER;
static stk_cupti      *listener_now; /* guarded by listening */

static const CUpti_ActivityKind kinds[] = {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION,
                                           CUPTI_ACTIVITY_KIND_RUNTIME,
                                           CUPTI_ACTIVITY_KIND_DRIVER,
                                           CUPTI_ACTIVITY_KIND_MEMCPY,
                                           CUPTI_ACTIVITY_KIND_MEMSET,
                                           CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL};
enum { KINDS = sizeof kinds / sizeof *kinds };

static void CUPTIAPI provide_buffer(uint8_t **buffer, size_t *size, size_t *max)
{
    *buffer = aligned_alloc(ALIGNMENT, BUFFER);
    *size = *buffer ? BUFFER : 0;
    *max = 0;
}

static stk_device_activity_kind copy_kind(uint8_t kind)
{
    if (kind == CUPTI_ACTIVITY_MEMCPY_KIND_HTOD) return STK_ACTIVITY_COPY_IN;
    return kind == CUPTI_ACTIVITY_MEMCPY_KIND_DTOH ? STK_ACTIVITY_COPY_OUT : STK_ACTIVITY_COPY;
}

/* The lock must be held. A kernel may lack timestamps. */
static void add(stk_cupti *c, const record *r)
{
    stk_error unasked;
    if (r->begin && r->end && c->records.size / sizeof *r < RECORDS_MAX &&
        !stk_blob_append(&c->records, r, sizeof *r, &unasked))
        return;
    c->lost++;
}

/* The lock must be held. */
static void copy_record(stk_cupti *c, const CUpti_Activity *activity)
{
    if (activity->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) {
        const CUpti_ActivityKernel10 *k = (const void *)activity;
        add(c, &(record){.begin = k->start,
                         .end = k->end,
                         .name = k->name,
                         .correlation = k->correlationId,
                         .stream = k->streamId,
                         .kind = STK_ACTIVITY_KERNEL});
    } else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
        const CUpti_ActivityMemcpy6 *m = (const void *)activity;
        add(c, &(record){.begin = m->start,
                         .end = m->end,
                         .bytes = m->bytes,
                         .correlation = m->correlationId,
                         .stream = m->streamId,
                         .kind = copy_kind(m->copyKind)});
    } else if (activity->kind == CUPTI_ACTIVITY_KIND_MEMSET) {
        const CUpti_ActivityMemset4 *m = (const void *)activity;
        add(c, &(record){.begin = m->start,
                         .end = m->end,
                         .bytes = m->bytes,
                         .correlation = m->correlationId,
                         .stream = m->streamId,
                         .kind = STK_ACTIVITY_FILL});
    } else if (activity->kind == CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION) {
        const CUpti_ActivityExternalCorrelation *e = (const void *)activity;
        c->tags[e->correlationId % TAGS] = (tagged){e->correlationId, e->externalId};
    }
}

static void CUPTIAPI on_buffer_completed(CUcontext context, uint32_t stream, uint8_t *buffer,
                                         size_t size, size_t valid)
{
    CUpti_Activity *activity = NULL;
    (void)context, (void)stream, (void)size;
    pthread_mutex_lock(&listening);
    stk_cupti *c = listener_now;
    if (c) {
        pthread_mutex_lock(&c->lock);
        while (valid && c->library.ActivityGetNextRecord(buffer, valid, &activity) == CUPTI_SUCCESS)
            copy_record(c, activity);
        pthread_mutex_unlock(&c->lock);
    }
    pthread_mutex_unlock(&listening);
    free(buffer);
}

static uint64_t CUPTIAPI now(void)
{
    return stk_clock_ns();
}

static stk_status start(stk_cupti *c, stk_error *err)
{
    STK_TRY(stk_cupti_library_open(&c->library, err));
    const stk_cupti_library *l = &c->library;
    CUptiResult              result = l->ActivityRegisterTimestampCallback(now);
    if (result) return stk_cupti_fail(l, result, "cuptiActivityRegisterTimestampCallback", err);
    result = l->ActivityRegisterCallbacks(provide_buffer, on_buffer_completed);
    if (result) return stk_cupti_fail(l, result, "cuptiActivityRegisterCallbacks", err);
    for (int i = 0; i < KINDS; i++)
        if ((result = l->ActivityEnable(kinds[i])))
            return stk_cupti_fail(l, result, "cuptiActivityEnable", err);
    return STK_OK;
}

static bool listen_now(stk_cupti *c, const stk_cupti *only_after)
{
    pthread_mutex_lock(&listening);
    const bool can = listener_now == only_after;
    if (can) listener_now = c;
    pthread_mutex_unlock(&listening);
    return can;
}

stk_status stk_cupti_new(stk_cupti **out, stk_error *err)
{
    *out = NULL;
    stk_cupti *c = calloc(1, sizeof *c);
    if (!c) return stk_fail(err, STK_E_NOMEM, "cupti", NULL, "no memory");
    pthread_mutex_init(&c->lock, NULL);
    stk_blob_init(&c->records, NULL, STK_MEMORY_OUTPUT);
    stk_status st = listen_now(c, NULL)
                        ? start(c, err)
                        : stk_fail(err, STK_E_UNSUPPORTED, "cupti", NULL,
                                   "kernels of another device of this process are traced already");
    if (st) {
        stk_cupti_free(c);
        return st;
    }
    *out = c;
    return STK_OK;
}

void stk_cupti_free(stk_cupti *cupti)
{
    if (!cupti) return;
    for (int i = 0; i < KINDS && cupti->library.ActivityDisable; i++)
        (void)cupti->library.ActivityDisable(kinds[i]);
    (void)listen_now(NULL, cupti);
    pthread_mutex_destroy(&cupti->lock);
    stk_blob_release(&cupti->records);
    free(cupti);
}

void stk_cupti_enter(stk_cupti *cupti, uint64_t tag)
{
    if (!cupti) return;
    (void)cupti->library.ActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                           tag);
}

void stk_cupti_leave(stk_cupti *cupti)
{
    uint64_t unused;
    if (!cupti) return;
    (void)cupti->library.ActivityPopExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
                                                          &unused);
}

static int by_time(const void *left, const void *right)
{
    const record *a = left, *b = right;
    return (a->begin > b->begin) - (a->begin < b->begin);
}

static uint64_t tag_of(const stk_cupti *c, const record *r)
{
    const tagged *t = &c->tags[r->correlation % TAGS];
    return t->correlation == r->correlation ? t->tag : 0;
}

/* Kernels of one tag are consecutive, except for copies in between. Counts them on one side of
 * at. */
static uint32_t count_same_tag(const stk_cupti *c, const record *list, size_t count, size_t at,
                               int step)
{
    uint32_t       found = 0;
    const uint64_t tag = tag_of(c, &list[at]);
    for (size_t i = at + (size_t)step; i < count; i += (size_t)step) {
        if (list[i].kind != STK_ACTIVITY_KERNEL || list[i].stream != list[at].stream) continue;
        if (tag_of(c, &list[i]) != tag) break;
        found++;
    }
    return found;
}

static void report_record(const stk_cupti *c, const record *list, size_t count, size_t at,
                          stk_device_activity_fn listener, void *context)
{
    const record *r = &list[at];
    const bool    is_copy = r->kind == STK_ACTIVITY_COPY_IN || r->kind == STK_ACTIVITY_COPY_OUT;
    const bool    is_other = r->stream != c->stream && (is_copy || !tag_of(c, r));
    char         *plain = NULL;
    int           status = 0;
    stk_device_activity a = {.kind = r->kind,
                             .tag = tag_of(c, r),
                             .begin_ns = r->begin,
                             .end_ns = r->end,
                             .on_copy_stream = is_other,
                             .name = r->name ? r->name : "kernel",
                             .bytes = r->bytes};
    if (r->kind == STK_ACTIVITY_KERNEL) {
        a.kernels_of_tag =
            1 + count_same_tag(c, list, count, at, -1) + count_same_tag(c, list, count, at, 1);
        if (c->library.demangle) plain = c->library.demangle(a.name, NULL, NULL, &status);
        if (plain) a.name = plain;
    }
    listener(context, &a);
    free(plain);
}

void stk_cupti_poll(stk_cupti *cupti, bool all, stk_device_activity_fn listener, void *context)
{
    stk_blob copied;
    if (!cupti) return;
    if (!all && stk_clock_ns() - cupti->flushed_ns < flush_every_ns) return;
    (void)cupti->library.ActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
    cupti->flushed_ns = stk_clock_ns();
    pthread_mutex_lock(&cupti->lock);
    copied = cupti->records;
    stk_blob_init(&cupti->records, NULL, STK_MEMORY_OUTPUT);
    record      *list = (record *)(void *)copied.data;
    const size_t count = copied.size / sizeof *list;
    if (count > 1) qsort(list, count, sizeof *list, by_time);
    for (size_t i = 0; i < count && !cupti->stream; i++)
        if (list[i].kind == STK_ACTIVITY_KERNEL && tag_of(cupti, &list[i]))
            cupti->stream = list[i].stream;
    for (size_t i = 0; i < count; i++)
        report_record(cupti, list, count, i, listener, context);
    pthread_mutex_unlock(&cupti->lock);
    stk_blob_release(&copied);
}

#else

stk_status stk_cupti_new(stk_cupti **out, stk_error *err)
{
    *out = NULL;
    return stk_fail(err, STK_E_UNSUPPORTED, "cupti", NULL,
                    "this build has none: its headers were not found. The trace has operations "
                    "instead of kernels");
}

void stk_cupti_free(stk_cupti *cupti)
{
    (void)cupti;
}

void stk_cupti_enter(stk_cupti *cupti, uint64_t tag)
{
    (void)cupti, (void)tag;
}

void stk_cupti_leave(stk_cupti *cupti)
{
    (void)cupti;
}

void stk_cupti_poll(stk_cupti *cupti, bool all, stk_device_activity_fn listener, void *context)
{
    (void)cupti, (void)all, (void)listener, (void)context;
}

#endif
