/* stoker/example.h - tf.train.Example: parse straight into batches, look inside, write. No objects
 * are built: the parser walks the wire format and writes each requested value to its final
 * location. Byte strings are views into the serialized records, which must outlive the batch. */
#ifndef STOKER_EXAMPLE_H
#define STOKER_EXAMPLE_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/sample.h>

STK_BEGIN_DECLS

typedef enum stk_feature_kind {
    STK_FEATURE_DENSE,        /* shape known: exactly its product of values in each example */
    STK_FEATURE_DENSE_PADDED, /* leading dimension varies: rows padded with the default */
    STK_FEATURE_VARLEN        /* any number of values: flat values and row splits */
} stk_feature_kind;

/* One requested feature. The parser copies names and defaults. */
typedef struct stk_feature_spec {
    const char      *name;
    stk_feature_kind kind;
    stk_dtype        dtype; /* STK_DTYPE_I64, STK_DTYPE_F32 or STK_DTYPE_BYTES */
    stk_shape        shape; /* DENSE: of one value. DENSE_PADDED: without the leading dimension */
    bool             has_default;
    /* DENSE: default_count values, either the product of shape or 1 (then repeated).
     * DENSE_PADDED: one value, the padding (0 or "" without default). */
    const void *default_value;
    size_t      default_count;
} stk_feature_spec;

typedef struct stk_example_parser stk_example_parser; /* immutable: shared by all threads */
typedef struct stk_example_batch  stk_example_batch;  /* results and scratch: one thread's */

STK_API STK_NODISCARD stk_status stk_example_parser_new(stk_example_parser    **out,
                                                        const stk_feature_spec *specs, size_t count,
                                                        stk_error *err);
STK_API void                     stk_example_parser_free(stk_example_parser *parser);

/* Makes a reusable result. Keeps a pointer to parser and ledger. */
STK_API STK_NODISCARD stk_status stk_example_batch_new(stk_example_batch       **out,
                                                       const stk_example_parser *parser,
                                                       stk_ledger *ledger, stk_error *err);
STK_API void                     stk_example_batch_free(stk_example_batch *batch);

/* Parses count records with the results of tf.io.parse_example. names may be NULL; else names[i] is
 * used in errors, beside the index, as the record's name. On failure the batch's content is
 * undefined but it may be used again. TensorFlow's InvalidArgument is three statuses here:
 * STK_E_TYPE for values of another type, STK_E_SHAPE for another number of them, and STK_E_INVALID
 * for a required feature that is missing and for damaged bytes. Unlike TensorFlow, all packed
 * chunks of a list are read, unknown fields are passed over everywhere, and no length may pass its
 * message. */
STK_API STK_NODISCARD stk_status stk_example_parse(stk_example_batch *batch,
                                                   const stk_bytes *records, size_t count,
                                                   const char *const *names, stk_error *err);

/* The results of one spec, borrowed until the next parse. */
typedef struct stk_feature_values {
    stk_dtype      dtype;
    stk_shape      shape;  /* with the leading batch dimension; for VARLEN [number of values] */
    const void    *data;   /* int64_t, float or stk_bytes */
    size_t         count;  /* values in all */
    const int64_t *splits; /* VARLEN: count_of_records + 1 row splits, else NULL */
} stk_feature_values;

STK_API void stk_example_batch_values(const stk_example_batch *batch, size_t spec_index,
                                      stk_feature_values *values);
/* Entries that lost to a later entry of the same key in the last parse. */
STK_API uint64_t stk_example_batch_duplicates(const stk_example_batch *batch);

/* Visits a record without a spec: the callback gets every entry as stored, in order;
 * stk_feature_decode_* decode its values. */
typedef struct stk_feature_view {
    stk_bytes name;
    stk_dtype dtype;   /* I64, F32, BYTES; NONE when the kind is unset */
    size_t    count;   /* number of values */
    stk_bytes encoded; /* the list message, for the decoders below */
} stk_feature_view;

typedef stk_status (*stk_feature_visit)(void *context, const stk_feature_view *feature,
                                        stk_error *err);
STK_API STK_NODISCARD stk_status stk_example_visit(stk_bytes record, const char *where,
                                                   stk_feature_visit visit, void *context,
                                                   stk_error *err);
/* Up to capacity values; *count is how many were written. */
STK_API STK_NODISCARD stk_status stk_feature_decode_ints(const stk_feature_view *feature,
                                                         int64_t *values, size_t capacity,
                                                         size_t *count, stk_error *err);
STK_API STK_NODISCARD stk_status stk_feature_decode_floats(const stk_feature_view *feature,
                                                           float *values, size_t capacity,
                                                           size_t *count, stk_error *err);
STK_API STK_NODISCARD stk_status stk_feature_decode_bytes(const stk_feature_view *feature,
                                                          stk_bytes *values, size_t capacity,
                                                          size_t *count, stk_error *err);

/* Appends sample as a serialized Example: I64 and I32 as int64 list, F32 as float list, U8 as one
 * byte string of all elements, BYTES as bytes list. Keys are written in the sample's order, lists
 * packed. Other types are STK_E_TYPE. */
STK_API STK_NODISCARD stk_status stk_example_write(stk_blob *out, const stk_sample *sample,
                                                   stk_error *err);

STK_END_DECLS
#endif
