/* The requested feature lists of a SequenceExample, prepared. Immutable. */
#ifndef STK_STORAGE_EXAMPLE_SEQUENCE_PARSER_H
#define STK_STORAGE_EXAMPLE_SEQUENCE_PARSER_H

#include "storage/example/example_parser.h"

#include <stoker/sequence_example.h>

typedef struct stk_sequence_list {
    stk_bytes name;
    stk_dtype dtype;
    bool      varlen, allow_missing;
    stk_shape shape;
    size_t    step_values;   /* the product of shape; 0 when varlen */
    size_t    element_bytes; /* of one value */
} stk_sequence_list;

struct stk_sequence_parser {
    stk_example_parser *context;
    stk_arena           arena;
    stk_sequence_list  *lists;
    size_t              count;
    stk_key_table       names;
};

#endif
