/* File locations inside descriptions. Results do not depend on them: moved or copied data has the
 * same order and random numbers, and continues from the same checkpoint. So a location is enclosed
 * in marks and excluded from hashes. */
#include "base/hash.h"
#include "pipeline/plan/operator.h"

#include <inttypes.h>

/* Separators of units and records: no description has one otherwise. */
enum { MARK = 0x1f, NAMES = 0x1e };

stk_status stk_describe_location(stk_blob *out, const char *path, stk_error *err)
{
    const char mark = MARK;
    STK_TRY(stk_blob_append(out, &mark, 1, err));
    for (const char *at = path; *at; at++)
        STK_TRY(stk_blob_append(out, *at == MARK || *at == NAMES ? "?" : at, 1, err));
    return stk_blob_append(out, &mark, 1, err);
}

stk_status stk_describe_names(stk_blob *out, uint64_t names, stk_error *err)
{
    return stk_describe(out, err, "%c, names %016" PRIx64 "%c", NAMES, names, NAMES);
}

/* Stretches between two marks go. */
static uint64_t take(stk_blob *text, uint8_t mark)
{
    uint64_t hash = 0;
    size_t   kept = 0;
    for (size_t i = 0; i < text->size; i++) {
        if (text->data[i] != mark) {
            text->data[kept++] = text->data[i];
            continue;
        }
        const uint8_t *first = text->data + i + 1;
        const uint8_t *last = memchr(first, mark, text->size - i - 1);
        const size_t   length = last ? (size_t)(last - first) : text->size - i - 1;
        hash = stk_hash64(stk_hash64_number(hash + 1, length), first, length);
        i += length + 1;
    }
    text->size = kept;
    return hash;
}

uint64_t stk_describe_take_locations(stk_blob *text)
{
    return take(text, MARK);
}

uint64_t stk_describe_take_names(stk_blob *text)
{
    return take(text, NAMES);
}

/* Marks are removed for display. */
static void remove_marks(stk_blob *text, size_t from)
{
    size_t kept = from;
    for (size_t i = from; i < text->size; i++)
        if (text->data[i] != MARK && text->data[i] != NAMES) text->data[kept++] = text->data[i];
    text->size = kept;
}

stk_status stk_describe_stage(const stk_dataset *data, bool brief, stk_blob *out, stk_error *err)
{
    const stk_operator *op = data->op;
    const size_t        from = out->size;
    if (!op->describe) return STK_OK;
    const stk_status st =
        brief && op->brief ? op->brief(data, out, err) : op->describe(data, out, err);
    remove_marks(out, from);
    return st;
}

static stk_status mix_content(const stk_dataset *data, stk_content *content, stk_error *err)
{
    if (data->op->content)
        STK_TRY(data->op->content(data, content, err));
    else if (data->locations_hash)
        content->hash = stk_hash64_number(content->hash, data->locations_hash);
    for (size_t i = 0; i < data->input_count; i++)
        STK_TRY(mix_content(data->inputs[i], content, err));
    return STK_OK;
}

stk_status stk_dataset_content(const stk_dataset *data, uint64_t *out, stk_error *err)
{
    stk_content content = {.hash = data->fingerprint};
    *out = 0;
    STK_TRY(mix_content(data, &content, err));
    if (!content.incomplete) *out = content.hash | 1;
    return STK_OK;
}
