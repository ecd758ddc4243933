/* The file system that reads ahead: its table, and the files opened before they are asked for. */
#include "storage/file/readahead_stream.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 256 << 10, LARGEST_BLOCK = 1 << 30, HINTS_MAX = 16 };

typedef struct readahead readahead;

typedef enum hint_state { HINT_WAITING, HINT_OPENING, HINT_OVER } hint_state;

/* A file being opened. It has two owners: the engine until done, and the list or the thread that
 * took it from there. */
typedef struct hint {
    stk_io_request request; /* first: run and done are handed this */
    readahead     *owner;
    struct hint   *next;
    hint_state     state;
    bool           unwanted;
    int            holders;
    stk_file      *file; /* NULL until open, or it cannot be opened */
    char           path[];
} hint;

struct readahead {
    stk_filesystem       fs; /* first: returned as the base struct */
    stk_readahead_shared shared;
    pthread_mutex_t      lock;    /* of all below; no other is taken inside but the engine's */
    pthread_cond_t       changed; /* a hint moved on */
    hint                *hints;   /* oldest first */
    int                  count;
    int                  running; /* hints the engine holds */
};

static readahead *of(const stk_filesystem *fs)
{
    return (readahead *)(uintptr_t)fs;
}

/* Gives up the lock and a hold; the last frees, outside the lock since closing takes others. */
static void unlock_and_let_go(readahead *r, hint *h)
{
    const bool last = --h->holders == 0;
    pthread_mutex_unlock(&r->lock);
    if (!last) return;
    stk_file_close(h->file);
    free(h);
}

static void open_hinted(stk_io_request *request)
{
    hint      *h = (hint *)request;
    readahead *r = h->owner;
    stk_file  *file = NULL;
    pthread_mutex_lock(&r->lock);
    const bool unwanted = h->unwanted;
    if (!unwanted) h->state = HINT_OPENING;
    pthread_mutex_unlock(&r->lock);
    /* The following open reports errors. */
    if (unwanted || stk_stream_open(&file, &r->shared, h->path, NULL)) return;
    stk_stream_begin(file);
    h->file = file;
}

static void finish_hinted(stk_io_request *request)
{
    hint      *h = (hint *)request;
    readahead *r = h->owner;
    pthread_mutex_lock(&r->lock);
    h->state = HINT_OVER;
    pthread_cond_broadcast(&r->changed);
    unlock_and_let_go(r, h);
    /* Only now: the file system may be freed after this. */
    pthread_mutex_lock(&r->lock);
    r->running--;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Under the lock: unlinks the hint at *link. */
static hint *unlink_hint(readahead *r, hint **link)
{
    hint *h = *link;
    *link = h->next;
    r->count--;
    return h;
}

static hint **find_hint(readahead *r, const char *path)
{
    hint **link = &r->hints;
    while (*link && strcmp((*link)->path, path) != 0)
        link = &(*link)->next;
    return link;
}

static void drop_oldest(readahead *r)
{
    pthread_mutex_lock(&r->lock);
    hint *h = unlink_hint(r, &r->hints);
    h->unwanted = true;
    unlock_and_let_go(r, h);
}

void stk_readahead_hint(stk_filesystem *fs, const char *path)
{
    readahead   *r = of(fs);
    const size_t length = strlen(path);
    hint        *h = calloc(1, sizeof *h + length + 1);
    if (!h) return;
    h->request.run = open_hinted;
    h->request.done = finish_hinted;
    h->owner = r;
    h->holders = 2;
    memcpy(h->path, path, length + 1);
    pthread_mutex_lock(&r->lock);
    hint     **link = find_hint(r, path);
    const bool known = *link != NULL;
    if (!known) {
        *link = h;
        r->running++;
        r->count++;
        stk_io_submit(r->shared.io, &h->request);
    }
    const bool full = r->count > HINTS_MAX;
    pthread_mutex_unlock(&r->lock);
    if (known) free(h);
    if (full) drop_oldest(r);
}

/* The file that a hint opened; NULL when none did. A hint whose turn has not come is not waited
 * for: its turn may come only after the caller's. */
static stk_file *take_hinted(readahead *r, const char *path)
{
    pthread_mutex_lock(&r->lock);
    hint **link = find_hint(r, path);
    if (!*link) {
        pthread_mutex_unlock(&r->lock);
        return NULL;
    }
    hint *h = unlink_hint(r, link);
    if (h->state == HINT_WAITING) h->unwanted = true;
    while (h->state == HINT_OPENING)
        pthread_cond_wait(&r->changed, &r->lock);
    stk_file *file = NULL;
    if (h->state == HINT_OVER) {
        file = h->file;
        h->file = NULL;
    }
    unlock_and_let_go(r, h);
    return file;
}

static stk_status open_file(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    readahead *r = of(fs);
    *out = NULL;
    if (access != STK_ACCESS_SEQUENTIAL)
        return stk_file_open(out, r->shared.inner, path, access, err);
    stk_stream_wait(&r->shared, true);
    *out = take_hinted(r, path);
    const stk_status st = *out ? STK_OK : stk_stream_open(out, &r->shared, path, err);
    stk_stream_wait(&r->shared, false);
    return st;
}

static stk_status read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    const stk_readahead_shared *shared = &of(fs)->shared;
    stk_stream_wait(shared, true);
    const stk_status st =
        stk_file_read_all(shared->inner, path, expected_bytes, limit_bytes, blob, err);
    stk_stream_wait(shared, false);
    return st;
}

static stk_status create(const stk_filesystem *fs, const char *path, stk_output **out,
                         stk_error *err)
{
    return stk_output_create(out, of(fs)->shared.inner, path, err);
}

static stk_status info(const stk_filesystem *fs, const char *path, stk_file_info *out,
                       stk_error *err)
{
    return stk_path_info(of(fs)->shared.inner, path, out, err);
}

static stk_status list(const stk_filesystem *fs, const char *directory, stk_list_detail detail,
                       stk_list_visit visit, void *context, stk_error *err)
{
    return stk_path_list(of(fs)->shared.inner, directory, detail, visit, context, err);
}

static stk_status make_directory(const stk_filesystem *fs, const char *path, stk_error *err)
{
    return stk_path_make_directory(of(fs)->shared.inner, path, err);
}

static stk_status rename_path(const stk_filesystem *fs, const char *from, const char *to,
                              stk_error *err)
{
    return stk_path_rename(of(fs)->shared.inner, from, to, err);
}

static stk_status remove_path(const stk_filesystem *fs, const char *path, stk_error *err)
{
    return stk_path_remove(of(fs)->shared.inner, path, err);
}

static stk_status lock_path(const stk_filesystem *fs, const char *path, stk_lock **out,
                            stk_error *err)
{
    return stk_path_lock(out, of(fs)->shared.inner, path, err);
}

static stk_status resolve(const stk_filesystem *fs, const char *path, stk_blob *out, stk_error *err)
{
    return stk_path_resolve(of(fs)->shared.inner, path, out, err);
}

static stk_status check(stk_readahead_options *options, stk_error *err)
{
    if (!options->block_bytes) options->block_bytes = BLOCK_BYTES;
    if (options->block_bytes > LARGEST_BLOCK)
        return stk_fail(err, STK_E_INVALID, "read", NULL,
                        "blocks of %zu bytes asked; %d are the most", options->block_bytes,
                        LARGEST_BLOCK);
    if (options->blocks_ahead < 0)
        return stk_fail(err, STK_E_INVALID, "read", NULL,
                        "%d blocks ahead asked; 0 means as needed", options->blocks_ahead);
    return STK_OK;
}

stk_status stk_readahead_new(stk_filesystem **out, const stk_filesystem *inner, stk_io *io,
                             const stk_readahead_options *options, stk_error *err)
{
    static const stk_filesystem_ops ops = {
        .open = open_file,
        .read_all = read_all,
        .create = create,
        .info = info,
        .list = list,
        .make_directory = make_directory,
        .rename = rename_path,
        .remove = remove_path,
        .resolve = resolve,
        .lock = lock_path,
    };
    *out = NULL;
    stk_readahead_options wanted = options ? *options : (stk_readahead_options){0};
    STK_TRY(check(&wanted, err));
    readahead *r = calloc(1, sizeof *r);
    if (!r) return stk_fail(err, STK_E_NOMEM, "read", NULL, "no memory for a file system");
    r->fs = (stk_filesystem){.ops = &ops, .name = "read-ahead"};
    r->shared.inner = inner ? inner : stk_filesystem_local();
    r->shared.io = io;
    r->shared.options = wanted;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    pthread_mutex_init(&r->shared.lock, NULL);
    pthread_cond_init(&r->shared.ended, NULL);
    *out = &r->fs;
    return STK_OK;
}

static void wait_for_hints(readahead *r)
{
    pthread_mutex_lock(&r->lock);
    while (r->running)
        pthread_cond_wait(&r->changed, &r->lock);
    pthread_mutex_unlock(&r->lock);
}

/* Streams that were closed with blocks in flight go when these are there. */
static void wait_for_streams(stk_readahead_shared *shared)
{
    pthread_mutex_lock(&shared->lock);
    while (shared->alive)
        pthread_cond_wait(&shared->ended, &shared->lock);
    pthread_mutex_unlock(&shared->lock);
}

void stk_readahead_wait(stk_filesystem *fs)
{
    readahead *r = of(fs);
    while (r->hints)
        drop_oldest(r);
    wait_for_hints(r);
    wait_for_streams(&r->shared);
}

void stk_readahead_free(stk_filesystem *fs)
{
    if (!fs) return;
    readahead *r = of(fs);
    stk_readahead_wait(fs);
    pthread_cond_destroy(&r->shared.ended);
    pthread_mutex_destroy(&r->shared.lock);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    free(r);
}
