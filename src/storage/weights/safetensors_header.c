/* Parses the JSON header of a safetensors file. Everything is verified: the size of a tensor's type
 * and shape equals its range of offsets, and the ranges fill the data exactly. */
#include "storage/weights/safetensors_header.h"

#include "base/json_value.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS = 3 }; /* of a tensor: dtype, shape, data_offsets */

typedef struct parsing {
    stk_safetensors_header *header;
    const char             *path;
    uint64_t                data_offset, file_bytes;
    stk_error              *err;
} parsing;

void stk_safetensors_header_init(stk_safetensors_header *header, stk_ledger *ledger)
{
    *header = (stk_safetensors_header){0};
    stk_arena_init(&header->arena, ledger, STK_MEMORY_INDEX);
}

void stk_safetensors_header_release(stk_safetensors_header *header)
{
    stk_arena_release(&header->arena);
    stk_safetensors_header_init(header, header->arena.ledger);
}

/* Names are C strings from here on. */
static stk_status check_key(parsing *p, const stk_json_value *member)
{
    if (!memchr(member->key, 0, member->key_size)) return STK_OK;
    return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                    "a name that begins with '%s' has a zero byte in it", member->key);
}

static stk_status copy_text(parsing *p, const char *text, size_t length, const char **out)
{
    *out = stk_arena_text(&p->header->arena, text, length, p->err);
    return *out ? STK_OK : p->err->status;
}

static stk_status read_shape(parsing *p, const stk_json_value *list, stk_safetensors_tensor *t)
{
    const size_t rank = stk_json_count(list);
    if (stk_json_type_of(list) != STK_JSON_ARRAY)
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        "tensor '%s' has no list of dimensions as its shape", t->name);
    if (rank > STK_MAX_RANK)
        return stk_fail(p->err, STK_E_UNSUPPORTED, "safetensors", p->path,
                        "tensor '%s' has %zu dimensions; %d are the most that are read", t->name,
                        rank, STK_MAX_RANK);
    t->shape.rank = (int)rank;
    for (size_t i = 0; i < rank; i++) {
        const stk_json_value *dimension = stk_json_at(list, i);
        t->shape.dim[i] = -1;
        if (stk_json_type_of(dimension) == STK_JSON_NUMBER)
            t->shape.dim[i] = stk_json_integer(dimension, -1);
        if (t->shape.dim[i] < 0)
            return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                            "dimension %zu of tensor '%s' is not a whole number of 0 or more", i,
                            t->name);
    }
    return STK_OK;
}

static stk_status read_dtype(parsing *p, const stk_json_value *value, stk_safetensors_tensor *t)
{
    const char *name = stk_json_text(value, NULL);
    if (!name)
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        "tensor '%s' has no text as its dtype", t->name);
    t->dtype = stk_safetensors_dtype(name);
    if (t->dtype != STK_DTYPE_NONE) return STK_OK;
    return stk_fail(p->err, STK_E_UNSUPPORTED, "safetensors", p->path,
                    "tensor '%s' is of type '%.20s'; BOOL U8 I8 I32 I64 F16 BF16 F32 F64 are read",
                    t->name, name);
}

static int64_t offset_of(const stk_json_value *list, size_t index)
{
    const stk_json_value *value = stk_json_at(list, index);
    return stk_json_type_of(value) == STK_JSON_NUMBER ? stk_json_integer(value, -1) : -1;
}

/* Offsets in the header are relative to the data; a tensor stores its offset in the file. */
static stk_status read_offsets(parsing *p, const stk_json_value *list, stk_safetensors_tensor *t)
{
    const int64_t  begin = offset_of(list, 0), end = offset_of(list, 1);
    const uint64_t there = p->file_bytes - p->data_offset;
    uint64_t       bytes;
    char           shape[128];
    if (stk_json_count(list) != 2 || begin < 0 || end < begin)
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        "data_offsets of tensor '%s' are not two numbers, the second the larger",
                        t->name);
    if (stk_safetensors_bytes(t->dtype, &t->shape, &bytes, p->err) ||
        bytes != (uint64_t)(end - begin))
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        "tensor '%s' has bytes %" PRId64 " to %" PRId64
                        " of the data, which is not the size of %s %s",
                        t->name, begin, end, stk_dtype_name(t->dtype),
                        stk_shape_text(&t->shape, shape, sizeof shape));
    if ((uint64_t)end > there)
        return stk_fail(p->err, STK_E_DATALOSS, "safetensors", p->path,
                        "tensor '%s' ends at byte %" PRId64
                        " of the data, but the file has %" PRIu64 " of them: it is cut off",
                        t->name, end, there);
    t->bytes = bytes;
    t->offset = p->data_offset + (uint64_t)begin;
    return STK_OK;
}

static stk_status read_tensor(parsing *p, const stk_json_value *member, stk_safetensors_tensor *t)
{
    const stk_json_value *dtype = stk_json_get(member, "dtype");
    const stk_json_value *shape = stk_json_get(member, "shape");
    const stk_json_value *offsets = stk_json_get(member, "data_offsets");
    *t = (stk_safetensors_tensor){0};
    STK_TRY(check_key(p, member));
    STK_TRY(copy_text(p, member->key, member->key_size, &t->name));
    if (stk_json_count(member) != FIELDS || !dtype || !shape || !offsets)
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        "tensor '%s' is not described by dtype, shape and data_offsets alone",
                        t->name);
    STK_TRY(read_dtype(p, dtype, t));
    STK_TRY(read_shape(p, shape, t));
    return read_offsets(p, offsets, t);
}

static stk_status read_texts(parsing *p, const stk_json_value *map)
{
    stk_safetensors_header *header = p->header;
    const size_t            count = stk_json_count(map);
    if (stk_json_type_of(map) != STK_JSON_OBJECT)
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        STK_SAFETENSORS_TEXTS " is not a map of texts");
    if (header->texts)
        return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                        STK_SAFETENSORS_TEXTS " is there twice");
    header->texts = stk_arena_array(&header->arena, count, sizeof *header->texts, p->err);
    if (!header->texts) return p->err->status;
    for (size_t i = 0; i < count; i++) {
        const stk_json_value *member = stk_json_at(map, i);
        STK_TRY(check_key(p, member));
        if (stk_json_type_of(member) != STK_JSON_STRING || memchr(member->text, 0, member->count))
            return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                            STK_SAFETENSORS_TEXTS ": '%s' is not a text", member->key);
        STK_TRY(copy_text(p, member->key, member->key_size, &header->texts[i].key));
        STK_TRY(copy_text(p, member->text, member->count, &header->texts[i].text));
        header->text_count = i + 1;
    }
    return STK_OK;
}

static stk_status read_members(parsing *p, const stk_json_value *root)
{
    stk_safetensors_header *header = p->header;
    const size_t            count = stk_json_count(root);
    header->tensors = stk_arena_array(&header->arena, count, sizeof *header->tensors, p->err);
    header->by_name = stk_arena_array(&header->arena, count, sizeof *header->by_name, p->err);
    if (!header->tensors || !header->by_name) return p->err->status;
    for (size_t i = 0; i < count; i++) {
        const stk_json_value *member = stk_json_at(root, i);
        if (!strcmp(member->key, STK_SAFETENSORS_TEXTS))
            STK_TRY(read_texts(p, member));
        else
            STK_TRY(read_tensor(p, member, &header->tensors[header->count++]));
    }
    return STK_OK;
}

/* An empty tensor stands before the one that begins where it does. */
static int compare_offsets(const void *a, const void *b)
{
    const stk_safetensors_tensor *x = a, *y = b;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? -1 : 1;
    return strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp((*(const stk_safetensors_tensor *const *)a)->name,
                  (*(const stk_safetensors_tensor *const *)b)->name);
}

static stk_status sort_offsets(parsing *p)
{
    stk_safetensors_header *header = p->header;
    uint64_t                end = p->data_offset;
    qsort(header->tensors, header->count, sizeof *header->tensors, compare_offsets);
    for (size_t i = 0; i < header->count; i++) {
        const stk_safetensors_tensor *t = &header->tensors[i];
        if (t->offset != end)
            return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                            "tensor '%s' begins at byte %" PRIu64 " of the data, but %s%s%s "
                            "at %" PRIu64 ": %s",
                            t->name, t->offset - p->data_offset, i ? "'" : "",
                            i ? t[-1].name : "the data", i ? "' ends" : " begins",
                            end - p->data_offset, t->offset < end ? "they overlap" : "a hole");
        end += t->bytes;
    }
    if (end == p->file_bytes) return STK_OK;
    return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                    "the last tensor ends at byte %" PRIu64 " of the file, which has %" PRIu64
                    ": what follows belongs to none",
                    end, p->file_bytes);
}

static stk_status sort_names(parsing *p)
{
    stk_safetensors_header *header = p->header;
    for (size_t i = 0; i < header->count; i++)
        header->by_name[i] = &header->tensors[i];
    qsort(header->by_name, header->count, sizeof *header->by_name, compare_names);
    for (size_t i = 1; i < header->count; i++)
        if (!strcmp(header->by_name[i - 1]->name, header->by_name[i]->name))
            return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                            "two tensors are called '%s'", header->by_name[i]->name);
    return STK_OK;
}

const stk_safetensors_tensor *stk_safetensors_header_find(const stk_safetensors_header *header,
                                                          const char                   *name)
{
    const stk_safetensors_tensor         wanted = {.name = name}, *key = &wanted;
    const stk_safetensors_tensor *const *found =
        bsearch(&key, header->by_name, header->count, sizeof *header->by_name, compare_names);
    return found ? *found : NULL;
}

static bool read_hex(const char *text, uint32_t *value)
{
    *value = 0;
    if (!text || strlen(text) != STK_CRC32C_DIGITS ||
        strspn(text, "0123456789abcdef") != STK_CRC32C_DIGITS)
        return false;
    *value = (uint32_t)strtoul(text, NULL, 16);
    return true;
}

static stk_status take_checksums(parsing *p, const stk_json_value *map)
{
    for (size_t i = 0; i < stk_json_count(map); i++) {
        const char *name = stk_json_key_at(map, i);
        uint32_t    crc;
        if (!read_hex(stk_json_text(stk_json_at(map, i), NULL), &crc))
            return stk_fail(p->err, STK_E_FORMAT, "safetensors", p->path,
                            STK_SAFETENSORS_CHECKSUMS ": that of '%s' is not 8 hexadecimal digits",
                            name);
        const stk_safetensors_tensor *found = stk_safetensors_header_find(p->header, name);
        /* A tensor that is there no more was left out by another program, on purpose. */
        if (!found) continue;
        stk_safetensors_tensor *t = &p->header->tensors[found - p->header->tensors];
        t->has_crc32c = true;
        t->crc32c = crc;
    }
    return STK_OK;
}

static stk_status read_checksums(parsing *p)
{
    const char *text = NULL;
    for (size_t i = 0; i < p->header->text_count; i++)
        if (!strcmp(p->header->texts[i].key, STK_SAFETENSORS_CHECKSUMS))
            text = p->header->texts[i].text;
    if (!text) return STK_OK;
    stk_json_document *doc;
    STK_TRY(stk_json_parse(&doc, stk_bytes_text(text), p->path, p->err));
    const stk_status st = take_checksums(p, stk_json_root(doc));
    stk_json_document_free(doc);
    return st;
}

stk_status stk_safetensors_header_parse(stk_safetensors_header *header, stk_bytes text,
                                        uint64_t data_offset, uint64_t file_bytes,
                                        bool skip_checksums, const char *path, stk_error *err)
{
    parsing            p = {header, path, data_offset, file_bytes, err};
    stk_json_document *doc;
    if (!text.size || text.data[0] != '{')
        return stk_fail(err, STK_E_FORMAT, "safetensors", path,
                        "the header does not begin with '{': this is no safetensors file");
    STK_TRY(stk_json_parse(&doc, text, path, err));
    stk_status st = read_members(&p, stk_json_root(doc));
    stk_json_document_free(doc);
    if (!st) st = sort_offsets(&p);
    if (!st) st = sort_names(&p);
    if (!st && !skip_checksums) st = read_checksums(&p);
    return st;
}
