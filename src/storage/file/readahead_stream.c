/* A file read ahead: a window of blocks that follow each other, some finished, some in flight. The
 * window grows while the reader finds blocks missing, so that fast sources need few of them. */
#include "storage/file/readahead_stream.h"

#include "base/ledger_pressure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

enum {
    ALIGNMENT = 64,
    WINDOW_START = 2,    /* one being read by the caller, one on its way */
    TRUST_FIRST = 256,   /* blocks found in the page cache before it is trusted again, */
    TRUST_GROWTH = 4,    /* and how much longer that takes each time it failed, */
    TRUST_MAX = 1 << 20, /* up to this */
    PROBE_BYTES = 512    /* at the beginning of a file, to see whether it is cached */
};

typedef struct stream stream;

typedef struct block {
    stk_io_request request; /* first: done is handed this */
    stream        *owner;
    struct block  *next;
    uint64_t       begin;
    size_t         size;
    bool           in_flight;
    bool           in_window;
    int            pins; /* readers that wait for it or copy from it */
    stk_error      err;
    /* Aligned: the kernel copies 13 GB/s to an aligned address, 8 to one 16 bytes off, 3 to one 8
     * bytes off. */
    _Alignas(ALIGNMENT) uint8_t data[];
} block;

struct stream {
    stk_file              file; /* first: returned as the base struct */
    stk_file             *inner;
    stk_readahead_shared *shared;
    int                   descriptor;   /* atomic; -1: none, or none that reads without waiting */
    pthread_mutex_t       lock;         /* of all below; the engine's is taken inside, not around */
    stk_eventcount        arrived;      /* signalled when a block is there */
    block                *first, *last; /* the window */
    block                *spare;        /* not needed any more: for the window's next block */
    int                   count;        /* blocks in the window */
    int                   window;       /* and how many are wanted */
    int                   cached;       /* blocks in a row that the page cache had */
    int                   trust;        /* how many of them end the window */
    uint64_t              next;         /* end of the last read */
    int                   references;   /* the caller's, and one for each block that is not spare */
};

/* Of a block with its bytes: a multiple of the alignment. */
static size_t bytes_of_block(const stream *s)
{
    const size_t data = s->shared->options.block_bytes;
    return sizeof(block) + (data + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void free_block(stream *s, block *b)
{
    stk_ledger_release(s->shared->options.ledger, STK_MEMORY_READ, bytes_of_block(s));
    free(b);
}

/* NULL at the ceiling and without memory: reading ahead is a wish. */
static block *new_block(stream *s)
{
    stk_ledger  *ledger = s->shared->options.ledger;
    const size_t bytes = bytes_of_block(s);
    if (stk_ledger_is_pressed(ledger)) return NULL;
    if (stk_ledger_reserve(ledger, STK_MEMORY_READ, bytes, NULL)) return NULL;
    block *b = aligned_alloc(ALIGNMENT, bytes);
    if (!b) stk_ledger_release(ledger, STK_MEMORY_READ, bytes);
    return b;
}

static void free_spare(stream *s)
{
    for (block *b; (b = s->spare);) {
        s->spare = b->next;
        free_block(s, b);
    }
}

static void free_stream(stream *s)
{
    stk_readahead_shared *shared = s->shared;
    free_spare(s);
    stk_file_close(s->inner);
    stk_eventcount_release(&s->arrived);
    pthread_mutex_destroy(&s->lock);
    free(s);
    /* The file system may be freed once it sees this. */
    pthread_mutex_lock(&shared->lock);
    shared->alive--;
    pthread_cond_broadcast(&shared->ended);
    pthread_mutex_unlock(&shared->lock);
}

/* Gives up the lock; with the last reference the stream goes. */
static void unlock_and_drop(stream *s, int references)
{
    s->references -= references;
    const bool last = s->references == 0;
    pthread_mutex_unlock(&s->lock);
    if (last) free_stream(s);
}

/* Whether the block is unused: then it is spare, and its reference is free. */
static int retire(stream *s, block *b)
{
    if (b->in_window || b->in_flight || b->pins) return 0;
    b->next = s->spare;
    s->spare = b;
    return 1;
}

static void finished(stk_io_request *request)
{
    block  *b = (block *)request;
    stream *s = b->owner;
    pthread_mutex_lock(&s->lock);
    b->in_flight = false;
    s->cached = request->at_once ? s->cached + 1 : 0;
    /* Under the lock: the stream may be freed after it. */
    stk_eventcount_signal(&s->arrived);
    const int free_references = retire(s, b);
    if (free_references) free_spare(s);
    unlock_and_drop(s, free_references);
}

static void drop_first(stream *s)
{
    block *b = s->first;
    s->first = b->next;
    if (!s->first) s->last = NULL;
    s->count--;
    b->in_window = false;
    s->references -= retire(s, b);
}

static void drop_all(stream *s)
{
    while (s->first)
        drop_first(s);
}

/* The block of the window that holds offset, after those before it are dropped; NULL when there is
 * none. */
static block *find(stream *s, uint64_t offset)
{
    if (!s->first || offset < s->first->begin || offset >= s->last->begin + s->last->size)
        return NULL;
    while (offset >= s->first->begin + s->first->size)
        drop_first(s);
    return s->first;
}

/* Adds the block at begin to the window and asks for it; false without memory. */
static bool add_block(stream *s, uint64_t begin)
{
    block *b = s->spare;
    if (b)
        s->spare = b->next;
    else if (!(b = new_block(s)))
        return false;
    const uint64_t left = s->file.info.bytes - begin;
    const size_t   block_bytes = s->shared->options.block_bytes;
    *b = (block){.owner = s, .begin = begin, .in_flight = true, .in_window = true};
    b->size = left < block_bytes ? (size_t)left : block_bytes;
    b->request = (stk_io_request){
        .file = s->inner, .dst = b->data, .size = b->size, .offset = begin, .done = finished};
    b->request.err = &b->err;
    if (s->last)
        s->last->next = b;
    else
        s->first = b;
    s->last = b;
    s->count++;
    s->references++;
    stk_io_submit(s->shared->io, &b->request);
    return true;
}

static int window_max(const stream *s)
{
    const stk_readahead_options *options = &s->shared->options;
    if (options->blocks_ahead) return options->blocks_ahead;
    /* Twice: only requests that wait show the engine that its limit is too low. */
    const int open = __atomic_load_n(&s->shared->open, __ATOMIC_RELAXED);
    const int per_file = 2 * stk_io_limit(s->shared->io) / (open > 0 ? open : 1);
    return per_file < WINDOW_START ? WINDOW_START : per_file;
}

/* Bytes that the page cache has are cheaper to read straight from there: the window runs out. The
 * kernel's own reading ahead may look like a cached file; a mistake costs a wait, so each makes the
 * next one rarer. */
static bool cache_is_enough(const stream *s)
{
    return s->cached >= s->trust && __atomic_load_n(&s->descriptor, __ATOMIC_RELAXED) >= 0;
}

/* Requests blocks up to the window's size. */
static void fill(stream *s)
{
    const int max = window_max(s);
    const int wanted = s->window < max ? s->window : max;
    while (s->last && s->count < wanted && !cache_is_enough(s)) {
        const uint64_t end = s->last->begin + s->last->size;
        if (end >= s->file.info.bytes || !add_block(s, end)) break;
    }
    free_spare(s);
}

/* A block was missing when it was wanted: more of them should be on their way. Nothing is proved
 * while the window is not even full. */
static void grow(stream *s)
{
    const int max = window_max(s);
    if (s->count < s->window || s->window >= max) return;
    s->window = 2 * s->window < max ? 2 * s->window : max;
}

/* Begins a window at offset. After a seek it is one block: random reads need no more, and a
 * sequential reader misses the second one and grows it. */
static block *begin_at(stream *s, uint64_t offset)
{
    drop_all(s);
    if (s->cached >= s->trust && s->trust < TRUST_MAX) s->trust *= TRUST_GROWTH;
    s->cached = 0;
    if (offset != s->next)
        s->window = 1;
    else if (s->window < WINDOW_START)
        s->window = WINDOW_START;
    (void)add_block(s, offset);
    return s->first;
}

/* Reads what the file's own memory or the page cache has; false when that is nothing. */
static bool read_cached(stream *s, void *dst, size_t size, uint64_t offset, size_t *got)
{
    if (s->inner->ops->read_ready) {
        *got = s->inner->ops->read_ready(s->inner, dst, size, offset);
        return *got > 0;
    }
    const int descriptor = __atomic_load_n(&s->descriptor, __ATOMIC_RELAXED);
    if (descriptor < 0 || offset > INT64_MAX) return false;
    const struct iovec to = {.iov_base = dst, .iov_len = size};
    const ssize_t      count = preadv2(descriptor, &to, 1, (off_t)offset, RWF_NOWAIT);
    if (count < 0 && (errno == EOPNOTSUPP || errno == ENOSYS || errno == EINVAL))
        __atomic_store_n(&s->descriptor, -1, __ATOMIC_RELAXED); /* not on this file system */
    if (count <= 0) return false;
    *got = (size_t)count;
    return true;
}

/* Waits for b, which is pinned. The first block of a window is always missing when it is wanted;
 * any other shows that the window is too small. */
static void wait_for(stream *s, const block *b, bool first)
{
    if (b->in_flight && !first) {
        grow(s);
        fill(s);
    }
    if (!b->in_flight) return;
    stk_stream_wait(s->shared, true);
    while (b->in_flight) {
        const uint32_t epoch = stk_eventcount_epoch(&s->arrived);
        pthread_mutex_unlock(&s->lock);
        stk_eventcount_wait(&s->arrived, epoch, 0);
        pthread_mutex_lock(&s->lock);
    }
    stk_stream_wait(s->shared, false);
}

/* Gives what b, which is pinned and there, holds at offset. The lock is given up for the copy. */
static stk_status take_from(stream *s, const block *b, void *dst, size_t size, uint64_t offset,
                            size_t *got, stk_error *err)
{
    const size_t at = (size_t)(offset - b->begin);
    if (at >= b->request.got) {
        if (!b->request.status) return STK_OK; /* the file has become shorter */
        if (err) *err = b->err;
        if (b->in_window) drop_all(s); /* a retry reads again */
        return b->request.status;
    }
    if (size > b->request.got - at) size = b->request.got - at;
    pthread_mutex_unlock(&s->lock);
    memcpy(dst, b->data + at, size);
    pthread_mutex_lock(&s->lock);
    *got = size;
    s->next = offset + size;
    return STK_OK;
}

static stk_status read_block(stream *s, block *b, bool first, void *dst, size_t size,
                             uint64_t offset, size_t *got, stk_error *err)
{
    b->pins++;
    fill(s);
    wait_for(s, b, first);
    const stk_status st = take_from(s, b, dst, size, offset, got, err);
    b->pins--;
    s->references -= retire(s, b);
    return st;
}

static stk_status read_below(stream *s, void *dst, size_t size, uint64_t offset, size_t *got,
                             stk_error *err)
{
    stk_stream_wait(s->shared, true);
    const stk_status st = s->inner->ops->read_at(s->inner, dst, size, offset, got, err);
    stk_stream_wait(s->shared, false);
    return st;
}

/* Reads without a block, from the page cache or, without memory for one, from the file below. */
static stk_status read_directly(stream *s, bool cached, void *dst, size_t size, uint64_t offset,
                                size_t *got, stk_error *err)
{
    pthread_mutex_unlock(&s->lock);
    stk_status st = STK_OK;
    if (!cached)
        st = read_below(s, dst, size, offset, got, err);
    else if (!read_cached(s, dst, size, offset, got))
        *got = 0;
    pthread_mutex_lock(&s->lock);
    if (*got) s->next = offset + *got;
    return st;
}

static stk_status read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err)
{
    stream               *s = (stream *)file;
    const stk_read_watch *watch = s->shared->options.watch;
    stk_status            st = STK_OK;
    *got = 0;
    if (!size || offset >= file->info.bytes) return STK_OK;
    if (size > file->info.bytes - offset) size = (size_t)(file->info.bytes - offset);
    pthread_mutex_lock(&s->lock);
    block *b = find(s, offset);
    if (!b) {
        drop_all(s);
        free_spare(s);
        st = read_directly(s, true, dst, size, offset, got, err);
    }
    const bool first = !b;
    if (!b && !*got) b = find(s, offset);
    if (!b && !*got) b = begin_at(s, offset);
    if (b)
        st = read_block(s, b, first, dst, size, offset, got, err);
    else if (!*got)
        st = read_directly(s, false, dst, size, offset, got, err);
    pthread_mutex_unlock(&s->lock);
    if (watch) watch->got(watch->context, *got);
    return st;
}

static void close_stream(stk_file *file)
{
    stream *s = (stream *)file;
    __atomic_sub_fetch(&s->shared->open, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&s->lock);
    drop_all(s);
    free_spare(s);
    unlock_and_drop(s, 1); /* blocks in flight keep the rest alive */
}

void stk_stream_begin(stk_file *file)
{
    stream *s = (stream *)file;
    if (file->ops->close != close_stream) return;
    pthread_mutex_lock(&s->lock);
    /* Pages in the page cache are read directly: blocks would only copy them again. */
    uint8_t probe[PROBE_BYTES];
    size_t  got = 0;
    if (!s->first && !read_cached(s, probe, sizeof probe, 0, &got) && begin_at(s, 0)) fill(s);
    pthread_mutex_unlock(&s->lock);
}

static int descriptor_of(stk_file *file)
{
    return file->ops->descriptor ? file->ops->descriptor(file) : -1;
}

/* Takes over inner, also when it fails. */
static stk_status wrap(stk_file **out, stk_readahead_shared *shared, stk_file *inner,
                       stk_error *err)
{
    static const stk_file_ops ops = {.read_at = read_at, .close = close_stream};
    stream                   *s = calloc(1, sizeof *s);
    stk_status                st = STK_OK;
    if (!s)
        st = stk_fail(err, STK_E_NOMEM, "read", inner->path, "no memory to open the file");
    else
        st = stk_eventcount_init(&s->arrived, err);
    if (st) {
        free(s);
        stk_file_close(inner);
        return st;
    }
    pthread_mutex_init(&s->lock, NULL);
    s->file = (stk_file){.ops = &ops, .info = inner->info, .path = inner->path};
    s->inner = inner;
    s->shared = shared;
    s->descriptor = descriptor_of(inner);
    s->window = WINDOW_START;
    s->trust = TRUST_FIRST;
    s->references = 1;
    __atomic_add_fetch(&shared->open, 1, __ATOMIC_RELAXED);
    pthread_mutex_lock(&shared->lock);
    shared->alive++;
    pthread_mutex_unlock(&shared->lock);
    *out = &s->file;
    return STK_OK;
}

stk_status stk_stream_open(stk_file **out, stk_readahead_shared *shared, const char *path,
                           stk_error *err)
{
    stk_file *inner;
    *out = NULL;
    STK_TRY(stk_file_open(&inner, shared->inner, path, STK_ACCESS_SEQUENTIAL, err));
    /* Files of /proc and their like do not know their size: nothing to read ahead. */
    if (inner->info.bytes) return wrap(out, shared, inner, err);
    *out = inner;
    return STK_OK;
}
