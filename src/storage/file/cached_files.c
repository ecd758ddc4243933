/* Files through a cache. A block that is missing is read by the first who wants it; others wait for
 * it, so that nothing is read twice. */
#include "storage/file/cached_files.h"

#include "base/crc32c.h"
#include "storage/file/cached_table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct stk_cached_files {
    stk_filesystem           fs; /* first: the table hands this out */
    stk_filesystem_ops       ops;
    stk_cached_files_options options;
    char                    *folder;
    stk_block_store         *store;
    pthread_mutex_t          lock;    /* of the table and the blocks' states */
    pthread_cond_t           arrived; /* a block is there, or was given up */
    stk_cached_table         table;
    bool                     full;                      /* atomic: nothing more is kept */
    bool                     saved;                     /* the list is as the blocks are */
    bool                     forgotten;                 /* the folder is to go */
    uint64_t                 bytes, asked, read, reads; /* atomic */
};

typedef struct cached_file {
    stk_file          file;
    stk_cached_files *cache;
    stk_cached_entry *entry; /* NULL: there was no memory for one */
    stk_access        access;
    pthread_mutex_t   lock;  /* of inner */
    stk_file         *inner; /* NULL until something is missing */
} cached_file;

static stk_cached_files *cache_of(const stk_filesystem *fs)
{
    return (stk_cached_files *)(uintptr_t)fs;
}

static void count(uint64_t *counter, uint64_t more)
{
    __atomic_fetch_add(counter, more, __ATOMIC_RELAXED);
}

/* Told once: from then on all that is missing is read from below each time. */
static void give_up(stk_cached_files *c, const char *why)
{
    char line[640];
    if (__atomic_exchange_n(&c->full, true, __ATOMIC_RELAXED) || !c->options.log) return;
    snprintf(line, sizeof line,
             "WARNING: cache: %s; the %.1f MB that are kept stay, the rest is read anew each time",
             why, (double)__atomic_load_n(&c->bytes, __ATOMIC_RELAXED) / 1e6);
    c->options.log(c->options.log_context, line);
}

static void give_up_full(stk_cached_files *c)
{
    char why[128];
    snprintf(why, sizeof why, "the files do not fit into %.1f MB", (double)c->options.limit / 1e6);
    give_up(c, why);
}

static void give_up_error(stk_cached_files *c, const stk_error *err)
{
    char why[560];
    snprintf(why, sizeof why, "%s: %s", err->where, err->message);
    give_up(c, why);
}

/* Blocks from first on become missing or there. The lock is not held. */
static void settle(stk_cached_files *c, stk_cached_entry *entry, size_t first, size_t count_,
                   const stk_cached_block *there)
{
    pthread_mutex_lock(&c->lock);
    for (size_t i = 0; i < count_; i++)
        entry->blocks[first + i] = there ? there[i] : (stk_cached_block){0};
    c->saved = c->saved && !there;
    pthread_cond_broadcast(&c->arrived);
    pthread_mutex_unlock(&c->lock);
}

enum { RUN_MOST = 64 }; /* blocks that are read at once */

/* Keeps the blocks in space, or says that they are missing still. */
static void keep_run(stk_cached_files *c, stk_cached_entry *entry, size_t first, size_t blocks,
                     void *space, size_t size)
{
    stk_cached_block there[RUN_MOST];
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
        give_up_error(c, &err);
        settle(c, entry, first, blocks, NULL);
        return;
    }
    for (size_t i = 0; i < blocks; i++)
        there[i].at = at + i * STK_CACHED_BLOCK;
    count(&c->bytes, size);
    settle(c, entry, first, blocks, there);
}

static stk_status open_inner(cached_file *f, stk_error *err)
{
    pthread_mutex_lock(&f->lock);
    stk_status st =
        f->inner ? STK_OK
                 : stk_file_open(&f->inner, f->cache->options.inner, f->file.path, f->access, err);
    pthread_mutex_unlock(&f->lock);
    return st;
}

static stk_status read_below(cached_file *f, void *dst, size_t size, uint64_t offset, size_t *got,
                             stk_error *err)
{
    *got = 0;
    STK_TRY(open_inner(f, err));
    STK_TRY(stk_file_read_at(f->inner, dst, size, offset, got, err));
    count(&f->cache->reads, 1);
    count(&f->cache->read, *got);
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
    } while (first + r.blocks < entry->count && r.blocks < RUN_MOST && r.begin + r.size < end &&
             entry->blocks[first + r.blocks].state == STK_CACHED_MISSING);
    return r;
}

/* Reads a run and gives what of it is wanted from offset on. */
static stk_status load(cached_file *f, const run *r, void *dst, size_t size, uint64_t offset,
                       size_t *got, stk_error *err)
{
    stk_cached_files *c = f->cache;
    const size_t      skip = (size_t)(offset - r->begin);
    void             *space = c->store->ops->begin(c->store, r->size);
    size_t            there = 0;
    if (size > r->size - skip) size = r->size - skip;
    if (!space) {
        give_up_full(c);
        settle(c, f->entry, r->first, r->blocks, NULL);
        return read_below(f, dst, size, offset, got, err);
    }
    const stk_status st = read_below(f, space, r->size, r->begin, &there, err);
    *got = st || there < skip ? 0 : there - skip < size ? there - skip : size;
    if (*got) memcpy(dst, (uint8_t *)space + skip, *got);
    if (st || there < r->size) { /* the file has become shorter */
        c->store->ops->drop(c->store, space, r->size);
        settle(c, f->entry, r->first, r->blocks, NULL);
        return st;
    }
    keep_run(c, f->entry, r->first, r->blocks, space, r->size);
    return STK_OK;
}

/* A block of an earlier process is looked at as a whole, once. */
static bool is_sound(stk_cached_files *c, const stk_cached_block *block, size_t size)
{
    uint8_t   *copy = malloc(size ? size : 1);
    const bool sound = copy && !c->store->ops->get(c->store, block->at, copy, size, NULL) &&
                       stk_crc32c(0, copy, size) == block->crc;
    free(copy);
    return sound;
}

/* What the store has of a block; false: it is damaged, and is missing from now on. */
static bool get(stk_cached_files *c, stk_cached_entry *entry, size_t index,
                const stk_cached_block *block, size_t skip, void *dst, size_t size)
{
    const bool sound = block->trusted || is_sound(c, block, stk_cached_block_bytes(entry, index));
    if (sound && !c->store->ops->get(c->store, block->at + skip, dst, size, NULL)) {
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
    settle(c, entry, index, 1, NULL);
    return false;
}

/* Some bytes from offset on, at least one. */
static stk_status read_some(cached_file *f, void *dst, size_t size, uint64_t offset, size_t *got,
                            stk_error *err)
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

static stk_status read_at(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err)
{
    cached_file *f = (cached_file *)file;
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
    count(&f->cache->asked, *got);
    return STK_OK;
}

/* What is in memory: from a disk it would be a wait. */
static size_t read_ready(stk_file *file, void *dst, size_t size, uint64_t offset)
{
    cached_file      *f = (cached_file *)file;
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
    count(&c->asked, done);
    return done;
}

static void close_file(stk_file *file)
{
    cached_file *f = (cached_file *)file;
    stk_file_close(f->inner);
    pthread_mutex_destroy(&f->lock);
    free(file->path);
    free(f);
}

/* The entry of path, whose info is that of the file; NULL: there is none, or another file is there
 * by now. */
static stk_cached_entry *find_checked(stk_cached_files *c, const char *path)
{
    stk_file_info info;
    pthread_mutex_lock(&c->lock);
    stk_cached_entry *entry = stk_cached_table_find(&c->table, path);
    const bool        known = entry && entry->checked;
    pthread_mutex_unlock(&c->lock);
    if (!entry || known) return entry;
    if (stk_path_info(c->options.inner, path, &info, NULL)) return NULL;
    pthread_mutex_lock(&c->lock);
    entry = stk_cached_table_find(&c->table, path);
    const bool same = entry && (entry->checked || (entry->info.bytes == info.bytes &&
                                                   entry->info.modified_ns == info.modified_ns));
    if (same) entry->checked = true;
    pthread_mutex_unlock(&c->lock);
    return same ? entry : NULL;
}

/* Another thread may have been quicker. */
static stk_cached_entry *add_checked(stk_cached_files *c, const char *path,
                                     const stk_file_info *info, bool timed)
{
    pthread_mutex_lock(&c->lock);
    stk_cached_entry *entry = stk_cached_table_find(&c->table, path);
    if (!entry || !entry->checked) {
        entry = stk_cached_table_add(&c->table, path, info);
        if (entry) {
            entry->checked = true;
            entry->timed = timed;
        }
    } else if (entry->info.bytes != info->bytes) {
        entry = NULL; /* it changes while it is read: not to be kept */
    } else if (timed && !entry->timed) {
        entry->info = *info;
        entry->timed = true;
    }
    pthread_mutex_unlock(&c->lock);
    return entry;
}

/* A file that is known is not opened below before something is missing. */
static stk_status find_file(cached_file *f, const char *path, stk_error *err)
{
    stk_cached_files *c = f->cache;
    stk_cached_entry *entry = find_checked(c, path);
    f->file.path = strdup(path);
    if (!f->file.path) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open it");
    if (!entry || !entry->timed) {
        STK_TRY(open_inner(f, err));
        f->file.info = f->inner->info;
        f->entry = f->file.info.kind == STK_FILE_REGULAR
                       ? add_checked(c, path, &f->inner->info, true)
                       : NULL;
        return STK_OK;
    }
    f->entry = entry;
    f->file.info = entry->info;
    return STK_OK;
}

static stk_status open_file(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    static const stk_file_ops ops = {
        .read_at = read_at, .close = close_file, .read_ready = read_ready};
    cached_file *f = calloc(1, sizeof *f);
    *out = NULL;
    if (!f) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open it");
    f->file.ops = &ops;
    f->cache = cache_of(fs);
    f->access = access;
    pthread_mutex_init(&f->lock, NULL);
    stk_status st = find_file(f, path, err);
    if (st)
        close_file(&f->file);
    else
        *out = &f->file;
    return st;
}

/* All blocks of a small file; false where one is not there. */
static bool take_whole(stk_cached_files *c, stk_cached_entry *entry, stk_blob *blob)
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
    count(&c->asked, blob->size);
    return true;
}

/* The lock is held: claims all of a small file, where nobody else has any of it. */
static bool claim_whole(stk_cached_entry *entry)
{
    if (!entry->count || entry->count > RUN_MOST) return false;
    for (size_t i = 0; i < entry->count; i++)
        if (entry->blocks[i].state != STK_CACHED_MISSING) return false;
    for (size_t i = 0; i < entry->count; i++)
        entry->blocks[i].state = STK_CACHED_LOADING;
    return true;
}

/* Of a file that was read as a whole. On a disk its time is asked for, which a list needs. */
static void keep_whole(stk_cached_files *c, const char *path, const stk_blob *blob)
{
    stk_file_info     info = {.kind = STK_FILE_REGULAR, .bytes = blob->size};
    const bool        timed = c->store->waits;
    stk_cached_entry *entry;
    if (__atomic_load_n(&c->full, __ATOMIC_RELAXED)) return;
    if (timed && (stk_path_info(c->options.inner, path, &info, NULL) || info.bytes != blob->size))
        return;
    entry = add_checked(c, path, &info, timed);
    if (!entry) return;
    pthread_mutex_lock(&c->lock);
    const bool claimed = claim_whole(entry);
    pthread_mutex_unlock(&c->lock);
    if (!claimed) return;
    void *space = c->store->ops->begin(c->store, blob->size);
    if (!space) {
        give_up_full(c);
        settle(c, entry, 0, entry->count, NULL);
        return;
    }
    memcpy(space, blob->data, blob->size);
    keep_run(c, entry, 0, entry->count, space, blob->size);
}

static stk_status read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    stk_cached_files *c = cache_of(fs);
    stk_cached_entry *entry = find_checked(c, path);
    if (entry && entry->info.bytes <= limit_bytes && take_whole(c, entry, blob)) return STK_OK;
    STK_TRY(stk_file_read_all(c->options.inner, path, expected_bytes, limit_bytes, blob, err));
    count(&c->reads, 1);
    count(&c->read, blob->size);
    count(&c->asked, blob->size);
    keep_whole(c, path, blob);
    return STK_OK;
}

static const stk_filesystem *below(const stk_filesystem *fs)
{
    const stk_filesystem *inner = cache_of(fs)->options.inner;
    return inner ? inner : stk_filesystem_local();
}

static stk_status info_below(const stk_filesystem *fs, const char *path, stk_file_info *info,
                             stk_error *err)
{
    return below(fs)->ops->info(below(fs), path, info, err);
}

static stk_status list_below(const stk_filesystem *fs, const char *directory,
                             stk_list_detail detail, stk_list_visit visit, void *context,
                             stk_error *err)
{
    return below(fs)->ops->list(below(fs), directory, detail, visit, context, err);
}

static stk_status refuse(const char *path, stk_error *err)
{
    return stk_fail(err, STK_E_UNSUPPORTED, "cache", path, "files are only read through a cache");
}

static stk_status create(const stk_filesystem *fs, const char *path, stk_output **out,
                         stk_error *err)
{
    (void)fs;
    *out = NULL;
    return refuse(path, err);
}

static stk_status change(const stk_filesystem *fs, const char *path, stk_error *err)
{
    (void)fs;
    return refuse(path, err);
}

static stk_status rename_file(const stk_filesystem *fs, const char *from, const char *to,
                              stk_error *err)
{
    (void)fs, (void)to;
    return refuse(from, err);
}

/* What an earlier process left, where it is whole. */
static stk_status open_disk(stk_cached_files *c, stk_error *err)
{
    uint64_t  used = 0;
    stk_error why;
    c->folder = strdup(c->options.folder);
    if (!c->folder) return stk_fail(err, STK_E_NOMEM, "cache", c->options.folder, "no memory");
    STK_TRY(stk_block_store_disk(&c->store, c->folder, c->options.limit, err));
    stk_status st = stk_cached_list_read(&c->table, c->folder, &used, &why);
    if (!st) st = stk_block_store_disk_cut(c->store, used, &why);
    c->bytes = st ? 0 : used;
    c->saved = !st;
    if (!st) return STK_OK;
    if (st != STK_E_NOTFOUND && c->options.log) {
        char line[640];
        snprintf(line, sizeof line, "WARNING: cache: %s: %s; it begins anew", why.where,
                 why.message);
        c->options.log(c->options.log_context, line);
    }
    stk_cached_table_release(&c->table);
    stk_cached_list_remove(c->folder);
    return stk_block_store_disk_cut(c->store, 0, err);
}

stk_status stk_cached_files_open(stk_cached_files **out, const stk_cached_files_options *options,
                                 stk_error *err)
{
    *out = NULL;
    stk_cached_files *c = calloc(1, sizeof *c);
    if (!c) return stk_fail(err, STK_E_NOMEM, "cache", NULL, "no memory for a cache");
    c->ops = (stk_filesystem_ops){.open = open_file,
                                  .read_all = read_all,
                                  .create = create,
                                  .info = info_below,
                                  .list = list_below,
                                  .make_directory = change,
                                  .rename = rename_file,
                                  .remove = change};
    c->fs = (stk_filesystem){.ops = &c->ops, .name = "cached"};
    c->options = *options;
    c->table.ledger = stk_ledger_ref(options->ledger);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->arrived, NULL);
    stk_status st = options->folder
                        ? open_disk(c, err)
                        : stk_block_store_memory(&c->store, options->ledger, options->limit, err);
    if (st) {
        stk_cached_files_free(c);
        return st;
    }
    *out = c;
    return STK_OK;
}

stk_status stk_cached_files_save(stk_cached_files *cache, stk_error *err)
{
    stk_cached_files *c = cache;
    if (!c->folder) return STK_OK;
    STK_TRY(stk_block_store_disk_sync(c->store, err));
    pthread_mutex_lock(&c->lock);
    stk_status st = c->saved ? STK_OK : stk_cached_list_write(&c->table, c->folder, err);
    c->saved = c->saved || !st;
    pthread_mutex_unlock(&c->lock);
    return st;
}

void stk_cached_files_forget(stk_cached_files *cache)
{
    cache->forgotten = true;
}

void stk_cached_files_free(stk_cached_files *cache)
{
    stk_cached_files *c = cache;
    if (!c) return;
    if (c->store && c->forgotten && c->folder) {
        stk_cached_list_remove(c->folder);
        stk_block_store_disk_forget(c->store);
    }
    if (c->store) c->store->ops->free(c->store);
    if (c->store && c->forgotten && c->folder) (void)!remove(c->folder);
    stk_ledger *ledger = c->table.ledger;
    stk_cached_table_release(&c->table);
    stk_ledger_unref(ledger);
    pthread_cond_destroy(&c->arrived);
    pthread_mutex_destroy(&c->lock);
    free(c->folder);
    free(c);
}

const stk_filesystem *stk_cached_files_system(const stk_cached_files *cache)
{
    return &cache->fs;
}

stk_cached_account stk_cached_files_account(const stk_cached_files *cache)
{
    stk_cached_files *c = cache_of(&cache->fs);
    pthread_mutex_lock(&c->lock);
    stk_cached_account account = {.files = c->table.count};
    pthread_mutex_unlock(&c->lock);
    account.bytes = __atomic_load_n(&c->bytes, __ATOMIC_RELAXED);
    account.asked = __atomic_load_n(&c->asked, __ATOMIC_RELAXED);
    account.read = __atomic_load_n(&c->read, __ATOMIC_RELAXED);
    account.reads = __atomic_load_n(&c->reads, __ATOMIC_RELAXED);
    account.full = __atomic_load_n(&c->full, __ATOMIC_RELAXED);
    return account;
}
