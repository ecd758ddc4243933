/* Open record files. The lock is held while a file is opened (a short read, as its index is stored
 * beside it), never while a record is read. */
#include "pipeline/support/record_files.h"

#include <pthread.h>
#include <stdlib.h>

enum { OPEN_MAX = 128 }; /* files; processes often may open 1024 */

typedef struct entry {
    stk_record_file *file;  /* NULL: not open */
    int              users; /* reads in flight */
    uint64_t         used;  /* when, in reads */
    uint64_t         first; /* number of its first record; never changes */
} entry;

struct stk_record_files {
    const stk_filesystem *fs;
    stk_file_list         list; /* the names are the caller's */
    stk_tfrecord_options  options;
    pthread_mutex_t       lock;    /* of the entries, open and clock */
    entry                *entries; /* one per file, and one past them that holds the count */
    int                   open;
    uint64_t              clock;
};

/* The lock is held. Closes the one that was not used for longest, if any is not in use. */
static void close_oldest(stk_record_files *files)
{
    entry *oldest = NULL;
    for (size_t i = 0; i < files->list.count; i++) {
        entry *one = &files->entries[i];
        if (one->file && !one->users && (!oldest || one->used < oldest->used)) oldest = one;
    }
    if (!oldest) return;
    stk_record_file_free(oldest->file);
    oldest->file = NULL;
    files->open--;
}

/* The lock is held. */
static stk_status open_entry(stk_record_files *files, size_t index, stk_error *err)
{
    entry *one = &files->entries[index];
    if (one->file) return STK_OK;
    if (files->open >= OPEN_MAX) close_oldest(files);
    STK_TRY(stk_record_file_open(&one->file, files->fs, files->list.paths[index], &files->options,
                                 err));
    files->open++;
    return STK_OK;
}

static stk_status count_records(stk_record_files *files, stk_error *err)
{
    uint64_t count = 0;
    for (size_t i = 0; i < files->list.count; i++) {
        STK_TRY(open_entry(files, i, err));
        files->entries[i].first = count;
        files->entries[i].used = ++files->clock;
        count += stk_record_index_count(stk_record_file_index(files->entries[i].file));
    }
    files->entries[files->list.count].first = count;
    return STK_OK;
}

stk_status stk_record_files_open(stk_record_files **out, const stk_filesystem *fs,
                                 const stk_file_list *list, const stk_tfrecord_options *options,
                                 stk_error *err)
{
    *out = NULL;
    stk_record_files *files = calloc(1, sizeof *files);
    if (files) files->entries = calloc(list->count + 1, sizeof *files->entries);
    if (!files || !files->entries) {
        free(files);
        return stk_fail(err, STK_E_NOMEM, "tfrecord_indexed", NULL, "no memory for %zu files",
                        list->count);
    }
    files->fs = fs;
    files->list = *list;
    files->options = *options;
    pthread_mutex_init(&files->lock, NULL);
    stk_status st = count_records(files, err);
    if (st)
        stk_record_files_free(files);
    else
        *out = files;
    return st;
}

void stk_record_files_free(stk_record_files *files)
{
    if (!files) return;
    for (size_t i = 0; i < files->list.count; i++)
        stk_record_file_free(files->entries[i].file);
    pthread_mutex_destroy(&files->lock);
    free(files->entries);
    free(files);
}

uint64_t stk_record_files_count(const stk_record_files *files)
{
    return files->entries[files->list.count].first;
}

/* The last file whose first record is not after number: empty files before it are passed by. */
static size_t find_file(const stk_record_files *files, uint64_t number)
{
    size_t low = 0, high = files->list.count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (files->entries[middle].first <= number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

stk_status stk_record_files_read(stk_record_files *files, uint64_t number, size_t *file,
                                 stk_blob *scratch, stk_record *record, stk_error *err)
{
    *file = find_file(files, number);
    entry *one = &files->entries[*file];
    pthread_mutex_lock(&files->lock);
    stk_status st = open_entry(files, *file, err);
    if (!st) {
        one->users++;
        one->used = ++files->clock;
    }
    pthread_mutex_unlock(&files->lock);
    if (st) return st;
    st = stk_record_file_read(one->file, number - one->first, scratch, record, err);
    pthread_mutex_lock(&files->lock);
    one->users--;
    pthread_mutex_unlock(&files->lock);
    return st;
}
