/* A batch being filled: one column per requested feature, and the layout of the last record. */
#ifndef STK_STORAGE_EXAMPLE_EXAMPLE_BATCH_H
#define STK_STORAGE_EXAMPLE_EXAMPLE_BATCH_H

#include "storage/example/example_parser.h"
#include "storage/example/example_text.h"

enum { STK_PREFIX_BYTES = 64, STK_ORDER_ENTRIES = 512 };

/* The bytes before the values of an entry in the last record: all lengths, the key and the kind. If
 * the next record has the same bytes, its values have the same size and nothing else needs parsing.
 */
typedef struct stk_entry_prefix {
    uint8_t bytes[STK_PREFIX_BYTES];
    size_t  size;    /* 0: unknown */
    size_t  payload; /* bytes of values after it, up to the end of the entry */
    bool    packed; /* payload is the content of the only packed LEN field; else the list message */
} stk_entry_prefix;

typedef struct stk_example_column {
    const stk_example_feature *feature;
    stk_entry_prefix           prefix;
    uint64_t                   stamp;  /* serial of the last record that had it */
    stk_blob                   values; /* DENSE: in place. Else consecutive rows */
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
    uint32_t order[STK_ORDER_ENTRIES]; /* columns in the order of the last record */
};

/* Grows blob by count values of size bytes after the used ones; returns their address, or NULL with
 * err filled. blob must not be empty, so that the address is never NULL. */
void *stk_values_grow(stk_blob *blob, size_t used, size_t count, size_t size, stk_error *err);

/* The values of a DENSE column for this record. */
static inline uint8_t *stk_column_row(const stk_example_column *column, size_t record)
{
    const stk_example_feature *feature = column->feature;
    return column->values.data + record * feature->stride * feature->element_bytes;
}

typedef enum stk_fast_result {
    STK_FAST_DONE,
    STK_FAST_UNSURE, /* uncommon encoding: parse the record carefully */
    STK_FAST_FAILED  /* err is filled; a careful parse would not help */
} stk_fast_result;

/* Parses one record in the common serialization into the columns. Other records leave rows half
 * written, without an error message. */
stk_fast_result stk_example_parse_fast(stk_example_batch *batch, stk_bytes record, size_t index,
                                       stk_error *err);

/* The same for any record, with complete checks and error locations. The fast parser defers to it;
 * both return the same values. */
STK_NODISCARD stk_status stk_example_parse_careful(stk_example_batch         *batch,
                                                   const stk_record_location *location,
                                                   stk_error                 *err);

#endif
