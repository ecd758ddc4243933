/* Checks and copies the wanted features. */
#include "storage/example/example_parser.h"

#include "base/checked.h"
#include "storage/example/example_text.h"

#include <stdlib.h>

/* The status of a failed arena allocation, which has filled err. */
static stk_status no_memory(const stk_error *err)
{
    return err ? err->status : STK_E_NOMEM;
}

static stk_status check_dtype(const stk_feature_spec *spec, stk_error *err)
{
    if (spec->dtype == STK_DTYPE_I64 || spec->dtype == STK_DTYPE_F32 ||
        spec->dtype == STK_DTYPE_BYTES)
        return STK_OK;
    return stk_fail(err, STK_E_TYPE, "parse", spec->name,
                    "an Example holds int64, float32 and bytes, not %s",
                    stk_dtype_name(spec->dtype));
}

/* The batch dimension (and the padded one) must fit beside the feature's own. */
static stk_status check_shape(const stk_feature_spec *spec, stk_example_feature *feature,
                              stk_error *err)
{
    feature->stride = 1;
    if (spec->kind == STK_FEATURE_VARLEN) return STK_OK;
    const int before = spec->kind == STK_FEATURE_DENSE_PADDED ? 2 : 1;
    int64_t   count;
    stk_error reason;
    if (stk_shape_count(&spec->shape, &count, &reason))
        return stk_fail(err, STK_E_SHAPE, "parse", spec->name, "%s", reason.message);
    if (spec->shape.rank + before > STK_MAX_RANK)
        return stk_fail(err, STK_E_SHAPE, "parse", spec->name,
                        "rank %d and %d leading dimensions of the batch pass the most, %d",
                        spec->shape.rank, before, STK_MAX_RANK);
    if (!count && spec->kind == STK_FEATURE_DENSE_PADDED)
        return stk_fail(err, STK_E_SHAPE, "parse", spec->name,
                        "a row of 0 values: the number of rows cannot be told");
    feature->shape = spec->shape;
    feature->stride = (size_t)count;
    return STK_OK;
}

static stk_status check_default(const stk_feature_spec *spec, const stk_example_feature *feature,
                                stk_error *err)
{
    if (!spec->has_default) return STK_OK;
    if (spec->kind == STK_FEATURE_VARLEN)
        return stk_fail(err, STK_E_INVALID, "parse", spec->name,
                        "a feature of varying length has no default: a missing one is empty");
    const size_t unit = spec->kind == STK_FEATURE_DENSE ? feature->stride : 1;
    if (spec->default_count != unit && spec->default_count != 1)
        return stk_fail(err, STK_E_SHAPE, "parse", spec->name,
                        "the default has %zu values, expected %zu or 1", spec->default_count, unit);
    if (spec->default_count && !spec->default_value)
        return stk_fail(err, STK_E_INVALID, "parse", spec->name,
                        "the default's %zu values are missing", spec->default_count);
    return STK_OK;
}

/* One value of a default. Byte strings are copied too, so that the caller's may go. */
static stk_status copy_value(stk_arena *arena, stk_dtype dtype, const void *src, void *dst,
                             stk_error *err)
{
    if (dtype != STK_DTYPE_BYTES) {
        memcpy(dst, src, stk_dtype_bytes(dtype));
        return STK_OK;
    }
    const stk_bytes from = *(const stk_bytes *)src;
    char *copy = stk_arena_text(arena, from.size ? (const char *)from.data : "", from.size, err);
    if (!copy) return no_memory(err);
    *(stk_bytes *)dst = stk_bytes_of(copy, from.size);
    return STK_OK;
}

/* The default of a missing value or the padding: stride values for DENSE, one for DENSE_PADDED. */
static stk_status copy_default(stk_arena *arena, const stk_feature_spec *spec,
                               stk_example_feature *feature, stk_error *err)
{
    const size_t    size = feature->element_bytes;
    const size_t    count = spec->kind == STK_FEATURE_DENSE ? feature->stride : 1;
    const stk_bytes empty = stk_bytes_of("", 0);
    const int64_t   zero = 0; /* all bits 0, so a float's zero as well */
    const void     *value = spec->dtype == STK_DTYPE_BYTES ? (const void *)&empty : &zero;
    const bool      given = spec->has_default && spec->default_count;
    if (!spec->has_default && spec->kind != STK_FEATURE_DENSE_PADDED) return STK_OK;
    uint8_t *fill = stk_arena_array(arena, count ? count : 1, size, err);
    if (!fill) return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        const size_t from = spec->default_count == count ? i : 0;
        if (i && !from) {
            memcpy(fill + i * size, fill, size); /* all values share one string */
            continue;
        }
        if (given) value = (const uint8_t *)spec->default_value + from * size;
        STK_TRY(copy_value(arena, spec->dtype, value, fill + i * size, err));
    }
    feature->fill = fill;
    return STK_OK;
}

static stk_status prepare(stk_arena *arena, const stk_feature_spec *spec,
                          stk_example_feature *feature, stk_error *err)
{
    if (!spec->name)
        return stk_fail(err, STK_E_INVALID, "parse", NULL, "a wanted feature has no name");
    if ((unsigned)spec->kind > STK_FEATURE_VARLEN)
        return stk_fail(err, STK_E_INVALID, "parse", spec->name, "unknown kind of feature %d",
                        (int)spec->kind);
    const size_t length = strlen(spec->name);
    char        *name = stk_arena_text(arena, spec->name, length, err);
    if (!name) return no_memory(err);
    *feature = (stk_example_feature){.name = stk_bytes_of(name, length),
                                     .kind = spec->kind,
                                     .dtype = spec->dtype,
                                     .element_bytes = stk_dtype_bytes(spec->dtype),
                                     .has_default = spec->has_default};
    STK_TRY(check_dtype(spec, err));
    STK_TRY(check_shape(spec, feature, err));
    STK_TRY(check_default(spec, feature, err));
    return copy_default(arena, spec, feature, err);
}

static stk_status build(stk_example_parser *parser, const stk_feature_spec *specs, size_t count,
                        stk_error *err)
{
    parser->features = stk_arena_array(&parser->arena, count, sizeof parser->features[0], err);
    if (!parser->features) return no_memory(err);
    stk_bytes *names = stk_arena_array(&parser->arena, count, sizeof names[0], err);
    if (!names) return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        STK_TRY(prepare(&parser->arena, &specs[i], &parser->features[i], err));
        names[i] = parser->features[i].name;
    }
    parser->count = count;
    return stk_key_table_init(&parser->names, &parser->arena, names, count, err);
}

stk_status stk_example_parser_new(stk_example_parser **out, const stk_feature_spec *specs,
                                  size_t count, stk_error *err)
{
    *out = NULL;
    stk_example_parser *parser = calloc(1, sizeof *parser);
    if (!parser) return stk_fail(err, STK_E_NOMEM, "parse", NULL, "no memory for a parser");
    stk_arena_init(&parser->arena, NULL, STK_MEMORY_BATCH);
    const stk_status st = build(parser, specs, count, err);
    if (st) {
        stk_example_parser_free(parser);
        return st;
    }
    *out = parser;
    return STK_OK;
}

void stk_example_parser_free(stk_example_parser *parser)
{
    if (!parser) return;
    stk_arena_release(&parser->arena);
    free(parser);
}
