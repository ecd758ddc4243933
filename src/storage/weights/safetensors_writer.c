/* Writing safetensors files in one pass: descriptions are gathered, the header is written when the
 * first data is asked for, and every byte after is counted against it. */
#include "base/arena.h"
#include "base/checked.h"
#include "base/crc32c.h"
#include "base/utf8.h"
#include "storage/weights/safetensors_format.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>

/* A tensor as added; number is its index in the order of adding. */
typedef struct entry {
    stk_safetensors_tensor tensor;
    size_t                 number;
} entry;

struct stk_safetensors_writer {
    stk_output *output;
    stk_arena   arena;   /* names and texts */
    stk_blob    entries; /* of entry; in the order of their data once started */
    stk_blob    texts;   /* of stk_safetensors_text_item */
    bool        started; /* the header is written */
    size_t      current; /* the entry whose data comes next */
    uint64_t    done;    /* bytes of it that are written */
    uint32_t    crc;     /* of those */
    stk_error   failure; /* status is not STK_OK after a failure, or when committed */
};

static entry *entries_of(const stk_safetensors_writer *writer)
{
    return (entry *)writer->entries.data;
}

static size_t count_of(const stk_safetensors_writer *writer)
{
    return writer->entries.size / sizeof(entry);
}

stk_status stk_safetensors_writer_open(stk_safetensors_writer **out, const stk_filesystem *fs,
                                       const char *path, stk_ledger *ledger, stk_error *err)
{
    *out = NULL;
    stk_safetensors_writer *writer = calloc(1, sizeof *writer);
    if (!writer) return stk_fail(err, STK_E_NOMEM, "safetensors", path, "no memory for a writer");
    stk_arena_init(&writer->arena, ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&writer->entries, ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&writer->texts, ledger, STK_MEMORY_OUTPUT);
    const stk_status st = stk_output_create(&writer->output, fs, path, err);
    if (st) {
        stk_safetensors_writer_free(writer);
        return st;
    }
    *out = writer;
    return STK_OK;
}

void stk_safetensors_writer_free(stk_safetensors_writer *writer)
{
    if (!writer) return;
    stk_output_close(writer->output);
    stk_blob_release(&writer->texts);
    stk_blob_release(&writer->entries);
    stk_arena_release(&writer->arena);
    free(writer);
}

/* Every public call runs inside these two, so that a file with a gap is never committed. The
 * failure itself is where the call fills it in, which also serves callers without an error. */
static stk_status check_usable(const stk_safetensors_writer *writer, stk_error *err)
{
    if (writer->failure.status && err) *err = writer->failure;
    return writer->failure.status;
}

static stk_status conclude(stk_safetensors_writer *writer, stk_status st, stk_error *err)
{
    if (st) writer->failure.status = st;
    return check_usable(writer, err);
}

static stk_status check_name(stk_safetensors_writer *writer, const char *what, const char *name)
{
    const size_t length = name ? strlen(name) : 0;
    for (size_t at = 0; at < length;) {
        const int bytes = stk_utf8_length((const uint8_t *)name + at, length - at);
        if (!bytes)
            return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                            "the %s '%s' is not UTF-8 from byte %zu on", what, name, at);
        at += (size_t)bytes;
    }
    if (name) return STK_OK;
    return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                    "a %s is missing", what);
}

static stk_status check_open(stk_safetensors_writer *writer, const char *what, const char *name)
{
    STK_TRY(check_name(writer, what, name));
    if (!writer->started) return STK_OK;
    return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                    "'%s' comes too late: the header is written already", name);
}

static stk_status copy_text(stk_safetensors_writer *writer, const char *text, const char **out)
{
    *out = stk_arena_text(&writer->arena, text, strlen(text), &writer->failure);
    return *out ? STK_OK : writer->failure.status;
}

static stk_status add_text(stk_safetensors_writer *writer, const char *key, const char *text)
{
    stk_safetensors_text_item        item;
    const stk_safetensors_text_item *there = (const stk_safetensors_text_item *)writer->texts.data;
    STK_TRY(check_open(writer, "text's key", key));
    STK_TRY(check_name(writer, "text", text));
    bool taken = !strcmp(key, STK_SAFETENSORS_CHECKSUMS);
    for (size_t i = 0; i < writer->texts.size / sizeof item; i++)
        taken = taken || !strcmp(there[i].key, key);
    if (taken)
        return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                        "there is a text '%s' already", key);
    STK_TRY(copy_text(writer, key, &item.key));
    STK_TRY(copy_text(writer, text, &item.text));
    return stk_blob_append(&writer->texts, &item, sizeof item, &writer->failure);
}

stk_status stk_safetensors_writer_text(stk_safetensors_writer *writer, const char *key,
                                       const char *text, stk_error *err)
{
    STK_TRY(check_usable(writer, err));
    return conclude(writer, add_text(writer, key, text), err);
}

static stk_status add_tensor(stk_safetensors_writer *writer, const char *name, stk_dtype dtype,
                             const stk_shape *shape, const uint32_t *crc32c)
{
    entry      added = {.number = count_of(writer)};
    stk_error *err = &writer->failure;
    STK_TRY(check_open(writer, "tensor's name", name));
    if (!strcmp(name, STK_SAFETENSORS_TEXTS))
        return stk_fail(err, STK_E_INVALID, "safetensors", writer->output->path,
                        "no tensor can be called " STK_SAFETENSORS_TEXTS);
    if (!stk_safetensors_dtype_name(dtype))
        return stk_fail(err, STK_E_TYPE, "safetensors", writer->output->path,
                        "tensor '%s' is of type %s, which the format has not", name,
                        stk_dtype_name(dtype));
    added.tensor = (stk_safetensors_tensor){.dtype = dtype, .shape = *shape};
    if (stk_safetensors_bytes(dtype, shape, &added.tensor.bytes, err))
        return stk_fail(err, STK_E_SHAPE, "safetensors", writer->output->path,
                        "tensor '%s' has a shape that makes no sense or more bytes than a file can "
                        "hold",
                        name);
    added.tensor.has_crc32c = crc32c != NULL;
    added.tensor.crc32c = crc32c ? *crc32c : 0;
    STK_TRY(copy_text(writer, name, &added.tensor.name));
    return stk_blob_append(&writer->entries, &added, sizeof added, err);
}

stk_status stk_safetensors_writer_add(stk_safetensors_writer *writer, const char *name,
                                      stk_dtype dtype, const stk_shape *shape,
                                      const uint32_t *crc32c, stk_error *err)
{
    STK_TRY(check_usable(writer, err));
    return conclude(writer, add_tensor(writer, name, dtype, shape, crc32c), err);
}

/* Larger elements first: then every tensor begins at a multiple of its element's size. */
static int compare_offsets(const void *a, const void *b)
{
    const entry *x = a, *y = b;
    const size_t x_bytes = stk_dtype_bytes(x->tensor.dtype);
    const size_t y_bytes = stk_dtype_bytes(y->tensor.dtype);
    if (x_bytes != y_bytes) return x_bytes > y_bytes ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->tensor.name, ((const entry *)b)->tensor.name);
}

static stk_status order_entries(stk_safetensors_writer *writer)
{
    entry       *entries = entries_of(writer);
    const size_t count = count_of(writer);
    int64_t      end = 0;
    if (!count) return STK_OK;
    qsort(entries, count, sizeof *entries, compare_names);
    for (size_t i = 1; i < count; i++)
        if (!compare_names(&entries[i - 1], &entries[i]))
            return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                            "two tensors are called '%s'", entries[i].tensor.name);
    qsort(entries, count, sizeof *entries, compare_offsets);
    for (size_t i = 0; i < count; i++) {
        entries[i].tensor.offset = (uint64_t)end; /* from the beginning of the data */
        if (stk_add_overflows_i64(end, (int64_t)entries[i].tensor.bytes, &end))
            return stk_fail(&writer->failure, STK_E_LIMIT, "safetensors", writer->output->path,
                            "the tensors up to '%s' have more bytes than a file can hold",
                            entries[i].tensor.name);
    }
    return STK_OK;
}

/* The text under STK_SAFETENSORS_CHECKSUMS; empty without any. */
static stk_status write_checksums(stk_safetensors_writer *writer, stk_blob *text)
{
    stk_json_writer json;
    size_t          checked = 0;
    stk_json_begin(&json, text, 0);
    stk_json_object(&json);
    for (size_t i = 0; i < count_of(writer); i++) {
        const stk_safetensors_tensor *t = &entries_of(writer)[i].tensor;
        char                          digits[STK_CRC32C_DIGITS + 1];
        if (!t->has_crc32c) continue;
        snprintf(digits, sizeof digits, "%08" PRIx32, t->crc32c);
        stk_json_pair_string(&json, t->name, digits);
        checked++;
    }
    stk_json_object_end(&json);
    STK_TRY(stk_json_end(&json, &writer->failure));
    if (!checked) text->size = 0;
    return STK_OK;
}

static void put_texts(const stk_safetensors_writer *writer, const stk_blob *checksums,
                      stk_json_writer *json)
{
    const stk_safetensors_text_item *texts = (const stk_safetensors_text_item *)writer->texts.data;
    const size_t                     count = writer->texts.size / sizeof *texts;
    if (!count && !checksums->size) return;
    stk_json_key(json, STK_SAFETENSORS_TEXTS);
    stk_json_object(json);
    for (size_t i = 0; i < count; i++)
        stk_json_pair_string(json, texts[i].key, texts[i].text);
    if (checksums->size) {
        stk_json_key(json, STK_SAFETENSORS_CHECKSUMS);
        stk_json_bytes(json, stk_blob_bytes(checksums));
    }
    stk_json_object_end(json);
}

static void put_tensor(const stk_safetensors_tensor *t, stk_json_writer *json)
{
    stk_json_key(json, t->name);
    stk_json_object(json);
    stk_json_pair_string(json, "dtype", stk_safetensors_dtype_name(t->dtype));
    stk_json_key(json, "shape");
    stk_json_array(json);
    for (int i = 0; i < t->shape.rank; i++)
        stk_json_int(json, t->shape.dim[i]);
    stk_json_array_end(json);
    stk_json_key(json, "data_offsets");
    stk_json_array(json);
    stk_json_uint(json, t->offset);
    stk_json_uint(json, t->offset + t->bytes);
    stk_json_array_end(json);
    stk_json_object_end(json);
}

/* After the reserved length field; padded with spaces to align the data. */
static stk_status make_header(stk_safetensors_writer *writer, const stk_blob *checksums,
                              stk_blob *header)
{
    static const char spaces[STK_SAFETENSORS_ALIGNMENT] = "        ";
    stk_json_writer   json;
    stk_error        *err = &writer->failure;
    STK_TRY(stk_blob_append(header, spaces, STK_SAFETENSORS_PREFIX, err));
    stk_json_begin(&json, header, 0);
    stk_json_object(&json);
    put_texts(writer, checksums, &json);
    for (size_t i = 0; i < count_of(writer); i++)
        put_tensor(&entries_of(writer)[i].tensor, &json);
    stk_json_object_end(&json);
    STK_TRY(stk_json_end(&json, err));
    STK_TRY(stk_blob_append(header, spaces, -header->size % STK_SAFETENSORS_ALIGNMENT, err));
    const size_t length = header->size - STK_SAFETENSORS_PREFIX;
    if (length > STK_SAFETENSORS_HEADER_MAX)
        return stk_fail(err, STK_E_LIMIT, "safetensors", writer->output->path,
                        "the header has %zu bytes, the format allows %d: write several files",
                        length, STK_SAFETENSORS_HEADER_MAX);
    for (int i = 0; i < STK_SAFETENSORS_PREFIX; i++)
        header->data[i] = (uint8_t)(length >> 8 * i);
    return STK_OK;
}

static stk_status begin(stk_safetensors_writer *writer)
{
    stk_blob header, checksums;
    if (writer->started) return STK_OK;
    STK_TRY(order_entries(writer));
    stk_blob_init(&header, writer->entries.ledger, STK_MEMORY_OUTPUT);
    stk_blob_init(&checksums, writer->entries.ledger, STK_MEMORY_OUTPUT);
    stk_status st = write_checksums(writer, &checksums);
    if (!st) st = make_header(writer, &checksums, &header);
    if (!st) st = stk_output_write(writer->output, header.data, header.size, &writer->failure);
    stk_blob_release(&checksums);
    stk_blob_release(&header);
    writer->started = true;
    return st;
}

/* Moves past the current tensor when it is complete, and past empty ones. */
static stk_status flush_complete(stk_safetensors_writer *writer)
{
    for (; writer->current < count_of(writer); writer->current++) {
        const stk_safetensors_tensor *t = &entries_of(writer)[writer->current].tensor;
        if (writer->done < t->bytes) return STK_OK;
        if (t->has_crc32c && t->crc32c != writer->crc)
            return stk_fail(&writer->failure, STK_E_DATALOSS, "safetensors", writer->output->path,
                            "the data of tensor '%s' has checksum %08" PRIx32
                            " but was announced with %08" PRIx32 ": it changed in between",
                            t->name, writer->crc, t->crc32c);
        writer->done = 0;
        writer->crc = 0;
    }
    return STK_OK;
}

static stk_status next(stk_safetensors_writer *writer, size_t *index)
{
    STK_TRY(begin(writer));
    STK_TRY(flush_complete(writer));
    const bool left = writer->current < count_of(writer);
    *index = left ? entries_of(writer)[writer->current].number : SIZE_MAX;
    return STK_OK;
}

stk_status stk_safetensors_writer_next(stk_safetensors_writer *writer, size_t *index,
                                       stk_error *err)
{
    *index = SIZE_MAX;
    STK_TRY(check_usable(writer, err));
    return conclude(writer, next(writer, index), err);
}

static stk_status write_part(stk_safetensors_writer *writer, stk_bytes part)
{
    size_t index;
    STK_TRY(next(writer, &index));
    if (!part.size) return STK_OK;
    if (index == SIZE_MAX)
        return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                        "%zu bytes come after the data of the last tensor", part.size);
    const stk_safetensors_tensor *t = &entries_of(writer)[writer->current].tensor;
    if (part.size > t->bytes - writer->done)
        return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                        "%zu bytes come for tensor '%s', which wants %" PRIu64, part.size, t->name,
                        t->bytes - writer->done);
    if (t->has_crc32c) writer->crc = stk_crc32c(writer->crc, part.data, part.size);
    STK_TRY(stk_output_write(writer->output, part.data, part.size, &writer->failure));
    writer->done += part.size;
    return flush_complete(writer);
}

stk_status stk_safetensors_writer_write(stk_safetensors_writer *writer, stk_bytes part,
                                        stk_error *err)
{
    STK_TRY(check_usable(writer, err));
    return conclude(writer, write_part(writer, part), err);
}

static stk_status commit(stk_safetensors_writer *writer)
{
    size_t index;
    STK_TRY(next(writer, &index));
    if (index != SIZE_MAX) {
        const stk_safetensors_tensor *t = &entries_of(writer)[writer->current].tensor;
        return stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                        "tensor '%s' has %" PRIu64 " of its %" PRIu64 " bytes", t->name,
                        writer->done, t->bytes);
    }
    return stk_output_commit(writer->output, &writer->failure);
}

stk_status stk_safetensors_writer_commit(stk_safetensors_writer *writer, stk_error *err)
{
    STK_TRY(check_usable(writer, err));
    STK_TRY(conclude(writer, commit(writer), err));
    (void)stk_fail(&writer->failure, STK_E_INVALID, "safetensors", writer->output->path,
                   "the file is committed already");
    return STK_OK;
}
