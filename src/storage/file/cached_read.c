/* Reads blocks from the cache, else from below. The first reader of a missing block reads it;
 * others wait, so nothing is read twice. */
#include "storage/file/cached_inside.h"

#include "base/crc32c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Logged once: from then on misses are read from below each time. */
static void disable(stk_cached_files *c, const char *why)
{
    char line[640];
    if (__atomic_exchange_n(&c->full, true, __ATOMIC_RELAXED) || !c->options.log) return;
    snprintf(line, sizeof line,
             "WARNING: cache: %s; the %.1f MB that are kept stay, the rest is read anew each time",
             why, (double)__atomic_load_n(&c->bytes, __ATOMIC_RELAXED) / 1e6);
    c->options.log(c->options.log_context, line);
}

static void disable_when_full(stk_cached_files *c)
{
    char why[128];
    snprintf(why, sizeof why, "the files do not fit into %.1f MB", (double)c->options.limit / 1e6);
    disable(c, why);
}

static void disable_after(stk_cached_files *c, const stk_error *err)
{
    char why[560];
    snprintf(why, sizeof why, "%s: %s", err->where, err->message);
    disable(c, why);
}

/* Blocks from first on become missing or there. The lock is not held. */
static void finish_read(stk_cached_files *c, stk_cached_entry *entry, size_t first, size_t blocks,
                        const stk_cached_block *there)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < blocks; i++)
        entry->blocks[first + i] = there ? there[i] : (stk_cached_block){0};
    c->saved = c->saved && !there;
    pthread_cond_broadcast(&c->arrived);
    pthread_mutex_unlock(&c->lock);
}

enum { RUN_MAX = 64 }; /* blocks that are read at once */

/* Keeps the blocks in space, or says that they are missing still. */
static void keep_run(stk_cached_files *c, stk_cached_entry *entry, size_t first, size_t blocks,
                     void *space, size_t size)
{
    stk_cached_block there[RUN_MAX];
    stk_error        err;
    uint64_t         at;
    for (size_t i = 0; i < blocks; i++) {
        const uint8_t *data = (const uint8_t *)space + i * STK_CACHED_BLOCK;
        there[i] = (stk_cached_block){.state = STK_CACHED_THERE, .trusted = true};
        if (c->store->waits)
            there[i].crc = stk_crc32c(0, data, stk_cached_block_bytes(entry, first + i));
    }
    const stk_status st = c->store->ops->keep(c->store, space, size, &at, &err);
    if (st) {
        disable_after(c, &err);
        finish_read(c, entry, first, blocks, NULL);
        return;
    }
    for (size_t i = 0; i < blocks; i++)
        there[i].at = at + i * STK_CACHED_BLOCK;
    stk_cached_count(&c->bytes, size);
    finish_read(c, entry, first, blocks, there);
}

static stk_status read_below(stk_cached_file *f, void *dst, size_t size, uint64_t offset,
                             size_t *got, stk_error *err)
{
    *got = 0;
    STK_TRY(stk_cached_open_inner(f, err));
    STK_TRY(stk_file_read_at(f->inner, dst, size, offset, got, err));
    stk_cached_count(&f->cache->reads, 1);
    stk_cached_count(&f->cache->read, *got);
    return STK_OK;
}

/* Missing blocks, which this thread has claimed, and what of them is wanted. */
typedef struct run {
    size_t   first, blocks, size;
    uint64_t begin; /* in the file */
} run;

/* The lock is held, and block first is missing. */
static run claim(stk_cached_entry *entry, size_t first, uint64_t end)
{
    run r = {.first = first, .begin = (uint64_t)first * STK_CACHED_BLOCK};
    do {
        entry->blocks[first + r.blocks].state = STK_CACHED_LOADING;
        r.size += stk_cached_block_bytes(entry, first + r.blocks++);
    } while (first + r.blocks < entry->count && r.blocks < RUN_MAX && r.begin + r.size < end &&
             entry->blocks[first + r.blocks].state == STK_CACHED_MISSING);
    return r;
}

/* Reads a run and gives what of it is wanted from offset on. */
static stk_status load(stk_cached_file *f, const run *r, void *dst, size_t size, uint64_t offset,
                       size_t *got, stk_error *err)
{
    stk_cached_files *c = f->cache;
    const size_t      skip = (size_t)(offset - r->begin);
    void             *space = c->store->ops->begin(c->store, r->size);
    size_t            there = 0;
    if (size > r->size - skip) size = r->size - skip;
    if (!space) {
        disable_when_full(c);
        finish_read(c, f->entry, r->first, r->blocks, NULL);
        return read_below(f, dst, size, offset, got, err);
    }
    const stk_status st = read_below(f, space, r->size, r->begin, &there, err);
    *got = st || there < skip ? 0 : there - skip < size ? there - skip : size;
    if (*got) memcpy(dst, (uint8_t *)space + skip, *got);
    if (st || there < r->size) { /* the file has become shorter */
        c->store->ops->drop(c->store, space, r->size);
        finish_read(c, f->entry, r->first, r->blocks, NULL);
        return st;
    }
    keep_run(c, f->entry, r->first, r->blocks, space, r->size);
    return STK_OK;
}

/* A block of an earlier process is verified completely, once. */
static bool is_valid(stk_cached_files *c, const stk_cached_block *block, size_t size)
{
    uint8_t   *copy = malloc(size ? size : 1);
    const bool valid = copy && !c->store->ops->get(c->store, block->at, copy, size, NULL) &&
                       stk_crc32c(0, copy, size) == block->crc;
    free(copy);
    return valid;
}

/* Reads a block from the store; false: it is damaged, and counts as missing from now on. */
static bool get(stk_cached_files *c, stk_cached_entry *entry, size_t index,
                const stk_cached_block *block, size_t skip, void *dst, size_t size)
{
    const bool valid = block->trusted || is_valid(c, block, stk_cached_block_bytes(entry, index));
    if (valid && !c->store->ops->get(c->store, block->at + skip, dst, size, NULL)) {
        if (!block->trusted) {
            pthread_mutex_lock(&c->lock);
            entry->blocks[index].trusted = true;
            pthread_mutex_unlock(&c->lock);
        }
        return true;
    }
    if (c->options.log)
        c->options.log(c->options.log_context,
                       "WARNING: cache: a block is damaged and is read anew");
    finish_read(c, entry, index, 1, NULL);
    return false;
}

/* Some bytes from offset on, at least one. */
static stk_status read_some(stk_cached_file *f, void *dst, size_t size, uint64_t offset,
                            size_t *got, stk_error *err)
{
    stk_cached_files *c = f->cache;
    stk_cached_entry *entry = f->entry;
    const size_t      index = (size_t)(offset / STK_CACHED_BLOCK);
    const size_t      skip = (size_t)(offset % STK_CACHED_BLOCK);
    for (;;) {
        pthread_mutex_lock(&c->lock);
        while (entry->blocks[index].state == STK_CACHED_LOADING)
            pthread_cond_wait(&c->arrived, &c->lock);
        const stk_cached_block block = entry->blocks[index];
        const bool             missing = block.state == STK_CACHED_MISSING,
                   full = __atomic_load_n(&c->full, __ATOMIC_RELAXED);
        run r = {0};
        if (missing && !full) r = claim(entry, index, offset + size);
        pthread_mutex_unlock(&c->lock);
        if (missing && full) return read_below(f, dst, size, offset, got, err);
        if (missing) return load(f, &r, dst, size, offset, got, err);
        *got = stk_cached_block_bytes(entry, index) - skip;
        if (*got > size) *got = size;
        if (get(c, entry, index, &block, skip, dst, *got)) return STK_OK;
    }
}

stk_status stk_cached_read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                              stk_error *err)
{
    stk_cached_file *f = (stk_cached_file *)file;
    *got = 0;
    if (!f->entry) return read_below(f, dst, size, offset, got, err);
    if (offset >= file->info.bytes) return STK_OK;
    if (size > file->info.bytes - offset) size = (size_t)(file->info.bytes - offset);
    while (*got < size) {
        size_t more = 0;
        STK_TRY(read_some(f, (uint8_t *)dst + *got, size - *got, offset + *got, &more, err));
        if (!more) break;
        *got += more;
    }
    stk_cached_count(&f->cache->asked, *got);
    return STK_OK;
}

/* Only blocks in memory: a disk read would block. */
size_t stk_cached_read_ready(stk_file *file, void *dst, size_t size, uint64_t offset)
{
    stk_cached_file  *f = (stk_cached_file *)file;
    stk_cached_files *c = f->cache;
    size_t            done = 0;
    if (!f->entry || c->store->waits || offset >= file->info.bytes) return 0;
    if (size > file->info.bytes - offset) size = (size_t)(file->info.bytes - offset);
    while (done < size) {
        const size_t index = (size_t)((offset + done) / STK_CACHED_BLOCK);
        const size_t skip = (size_t)((offset + done) % STK_CACHED_BLOCK);
        size_t       more = stk_cached_block_bytes(f->entry, index) - skip;
        pthread_mutex_lock(&c->lock);
        const stk_cached_block block = f->entry->blocks[index];
        pthread_mutex_unlock(&c->lock);
        if (more > size - done) more = size - done;
        if (block.state != STK_CACHED_THERE ||
            !get(c, f->entry, index, &block, skip, (uint8_t *)dst + done, more))
            break;
        done += more;
    }
    stk_cached_count(&c->asked, done);
    return done;
}

bool stk_cached_copy_file(stk_cached_files *c, stk_cached_entry *entry, stk_blob *blob)
{
    stk_error unasked;
    if (stk_blob_reserve_exact(blob, (size_t)entry->info.bytes, &unasked)) return false;
    for (size_t i = 0; i < entry->count; i++) {
        const size_t size = stk_cached_block_bytes(entry, i);
        pthread_mutex_lock(&c->lock);
        const stk_cached_block block = entry->blocks[i];
        pthread_mutex_unlock(&c->lock);
        if (block.state != STK_CACHED_THERE ||
            !get(c, entry, i, &block, 0, blob->data + i * STK_CACHED_BLOCK, size))
            return false;
    }
    blob->size = (size_t)entry->info.bytes;
    stk_cached_count(&c->asked, blob->size);
    return true;
}

/* Under the lock: claims all blocks of a small file if none is claimed. */
static bool claim_file(stk_cached_entry *entry)
{
    if (!entry->count || entry->count > RUN_MAX) return false;
    for (size_t i = 0; i < entry->count; i++)
        if (entry->blocks[i].state != STK_CACHED_MISSING) return false;
    for (size_t i = 0; i < entry->count; i++)
        entry->blocks[i].state = STK_CACHED_LOADING;
    return true;
}

void stk_cached_keep_file(stk_cached_files *c, stk_cached_entry *entry, const stk_blob *blob)
{
    pthread_mutex_lock(&c->lock);
    const bool claimed = claim_file(entry);
    pthread_mutex_unlock(&c->lock);
    if (!claimed) return;
    void *space = c->store->ops->begin(c->store, blob->size);
    if (!space) {
        disable_when_full(c);
        finish_read(c, entry, 0, entry->count, NULL);
        return;
    }
    memcpy(space, blob->data, blob->size);
    keep_run(c, entry, 0, entry->count, space, blob->size);
}
