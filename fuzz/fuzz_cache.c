/* The bytes of a cache on disk: the list of chunks, and a chunk. Framed soundly, as any file with
 * wrong checksums ends at the record reader. First byte: which of the two is made of the rest. */
#include "memory_filesystem.h"
#include "pipeline/support/chunk_file.h"

#include <stdio.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CEILING = 64 << 20, FINGERPRINT = 7, CONTENT = 5, TOKEN = 9, MOST_RECORDS = 64 };

/* A folder of two files. */
typedef struct folder {
    stk_filesystem    fs; /* first */
    memory_filesystem list, chunk;
} folder;

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

static const stk_filesystem *file_of(const stk_filesystem *fs, const char *path)
{
    const folder *f = (const folder *)fs;
    return strcmp(path, f->list.path) == 0 ? &f->list.fs : &f->chunk.fs;
}

static stk_status folder_open(const stk_filesystem *fs, const char *path, stk_access access,
                              stk_file **out, stk_error *err)
{
    const stk_filesystem *inner = file_of(fs, path);
    return inner->ops->open(inner, path, access, out, err);
}

static stk_status folder_info(const stk_filesystem *fs, const char *path, stk_file_info *info,
                              stk_error *err)
{
    const stk_filesystem *inner = file_of(fs, path);
    return inner->ops->info(inner, path, info, err);
}

/* Records as the input has them, each with its length before it (two bytes), framed anew. */
static void frame(stk_blob *out, stk_bytes bytes)
{
    stk_error err;
    for (int i = 0; i < MOST_RECORDS && bytes.size >= 2; i++) {
        size_t size = (size_t)bytes.data[0] | (size_t)bytes.data[1] << 8;
        bytes = stk_bytes_of(bytes.data + 2, bytes.size - 2);
        if (size > bytes.size) size = bytes.size;
        demand(!stk_tfrecord_frame(out, stk_bytes_of(bytes.data, size), &err));
        bytes = stk_bytes_of(bytes.data + size, bytes.size - size);
    }
}

/* A list of one chunk of count elements. */
static void sound_list(stk_blob *out, uint64_t count)
{
    stk_error      err;
    stk_blob       record;
    stk_chunk_list list = {
        .fingerprint = FINGERPRINT, .content = CONTENT, .token = TOKEN, .chunks = 1};
    stk_blob_init(&list.counts, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&record, NULL, STK_MEMORY_INDEX);
    demand(!stk_blob_append(&list.counts, &count, sizeof count, &err));
    demand(!stk_chunk_list_encode(&list, &record, &err));
    demand(!stk_tfrecord_frame(out, stk_blob_bytes(&record), &err));
    stk_blob_release(&list.counts);
    stk_blob_release(&record);
}

/* Reads all, over all damage. */
static void read_all(const stk_chunk_location *place, uint64_t skip)
{
    stk_error              err;
    stk_chunk_reader      *reader;
    stk_materialized_epoch pass;
    stk_element           *element;
    uint64_t               skipped;
    if (stk_chunk_reader_open(&reader, place, &pass, &err)) {
        demand(!reader && err.message[0] && err.where[0]);
        return;
    }
    if (!reader) return;
    if (skip && stk_chunk_reader_skip(reader, skip, &skipped, &err)) skipped = 0;
    for (int i = 0; i < 10000; i++) {
        const stk_status st = stk_chunk_reader_next(reader, &element, &err);
        if (st) demand(!element && err.message[0]);
        if (!st && !element) break;
        stk_element_unref(element);
    }
    stk_chunk_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    static const stk_filesystem_ops ops = {.open = folder_open, .info = folder_info};
    stk_error                       err;
    stk_ledger                     *ledger;
    stk_ledger_report               report;
    char                            name[STK_CHUNK_NAME], path[STK_CHUNK_NAME + 8];
    stk_blob                        list, chunk;
    stk_blob_init(&list, NULL, STK_MEMORY_INDEX);
    stk_blob_init(&chunk, NULL, STK_MEMORY_INDEX);
    const stk_bytes rest = stk_bytes_of(data + 1, size - 1);
    if (data[0] & 1)
        frame(&list, rest);
    else
        sound_list(&list, data[0] >> 2);
    if (data[0] & 2)
        demand(!stk_blob_append(&chunk, rest.data, rest.size, &err)); /* damaged frames too */
    else
        frame(&chunk, rest);
    snprintf(path, sizeof path, "d/%s", stk_chunk_name(name, TOKEN, 0));
    const folder f = {.fs = {&ops, "folder"},
                      .list = memory_filesystem_of("d/complete", stk_blob_bytes(&list)),
                      .chunk = memory_filesystem_of(path, stk_blob_bytes(&chunk))};
    demand(!stk_ledger_new(&ledger, CEILING, &err));
    const stk_chunk_location place = {.component = "cache",
                                      .directory = "d",
                                      .fs = &f.fs,
                                      .fingerprint = FINGERPRINT,
                                      .content = CONTENT,
                                      .ledger = ledger};
    read_all(&place, 0);
    read_all(&place, data[0] >> 3);
    stk_ledger_read(ledger, &report);
    demand(report.bytes == 0);
    stk_ledger_unref(ledger);
    stk_blob_release(&list);
    stk_blob_release(&chunk);
    return 0;
}
