/* stoker/element.h - elements of a pipeline: an ordered set of values and their origin. Elements
 * are reference-counted and immutable once shared: a cache, a window and a batch may hold the same
 * one. */
#ifndef STOKER_ELEMENT_H
#define STOKER_ELEMENT_H

#include <stdbool.h>
#include <stoker/buffer.h>
#include <stoker/bytes.h>
#include <stoker/tensor.h>

STK_BEGIN_DECLS

typedef struct stk_dataset stk_dataset;
typedef struct stk_element stk_element;

/* A dataset can be a value; see dataset.h. Both accept NULL. */
STK_API stk_dataset *stk_dataset_ref(stk_dataset *data);
STK_API void         stk_dataset_unref(stk_dataset *data);

typedef enum stk_value_kind {
    STK_VALUE_DENSE,
    STK_VALUE_RAGGED, /* rows of different length: flat values and row splits, possibly nested */
    STK_VALUE_SPARSE, /* values, their indices, and the dense shape */
    STK_VALUE_DATASET /* a dataset, made by window and group_by_window */
} stk_value_kind;

enum { STK_VALUE_SMALL = 16 }; /* bytes stored in the value itself */

/* One value. Copying the struct copies no data and takes no reference: use stk_value_ref. */
typedef struct stk_value {
    stk_value_kind kind;
    stk_dtype      dtype;
    stk_shape      shape; /* DENSE: of the data. RAGGED: of the flat values. SPARSE: the dense
                             shape */
    const void    *data;  /* NULL: the data is in small; ask stk_value_data */
    const int64_t *splits_or_indices; /* RAGGED: row splits, level after level: count + 1 of the
                              first, and of each other one more than the level before has rows.
                              SPARSE: count rows of rank indices */
    int64_t     count;                /* RAGGED: rows. SPARSE: values */
    int         levels;               /* RAGGED: number of ragged dimensions, at least 1 */
    stk_buffer *storage;              /* keeps data, indices and byte views alive */
    union {
        uint8_t      bytes[STK_VALUE_SMALL];
        int64_t      i64;
        double       f64;
        float        f32;
        stk_bytes    view;    /* a byte string of rank 0: points into storage or to constants */
        stk_dataset *dataset; /* one reference */
    } small;
} stk_value;

/* The data, wherever it is stored; an array of stk_bytes for STK_DTYPE_BYTES. Borrowed for the
 * lifetime of value. */
static inline const void *stk_value_data(const stk_value *value)
{
    return value->data ? value->data : value->small.bytes;
}

/* The dataset of a value that is one; lent as long as the value lives. */
static inline stk_dataset *stk_value_dataset_of(const stk_value *value)
{
    return value->kind == STK_VALUE_DATASET ? value->small.dataset : NULL;
}

/* The origin of an element: messages name it, and `replay` finds it again. */
typedef struct stk_origin {
    stk_buffer *file;   /* path as text; NULL without a file */
    uint64_t    record; /* index in the file */
    uint64_t    offset; /* in bytes */
    uint64_t    epoch;  /* index of the epoch */
    uint64_t    index;  /* index in the epoch */
} stk_origin;

/* Makes an element of count zero values with one reference. */
STK_API STK_NODISCARD stk_status stk_element_new(stk_element **out, size_t count, stk_error *err);
/* One more reference, of an element that is only lent, too: counting is no change. */
STK_API stk_element *stk_element_ref(const stk_element *element);
/* NULL is fine. */
STK_API void   stk_element_unref(stk_element *element);
STK_API size_t stk_element_count(const stk_element *element);
/* Value index, below count (not checked). Borrowed for the lifetime of the element. */
STK_API const stk_value *stk_element_value(const stk_element *element, size_t index);
/* The same for writing. The element must have exactly one reference. */
STK_API stk_value        *stk_element_edit(stk_element *element, size_t index);
STK_API const stk_origin *stk_element_origin(const stk_element *element);
/* Writes "train-00001: record 7 at byte 812", or "element 12 of epoch 0" without a file; returns
 * text. */
STK_API char *stk_element_where(const stk_element *element, char *text, int capacity);
/* Copies origin and takes a reference to its file. The element must have exactly one reference. */
STK_API void stk_element_set_origin(stk_element *element, const stk_origin *origin);
/* Makes *element writable: replaces it by a copy if it is shared. Values are copied, their storage
 * is not. On failure *element is unchanged. */
STK_API STK_NODISCARD stk_status stk_element_make_unique(stk_element **element, stk_error *err);
/* Bytes that the element keeps alive, its own included. Shared storage counts in full. */
STK_API size_t stk_element_bytes(const stk_element *element);
/* Bytes of the element itself, without the storage of its values. */
STK_API size_t stk_element_own_bytes(const stk_element *element);
/* Equal kinds, types, shapes and values; byte strings by content, datasets by identity. */
STK_API bool stk_element_equal(const stk_element *a, const stk_element *b);

/* Values. Each of these fills *value without a look at what was there: a value that holds storage
 * is released before. A filled value holds references until stk_value_release, or until the element
 * that it is a part of goes. On failure it is all zero. Memory is reserved in ledger (a function's:
 * call->ledger; NULL: in none) until the last value over it is released. */

/* Scalars. Float16 and bfloat16 are rounded to nearest, ties to even. */
STK_API void stk_value_u8(stk_value *value, uint8_t number);
STK_API void stk_value_i8(stk_value *value, int8_t number);
STK_API void stk_value_i32(stk_value *value, int32_t number);
STK_API void stk_value_i64(stk_value *value, int64_t number);
STK_API void stk_value_f16(stk_value *value, float number);
STK_API void stk_value_bf16(stk_value *value, float number);
STK_API void stk_value_f32(stk_value *value, float number);
STK_API void stk_value_f64(stk_value *value, double number);
STK_API void stk_value_bool(stk_value *value, bool truth);
/* Copies bytes into storage reserved in ledger. */
STK_API STK_NODISCARD stk_status stk_value_bytes(stk_value *value, stk_ledger *ledger,
                                                 stk_bytes bytes, stk_error *err);
/* A view of bytes inside storage, which gets a new reference, or of constants (storage NULL). */
STK_API void stk_value_view(stk_value *value, stk_bytes bytes, stk_buffer *storage);
/* Allocates a dense value of dtype (not BYTES) and shape; the caller writes to *data. Small values
 * are stored in the struct: write before it is copied. */
STK_API STK_NODISCARD stk_status stk_value_dense(stk_value *value, stk_ledger *ledger,
                                                 stk_dtype dtype, const stk_shape *shape,
                                                 void **data, stk_error *err);
/* An array of byte strings, copied into one buffer. */
STK_API STK_NODISCARD stk_status stk_value_strings(stk_value *value, stk_ledger *ledger,
                                                   const stk_shape *shape, const stk_bytes *strings,
                                                   stk_error *err);
/* Rows of different length: flat has the values of all rows one below the other, splits where each
 * row begins, and where the last ends: from 0, never falling, to flat's leading dimension. With
 * levels above 1 rows have rows: first the splits of the outermost (rows + 1 of them), then those
 * of the next. split_count is how many there are in all. flat and splits are copied. */
STK_API STK_NODISCARD stk_status stk_value_ragged(stk_value *value, stk_ledger *ledger,
                                                  const stk_value *flat, const int64_t *splits,
                                                  size_t split_count, int64_t rows, int levels,
                                                  stk_error *err);
/* count values of flat (a vector) at indices: count rows of shape->rank numbers, each inside shape.
 * flat and indices are copied. */
STK_API STK_NODISCARD stk_status stk_value_sparse(stk_value *value, stk_ledger *ledger,
                                                  const stk_value *flat, const stk_shape *shape,
                                                  const int64_t *indices, int64_t count,
                                                  stk_error *err);
/* A dataset; takes a new reference. */
STK_API void stk_value_dataset(stk_value *value, stk_dataset *dataset);
/* A second value over the same storage, which it keeps alive. */
STK_API stk_value stk_value_ref(const stk_value *value);
/* The value is all zero after; so may it be before. */
STK_API void stk_value_release(stk_value *value);
/* Number of elements of a dense value. */
STK_API int64_t stk_value_elements(const stk_value *value);
/* Row index of a dense value (rank at least 1, index in range: not checked). Shares storage; small
 * rows are copied. */
STK_API stk_value stk_value_row(const stk_value *value, int64_t index);
STK_API bool      stk_value_equal(const stk_value *a, const stk_value *b);

/* Type and shape of a value, as far as known before the pipeline runs. */
typedef struct stk_value_spec {
    const char    *name;
    stk_value_kind kind;
    stk_dtype      dtype; /* STK_DTYPE_NONE: unknown */
    bool           rank_known;
    stk_shape      shape;  /* -1: unknown dimension. RAGGED: rows, then the shape of flat values */
    int            ragged; /* RAGGED: levels; 0 means 1. DENSE: how often a ragged value was
                              unbatched to give this one; as many batches make it ragged again */
    /* DATASET: what is known of its elements; NULL: nothing. */
    const struct stk_element_spec *inner;
} stk_value_spec;

/* Types and shapes of every element of a dataset, as far as known. */
typedef struct stk_element_spec {
    bool                  known; /* false: nothing is known, not even count */
    size_t                count;
    const stk_value_spec *values;
} stk_element_spec;

/* The index of the value called name, or -1. */
STK_API int stk_element_spec_find(const stk_element_spec *spec, const char *name);

/* "(image: uint8[32,-1], label: int64[])", "(?)" where nothing is known; for people, at most
 * capacity bytes with the zero; returns text. Empty where there is no memory for it. */
STK_API char *stk_element_spec_text(const stk_element_spec *spec, char *text, int capacity);
/* "image: uint8[28,28,1] 0 0 0 ..., label: int64 7" for people, at most capacity bytes with the
 * zero; returns text. Names are those of spec; NULL: numbers. Of a value some numbers are shown, of
 * a byte string the beginning, with \xNN for what is no text that may be shown. */
STK_API char *stk_element_text(const stk_element *element, const stk_element_spec *spec, char *text,
                               int capacity);
/* The same of one value, without a name. */
STK_API char *stk_value_text(const stk_value *value, char *text, int capacity);

STK_END_DECLS
#endif
