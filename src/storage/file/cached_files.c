/* A file system through a cache: its files are known by their paths. */
#include "storage/file/cached_inside.h"
#include "storage/file/temporaries.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static stk_cached_files *cache_of(const stk_filesystem *fs)
{
    return (stk_cached_files *)(uintptr_t)fs;
}

stk_status stk_cached_open_inner(stk_cached_file *f, stk_error *err)
{
    pthread_mutex_lock(&f->lock);
    stk_status st =
        f->inner ? STK_OK
                 : stk_file_open(&f->inner, f->cache->options.inner, f->file.path, f->access, err);
    pthread_mutex_unlock(&f->lock);
    return st;
}

static void close_file(stk_file *file)
{
    stk_cached_file *f = (stk_cached_file *)file;
    stk_file_close(f->inner);
    pthread_mutex_destroy(&f->lock);
    free(file->path);
    free(f);
}

/* The entry of path, whose info is that of the file; NULL: there is none, or another file is there
 * by now. */
static stk_cached_entry *find_checked(stk_cached_files *c, const char *path, bool *timed)
{
    stk_file_info info;
    pthread_mutex_lock(&c->lock);
    stk_cached_entry *entry = stk_cached_table_find(&c->table, path);
    const bool        known = entry && entry->checked;
    *timed = entry && entry->timed;
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
        entry->info.modified_ns = info->modified_ns;
        entry->timed = true;
    }
    pthread_mutex_unlock(&c->lock);
    return entry;
}

/* A file that is known is not opened below before something is missing. */
static stk_status find_file(stk_cached_file *f, const char *path, stk_error *err)
{
    stk_cached_files *c = f->cache;
    bool              timed;
    stk_cached_entry *entry = find_checked(c, path, &timed);
    f->file.path = strdup(path);
    if (!f->file.path) return stk_fail(err, STK_E_NOMEM, "read", path, "no memory to open it");
    if (!entry || !timed) {
        STK_TRY(stk_cached_open_inner(f, err));
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
        .read_at = stk_cached_read_at, .close = close_file, .read_ready = stk_cached_read_ready};
    stk_cached_file *f = calloc(1, sizeof *f);
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

/* Describes a file that was read completely. A disk store also needs its time, for the list. */
static void keep_file(stk_cached_files *c, const char *path, const stk_blob *blob)
{
    stk_file_info info = {.kind = STK_FILE_REGULAR, .bytes = blob->size};
    const bool    timed = c->store->waits;
    if (__atomic_load_n(&c->full, __ATOMIC_RELAXED)) return;
    if (timed && (stk_path_info(c->options.inner, path, &info, NULL) || info.bytes != blob->size))
        return;
    stk_cached_entry *entry = add_checked(c, path, &info, timed);
    if (entry) stk_cached_keep_file(c, entry, blob);
}

static stk_status read_all(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err)
{
    stk_cached_files *c = cache_of(fs);
    bool              timed;
    stk_cached_entry *entry = find_checked(c, path, &timed);
    if (entry && entry->info.bytes <= limit_bytes && stk_cached_copy_file(c, entry, blob))
        return STK_OK;
    STK_TRY(stk_file_read_all(c->options.inner, path, expected_bytes, limit_bytes, blob, err));
    stk_cached_count(&c->reads, 1);
    stk_cached_count(&c->read, blob->size);
    stk_cached_count(&c->asked, blob->size);
    keep_file(c, path, blob);
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

static stk_status resolve_below(const stk_filesystem *fs, const char *path, stk_blob *out,
                                stk_error *err)
{
    return stk_path_resolve(below(fs), path, out, err);
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

static bool is_list(const char *name, size_t length)
{
    return length == 4 && memcmp(name, "list", 4) == 0;
}

/* Loads the content of an earlier process, if valid. */
static stk_status open_disk(stk_cached_files *c, stk_error *err)
{
    uint64_t  used = 0;
    stk_error why;
    c->folder = strdup(c->options.folder);
    if (!c->folder) return stk_fail(err, STK_E_NOMEM, "cache", c->options.folder, "no memory");
    STK_TRY(stk_block_store_disk(&c->store, c->folder, c->options.limit, err));
    STK_TRY(stk_temporaries_sweep(NULL, c->folder, is_list, err));
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
                                  .remove = change,
                                  .resolve = resolve_below};
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

stk_cached_stats stk_cached_files_stats(const stk_cached_files *cache)
{
    stk_cached_files *c = cache_of(&cache->fs);
    pthread_mutex_lock(&c->lock);
    stk_cached_stats stats = {.files = c->table.count};
    pthread_mutex_unlock(&c->lock);
    stats.bytes = __atomic_load_n(&c->bytes, __ATOMIC_RELAXED);
    stats.asked = __atomic_load_n(&c->asked, __ATOMIC_RELAXED);
    stats.read = __atomic_load_n(&c->read, __ATOMIC_RELAXED);
    stats.reads = __atomic_load_n(&c->reads, __ATOMIC_RELAXED);
    stats.full = __atomic_load_n(&c->full, __ATOMIC_RELAXED);
    return stats;
}
