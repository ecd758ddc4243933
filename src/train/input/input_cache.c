/* The cache of a run's data. */
#include "train/input/input_cache.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

/* Bytes used by a folder and free on its disk. Measures the nearest existing parent if the folder
 * does not exist. */
static stk_status measure_disk(const char *folder, uint64_t *has, uint64_t *left, stk_error *err)
{
    char           path[STK_TRAIN_PATH + 16];
    struct stat    blocks;
    struct statvfs disk;
    snprintf(path, sizeof path, "%s/blocks", folder);
    *has = stat(path, &blocks) == 0 ? (uint64_t)blocks.st_size : 0;
    snprintf(path, sizeof path, "%s", folder);
    while (statvfs(path, &disk)) {
        char *slash = strrchr(path, '/');
        if (errno != ENOENT || !slash || slash == path)
            return stk_fail_errno(err, errno, "cache", folder, "look at the disk of");
        *slash = 0;
    }
    *left = (uint64_t)disk.f_bavail * disk.f_frsize;
    return STK_OK;
}

/* Limits the disk cache: partly read files occupy some more than their sizes. */
static stk_status bound_disk(stk_data_cache *c, const char *folder, stk_error *err)
{
    enum { SPARE = 64 << 20 };
    uint64_t has, left;
    STK_TRY(measure_disk(folder, &has, &left, err));
    const uint64_t more = c->choice.files > has ? c->choice.files - has : 0;
    if (more > left)
        return stk_fail(err, STK_E_LIMIT, "cache", folder,
                        "the files take %.1f MB more there, but the disk has %.1f MB left: name "
                        "another folder with data.cache_folder, or set data.cache: none",
                        (double)more / 1e6, (double)left / 1e6);
    c->choice.limit = has + c->choice.files + c->choice.files / 4 + SPARE;
    return STK_OK;
}

static stk_status find_folder(stk_data_cache *c, const stk_data_cache_options *o, stk_error *err)
{
    const char *own = o->recipe->data.cache_folder, *temporary = getenv("TMPDIR");
    c->lasting = *own;
    if (*own || o->folder) {
        snprintf(c->folder, sizeof c->folder, "%s", *own ? own : o->folder);
        return STK_OK;
    }
    snprintf(c->folder, sizeof c->folder, "%s/stoker-cache-XXXXXX", temporary ? temporary : "/tmp");
    return mkdtemp(c->folder) ? STK_OK
                              : stk_fail_errno(err, errno, "cache", c->folder, "make a folder");
}

static stk_status open_files(stk_data_cache *c, const stk_data_cache_options *o, stk_error *err)
{
    const bool disk = c->choice.kind == STK_CACHE_DISK;
    if (disk) STK_TRY(find_folder(c, o, err));
    stk_cached_files_options options = {.inner = stk_faults_files(o->faults),
                                        .folder = disk ? c->folder : NULL,
                                        .ledger = c->ledger,
                                        .log = o->log,
                                        .log_context = o->log_context};
    if (disk) STK_TRY(bound_disk(c, c->folder, err));
    options.limit = c->choice.limit - c->choice.images;
    return stk_cached_files_open(&c->files, &options, err);
}

/* A source reads through the filesystem it was opened with. */
static stk_status open_source(stk_data_cache *c, const stk_data_cache_options *o, stk_error *err)
{
    const char              *kind = o->recipe->data.kind;
    const bool               skip = o->recipe->data.on_bad_sample == STK_ON_BAD_SKIP;
    const stk_source_options options = {.kind = *kind ? kind : NULL,
                                        .skip_bad = skip,
                                        .follow_outside = o->recipe->data.follow_outside};
    if (!o->data->source || *o->recipe->data.pipeline) return STK_OK;
    return stk_source_open(&c->source, stk_cached_files_system(c->files), o->recipe->data.path,
                           &options, err);
}

static stk_status open_all(stk_data_cache *c, const stk_data_cache_options *o, stk_error *err)
{
    const bool injected = stk_faults_files(o->faults) != NULL;
    STK_TRY(stk_cache_choose(o->recipe, o->data, injected, &c->choice, err));
    if (c->choice.kind == STK_CACHE_NONE) return STK_OK;
    STK_TRY(stk_ledger_new(&c->ledger, stk_cache_ceiling(o->recipe), err));
    STK_TRY(stk_ledger_reserve(c->ledger, STK_MEMORY_CACHE, c->choice.images, err));
    c->reserved = c->choice.images;
    STK_TRY(open_files(c, o, err));
    return open_source(c, o, err);
}

stk_status stk_data_cache_open(stk_data_cache **out, const stk_data_cache_options *options,
                               stk_error *err)
{
    stk_data_cache *c = calloc(1, sizeof *c);
    *out = NULL;
    if (!c) return stk_fail(err, STK_E_NOMEM, "cache", NULL, "no memory for a cache");
    stk_status st = open_all(c, options, err);
    if (st)
        stk_data_cache_free(c);
    else
        *out = c;
    return st;
}

void stk_data_cache_free(stk_data_cache *cache)
{
    if (!cache) return;
    stk_dataset_unref(cache->prepared);
    stk_source_free(cache->source);
    if (cache->files && !cache->lasting) stk_cached_files_forget(cache->files);
    stk_cached_files_free(cache->files);
    stk_ledger_release(cache->ledger, STK_MEMORY_CACHE, cache->reserved);
    stk_ledger_unref(cache->ledger);
    free(cache);
}

stk_status stk_data_cache_save(stk_data_cache *cache, stk_error *err)
{
    return cache && cache->files ? stk_cached_files_save(cache->files, err) : STK_OK;
}

void stk_data_cache_keep(stk_data_cache *cache)
{
    if (cache) cache->lasting = true;
}

bool stk_data_cache_prepares(const stk_data_cache *cache)
{
    return cache && cache->choice.prepared;
}

/* Preprocessed validation images are cached themselves, so their files are not. */
const stk_filesystem *stk_data_cache_files(const stk_data_cache *cache, bool evaluate)
{
    if (!cache || !cache->files || (evaluate && cache->choice.prepared)) return NULL;
    return stk_cached_files_system(cache->files);
}

stk_status stk_data_cache_prepare(stk_data_cache *cache, stk_dataset **data, stk_error *err)
{
    STK_TRY(stk_dataset_cache(data, NULL, err));
    cache->prepared = stk_dataset_ref(*data);
    return STK_OK;
}
