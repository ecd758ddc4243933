/* Structs as JSON: a table says what each field is, and one writer and one reader serve them all.
 * Keys are the names of the fields. What is not known is negative; in JSON also null or
 * absent. */
#ifndef STK_BASE_PARAMS_H
#define STK_BASE_PARAMS_H

#include <stddef.h>
#include <stoker/json.h>

enum { STK_FIELDS_COLUMNS = 256 };

typedef enum stk_field_kind {
    STK_FIELD_TEXT,    /* char[most] */
    STK_FIELD_NUMBER,  /* double; -1 when absent */
    STK_FIELD_AMOUNT,  /* double, never negative; 0 when absent */
    STK_FIELD_INT,     /* int */
    STK_FIELD_INT64,   /* int64_t */
    STK_FIELD_UINT32,  /* uint32_t */
    STK_FIELD_UINT64,  /* uint64_t */
    STK_FIELD_UINT64S, /* uint64_t[most] */
    STK_FIELD_BOOL,    /* bool */
    STK_FIELD_WORD,    /* an enum below most, written as word(value) */
    STK_FIELD_LINES,   /* char[most][room], so many as the counter says */
    STK_FIELD_STRUCT,  /* one of table */
    STK_FIELD_STRUCTS, /* table[most]: all, or so many as the counter says */
    STK_FIELD_LIST     /* a pointer to so many of table as the counter says: written as rows */
} stk_field_kind;

typedef struct stk_fields stk_fields;

typedef struct stk_param {
    const char    *key;
    stk_field_kind kind;
    size_t         offset;
    size_t         most, room;
    const char *(*word)(unsigned value); /* NULL for none */
    const stk_fields *table;
    size_t            counter, counter_bytes; /* counter_bytes 0: there is none */
} stk_param;

struct stk_fields {
    const stk_param *list;
    size_t           count, bytes; /* bytes: of the struct */
};

#define STK_FIELDS(list_, type)                                                                    \
    {                                                                                              \
        list_, sizeof(list_) / sizeof *(list_), sizeof(type)                                       \
    }
#define STK_FIELD(type, member, kind_)                                                             \
    {                                                                                              \
        .key = #member, .kind = (kind_), .offset = offsetof(type, member)                          \
    }
#define STK_FIELD_OF_TEXT(type, member)                                                            \
    {                                                                                              \
        .key = #member, .kind = STK_FIELD_TEXT, .offset = offsetof(type, member),                  \
        .most = sizeof(((type *)0)->member)                                                        \
    }
#define STK_FIELD_COUNTED(type, member, kind_, counter_)                                           \
    .key = #member, .kind = (kind_), .offset = offsetof(type, member),                             \
    .counter = offsetof(type, counter_), .counter_bytes = sizeof(((type *)0)->counter_)

/* The struct as an object, after a key or in an array. */
void stk_fields_write(stk_json_writer *w, const stk_fields *table, const void *from);

/* Sets what the object has. Unknown keys are passed over; a wrong value is STK_E_INVALID and the
 * error's where names its place: "steps.rows[3].ns". LISTs are allocated with calloc, and are the
 * caller's to free even on failure. */
STK_NODISCARD stk_status stk_fields_read(const stk_json_value *object, const stk_fields *table,
                                         void *to, const char *stage, stk_error *err);

#endif
