/* The tree that the JSON reader makes. */
#ifndef STK_BASE_JSON_VALUE_H
#define STK_BASE_JSON_VALUE_H

#include "base/arena.h"

#include <stoker/json.h>

struct stk_json_value {
    uint8_t     type;       /* a stk_json_type */
    bool        truth;      /* of a bool */
    bool        is_integer; /* a number that integer holds exactly */
    uint32_t    key_size;
    const char *key;   /* terminated; NULL outside an object */
    size_t      count; /* bytes of text, or children */
    union {
        double                number;
        const char           *text; /* terminated */
        const stk_json_value *children;
    };
    int64_t integer;
};

struct stk_json_document {
    stk_arena      arena; /* everything below root */
    stk_json_value root;
};

#endif
