/* stoker/sequence_example.h - tf.train.SequenceExample: a context and lists of steps.
 * Context features parse as in an Example. Each wanted feature list becomes flat values with two
 * levels of splits: record -> steps -> values. */
#ifndef STOKER_SEQUENCE_EXAMPLE_H
#define STOKER_SEQUENCE_EXAMPLE_H

#include <stoker/example.h>

STK_BEGIN_DECLS

typedef struct stk_sequence_spec {
    const char *name;
    stk_dtype   dtype;         /* I64, F32 or BYTES */
    bool        varlen;        /* any number of values a step; else exactly the product of shape */
    stk_shape   shape;         /* of one step; unused when varlen */
    bool        allow_missing; /* no such list gives zero steps; else it is STK_E_INVALID */
} stk_sequence_spec;

typedef struct stk_sequence_parser stk_sequence_parser;
typedef struct stk_sequence_batch  stk_sequence_batch;

STK_API STK_NODISCARD stk_status stk_sequence_parser_new(stk_sequence_parser    **out,
                                                         const stk_feature_spec  *context,
                                                         size_t                   context_count,
                                                         const stk_sequence_spec *sequences,
                                                         size_t sequence_count, stk_error *err);
STK_API void                     stk_sequence_parser_free(stk_sequence_parser *parser);

STK_API STK_NODISCARD stk_status stk_sequence_batch_new(stk_sequence_batch       **out,
                                                        const stk_sequence_parser *parser,
                                                        stk_ledger *ledger, stk_error *err);
STK_API void                     stk_sequence_batch_free(stk_sequence_batch *batch);

/* As stk_example_parse. */
STK_API STK_NODISCARD stk_status stk_sequence_parse(stk_sequence_batch *batch,
                                                    const stk_bytes *records, size_t count,
                                                    const char *const *names, stk_error *err);

typedef struct stk_sequence_values {
    stk_dtype      dtype;
    const void    *data;        /* int64_t, float or stk_bytes */
    size_t         count;       /* values in all */
    const int64_t *row_splits;  /* records + 1: the steps of each record */
    const int64_t *step_splits; /* steps + 1: the values of each step; NULL unless varlen */
    size_t         step_values; /* values a step when not varlen */
} stk_sequence_values;

STK_API void stk_sequence_batch_context(const stk_sequence_batch *batch, size_t spec_index,
                                        stk_feature_values *values);
STK_API void stk_sequence_batch_sequence(const stk_sequence_batch *batch, size_t spec_index,
                                         stk_sequence_values *values);

/* Looking inside without a spec. step is -1 for a context feature; a feature list without steps is
 * shown once with dtype NONE and step -2. */
typedef stk_status (*stk_sequence_visit)(void *context, int64_t step,
                                         const stk_feature_view *feature, stk_error *err);
STK_API STK_NODISCARD stk_status stk_sequence_example_visit(stk_bytes record, const char *where,
                                                            stk_sequence_visit visit, void *context,
                                                            stk_error *err);

/* One feature list to write: the steps' values one behind the other, step_counts[i] of them. */
typedef struct stk_sequence_field {
    const char   *name;
    stk_dtype     dtype;
    const void   *data;
    const size_t *step_counts;
    size_t        steps;
} stk_sequence_field;

STK_API STK_NODISCARD stk_status stk_sequence_example_write(stk_blob                 *out,
                                                            const stk_sample         *context,
                                                            const stk_sequence_field *lists,
                                                            size_t list_count, stk_error *err);

STK_END_DECLS
#endif
