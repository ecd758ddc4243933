/* A batch being filled: one column per wanted feature, and what the last record looked like. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_BATCH_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_BATCH_H

#include "storage/example/example_parser.h"
#include "storage/example/example_text.h"

enum { STK_PREFIX_BYTES = 64, STK_ORDER_ENTRIES = 512 };

/* The bytes of an entry before its values, as the last record had them: all lengths, the key and
 * the kind. When the next record has the same bytes, its values are of the same size, and nothing
 * more needs to be looked at. */
typedef struct stk_entry_prefix {
    uint8_t bytes[STK_PREFIX_BYTES];
    size_t  size;    /* 0: none is known */
    size_t  payload; /* bytes of values behind it, up to the end of the entry */
    bool    packed;  /* payload is the inside of the only packed chunk; else the list message */
} stk_entry_prefix;

typedef struct stk_example_column {
    const stk_example_feature *feature;
    stk_entry_prefix           prefix;
    uint64_t                   stamp;  /* serial of the last record that had it */
    stk_blob                   values; /* DENSE: in place. Else the rows one behind the other */
    size_t                     used;   /* values in it; unused by DENSE */
    stk_blob                   splits; /* int64_t, VARLEN and DENSE_PADDED: where each row ends */
    stk_blob                   padded; /* DENSE_PADDED when rows differ in length */
    int64_t                    rows;   /* DENSE_PADDED: the padded dimension */
    bool                       is_padded;
    stk_bytes                  found; /* careful parse: the Feature message; data NULL if none */
} stk_example_column;

struct stk_example_batch {
    const stk_example_parser *parser;
    stk_example_column       *columns; /* parser->count */
    size_t                    growing; /* columns that are not DENSE */
    size_t                    records; /* of the last parse */
    uint64_t                  serial;  /* counts records over all parses */
    uint64_t                  duplicates;
    uint32_t                  order[STK_ORDER_ENTRIES]; /* columns as the last record had them */
};

/* Room for count more values of size bytes behind the used ones in blob; where they go, or NULL
 * with err filled. The blob must hold something already, so that no room is still somewhere. */
void *stk_values_grow(stk_blob *blob, size_t used, size_t count, size_t size, stk_error *err);

/* Where the values of a DENSE column for this record go. */
static inline uint8_t *stk_column_row(const stk_example_column *column, size_t record)
{
    const stk_example_feature *feature = column->feature;
    return column->values.data + record * feature->stride * feature->element_bytes;
}

typedef enum stk_fast_result {
    STK_FAST_DONE,
    STK_FAST_UNSURE, /* something uncommon: parse the record carefully */
    STK_FAST_FAILED  /* err is filled; a careful parse would not help */
} stk_fast_result;

/* Puts the values of one record, serialized as almost everybody does, into the columns. Does not
 * explain what it cannot take, and leaves rows half written then. */
stk_fast_result stk_example_parse_fast(stk_example_batch *batch, stk_bytes record, size_t index,
                                       stk_error *err);

/* The same for any record, by the book and with errors that name the place. The fast parse defers
 * to it; both give the same values. */
STK_NODISCARD stk_status stk_example_parse_careful(stk_example_batch         *batch,
                                                   const stk_record_location *location,
                                                   stk_error                 *err);

#endif
