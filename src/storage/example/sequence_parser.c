/* Checks and copies the wanted feature lists. */
#include "storage/example/sequence_parser.h"

#include <stdlib.h>
#include <string.h>

/* The status of a failed arena allocation, which has filled err. */
static stk_status no_memory(const stk_error *err)
{
    return err ? err->status : STK_E_NOMEM;
}

static stk_status prepare(stk_arena *arena, const stk_sequence_spec *spec, stk_sequence_list *list,
                          stk_error *err)
{
    stk_error reason;
    int64_t   count = 0;
    if (!spec->name)
        return stk_fail(err, STK_E_INVALID, "parse", NULL, "a wanted feature list has no name");
    if (spec->dtype != STK_DTYPE_I64 && spec->dtype != STK_DTYPE_F32 &&
        spec->dtype != STK_DTYPE_BYTES)
        return stk_fail(err, STK_E_TYPE, "parse", spec->name,
                        "a SequenceExample holds int64, float32 and bytes, not %s",
                        stk_dtype_name(spec->dtype));
    if (!spec->varlen && stk_shape_count(&spec->shape, &count, &reason))
        return stk_fail(err, STK_E_SHAPE, "parse", spec->name, "%s", reason.message);
    const size_t length = strlen(spec->name);
    char        *name = stk_arena_text(arena, spec->name, length, err);
    if (!name) return no_memory(err);
    *list = (stk_sequence_list){.name = stk_bytes_of(name, length),
                                .dtype = spec->dtype,
                                .varlen = spec->varlen,
                                .allow_missing = spec->allow_missing,
                                .shape = spec->shape,
                                .step_values = (size_t)count,
                                .element_bytes = stk_dtype_bytes(spec->dtype)};
    return STK_OK;
}

static stk_status build(stk_sequence_parser *parser, const stk_sequence_spec *specs, size_t count,
                        stk_error *err)
{
    parser->lists = stk_arena_array(&parser->arena, count, sizeof parser->lists[0], err);
    if (!parser->lists) return no_memory(err);
    stk_bytes *names = stk_arena_array(&parser->arena, count, sizeof names[0], err);
    if (!names) return no_memory(err);
    for (size_t i = 0; i < count; i++) {
        STK_TRY(prepare(&parser->arena, &specs[i], &parser->lists[i], err));
        names[i] = parser->lists[i].name;
    }
    parser->count = count;
    return stk_key_table_init(&parser->names, &parser->arena, names, count, err);
}

stk_status stk_sequence_parser_new(stk_sequence_parser **out, const stk_feature_spec *context,
                                   size_t context_count, const stk_sequence_spec *sequences,
                                   size_t sequence_count, stk_error *err)
{
    *out = NULL;
    stk_sequence_parser *parser = calloc(1, sizeof *parser);
    if (!parser) return stk_fail(err, STK_E_NOMEM, "parse", NULL, "no memory for a parser");
    stk_arena_init(&parser->arena, NULL, STK_MEMORY_BATCH);
    stk_status st = stk_example_parser_new(&parser->context, context, context_count, err);
    if (!st) st = build(parser, sequences, sequence_count, err);
    if (st) {
        stk_sequence_parser_free(parser);
        return st;
    }
    *out = parser;
    return STK_OK;
}

void stk_sequence_parser_free(stk_sequence_parser *parser)
{
    if (!parser) return;
    stk_example_parser_free(parser->context);
    stk_arena_release(&parser->arena);
    free(parser);
}
