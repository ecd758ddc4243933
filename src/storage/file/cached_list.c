/* The list beside blocks on a disk: written when they are durable, by rename, so that it speaks of
 * nothing that is not there. */
#include "storage/file/cached_table.h"

#include "base/crc32c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VERSION = 1, CRC_BYTES = 4, NUMBER_BYTES = 8, PATH_BYTES_MAX = 8192 };

static const char magic[] = "STKC";

static void name_list(const char *folder, char path[PATH_BYTES_MAX])
{
    snprintf(path, PATH_BYTES_MAX, "%s/list", folder);
}

static stk_status put_number(stk_blob *out, uint64_t number, stk_error *err)
{
    uint8_t bytes[NUMBER_BYTES];
    for (int i = 0; i < NUMBER_BYTES; i++)
        bytes[i] = (uint8_t)(number >> (8 * i));
    return stk_blob_append(out, bytes, sizeof bytes, err);
}

/* A missing block has offset 0; a present one its own plus one. */
static stk_status put_entry(stk_blob *out, const stk_cached_entry *entry, stk_error *err)
{
    const size_t length = strlen(entry->path);
    STK_TRY(put_number(out, length, err));
    STK_TRY(stk_blob_append(out, entry->path, length, err));
    STK_TRY(put_number(out, entry->info.bytes, err));
    STK_TRY(put_number(out, (uint64_t)entry->info.modified_ns, err));
    for (size_t i = 0; i < entry->count; i++) {
        const stk_cached_block *block = &entry->blocks[i];
        const bool              there = block->state == STK_CACHED_THERE;
        STK_TRY(put_number(out, there ? block->at + 1 : 0, err));
        STK_TRY(put_number(out, there ? block->crc : 0, err));
    }
    return STK_OK;
}

stk_status stk_cached_list_encode(const stk_cached_table *table, stk_blob *out, stk_error *err)
{
    uint64_t count = 0;
    STK_TRY(stk_blob_append(out, magic, sizeof magic - 1, err));
    STK_TRY(put_number(out, VERSION, err));
    for (size_t i = 0; i < table->capacity; i++)
        for (const stk_cached_entry *one = table->buckets[i]; one; one = one->next)
            count += one->timed;
    STK_TRY(put_number(out, count, err));
    for (size_t i = 0; i < table->capacity; i++)
        for (const stk_cached_entry *one = table->buckets[i]; one; one = one->next)
            if (one->timed) STK_TRY(put_entry(out, one, err));
    const uint32_t crc = stk_crc32c(0, out->data, out->size);
    return put_number(out, crc, err);
}

static stk_status write_file(const char *path, const stk_blob *content, stk_error *err)
{
    stk_output *out;
    STK_TRY(stk_output_create(&out, NULL, path, err));
    stk_status st = stk_output_write(out, content->data, content->size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

stk_status stk_cached_list_write(const stk_cached_table *table, const char *folder, stk_error *err)
{
    char     path[PATH_BYTES_MAX];
    stk_blob content;
    stk_blob_init(&content, table->ledger, STK_MEMORY_OUTPUT);
    name_list(folder, path);
    stk_status st = stk_cached_list_encode(table, &content, err);
    if (!st) st = write_file(path, &content, err);
    stk_blob_release(&content);
    return st;
}

typedef struct reading {
    stk_bytes left;
    bool      short_of; /* there was less than was asked for */
} reading;

static const uint8_t *take(reading *r, uint64_t size)
{
    if (r->short_of || size > r->left.size) {
        r->short_of = true;
        return NULL;
    }
    const uint8_t *at = r->left.data;
    r->left = stk_bytes_of(at + size, r->left.size - (size_t)size);
    return at;
}

static uint64_t take_number(reading *r)
{
    const uint8_t *at = take(r, NUMBER_BYTES);
    uint64_t       number = 0;
    for (int i = 0; at && i < NUMBER_BYTES; i++)
        number |= (uint64_t)at[i] << (8 * i);
    return number;
}

/* False where it would lie behind the largest file there can be. */
static bool take_block(reading *r, stk_cached_entry *entry, size_t index, uint64_t *used)
{
    const uint64_t offset = take_number(r), crc = take_number(r);
    const uint64_t end = offset - 1 + stk_cached_block_bytes(entry, index);
    if (!offset || r->short_of) return !r->short_of;
    if (offset > INT64_MAX || end > INT64_MAX) return false;
    entry->blocks[index] =
        (stk_cached_block){.at = offset - 1, .crc = (uint32_t)crc, .state = STK_CACHED_THERE};
    if (end > *used) *used = end;
    return true;
}

/* False where the list is wrong or memory is short. */
static bool take_entry(reading *r, stk_cached_table *table, char path[PATH_BYTES_MAX],
                       uint64_t *used)
{
    const uint64_t length = take_number(r);
    const uint8_t *name = length < PATH_BYTES_MAX ? take(r, length) : NULL;
    stk_file_info  info = {.kind = STK_FILE_REGULAR};
    if (!name || memchr(name, 0, (size_t)length)) return false;
    memcpy(path, name, (size_t)length);
    path[length] = 0;
    info.bytes = take_number(r);
    info.modified_ns = (int64_t)take_number(r);
    /* A block takes two numbers here: a size that is forged must not allocate. */
    if (r->short_of || info.bytes / STK_CACHED_BLOCK > r->left.size / (2 * NUMBER_BYTES))
        return false;
    stk_cached_entry *entry = stk_cached_table_add(table, path, &info);
    if (!entry) return false;
    entry->timed = true;
    for (size_t i = 0; i < entry->count; i++)
        if (!take_block(r, entry, i, used)) return false;
    return true;
}

static bool take_all(stk_cached_table *table, stk_bytes content, uint64_t *used)
{
    char    path[PATH_BYTES_MAX];
    reading r = {.left = content};
    if (content.size < sizeof magic - 1 + 3 * NUMBER_BYTES) return false;
    const size_t   body = content.size - NUMBER_BYTES;
    reading        end = {.left = stk_bytes_of(content.data + body, NUMBER_BYTES)};
    const uint8_t *begin = take(&r, sizeof magic - 1);
    if (memcmp(begin, magic, sizeof magic - 1) != 0) return false;
    if (take_number(&end) != stk_crc32c(0, content.data, body)) return false;
    if (take_number(&r) != VERSION) return false;
    for (uint64_t left = take_number(&r); left; left--)
        if (!take_entry(&r, table, path, used)) return false;
    return r.left.size == NUMBER_BYTES;
}

bool stk_cached_list_decode(stk_cached_table *table, stk_bytes content, uint64_t *used)
{
    *used = 0;
    if (take_all(table, content, used)) return true;
    stk_cached_table_release(table);
    *used = 0;
    return false;
}

stk_status stk_cached_list_read(stk_cached_table *table, const char *folder, uint64_t *used,
                                stk_error *err)
{
    char          path[PATH_BYTES_MAX];
    stk_file_info info;
    stk_blob      content;
    *used = 0;
    name_list(folder, path);
    STK_TRY(stk_path_info(NULL, path, &info, err));
    /* A device has no end. */
    if (info.kind != STK_FILE_REGULAR)
        return stk_fail(err, STK_E_DATALOSS, "cache", path, "it is no file");
    stk_blob_init(&content, table->ledger, STK_MEMORY_OUTPUT);
    stk_status st = stk_file_read_all(NULL, path, info.bytes, info.bytes, &content, err);
    if (!st && !stk_cached_list_decode(table, stk_blob_bytes(&content), used))
        st = stk_fail(err, STK_E_DATALOSS, "cache", path, "the list of what is kept is damaged");
    stk_blob_release(&content);
    return st;
}

void stk_cached_list_remove(const char *folder)
{
    char path[PATH_BYTES_MAX];
    name_list(folder, path);
    (void)!remove(path);
}
