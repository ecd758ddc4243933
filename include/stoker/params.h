/* stoker/params.h - parameter tables: the fields of a struct by name, as text and as JSON.
 * A row says what a field is called, holds and means. Values are checked and set from text, printed
 * so that they read back the same, and listed for help, documentation and completion. A table is
 * constant data; functions that set change nothing of the struct when a value is refused. */
#ifndef STOKER_PARAMS_H
#define STOKER_PARAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stoker/json.h>

STK_BEGIN_DECLS

typedef enum stk_param_kind {
    STK_PARAM_BOOL,    /* bool: true or false */
    STK_PARAM_INT32,   /* int32_t, int */
    STK_PARAM_INT64,   /* int64_t */
    STK_PARAM_UINT32,  /* uint32_t */
    STK_PARAM_UINT64,  /* uint64_t, up to INT64_MAX */
    STK_PARAM_FLOAT,   /* float */
    STK_PARAM_DOUBLE,  /* double */
    STK_PARAM_NUMBERS, /* double[count], at most 3: "1,2"; one number stands for all */
    STK_PARAM_TEXT,    /* char[size] */
    STK_PARAM_STRING,  /* const char *: the text itself, which must outlive the struct; no items */
    STK_PARAM_CHOICE,  /* const char *: one that word gives */
    STK_PARAM_ENUM,    /* an enum, int: by its words */
    STK_PARAM_CUSTOM,  /* what parse and print make of it */
    /* In JSON only: */
    STK_PARAM_COUNTS,  /* uint64_t[count] */
    STK_PARAM_LINES,   /* char[count][size]; written, not read */
    STK_PARAM_STRUCT,  /* one of table */
    STK_PARAM_STRUCTS, /* table[count] */
    STK_PARAM_ROWS     /* a pointer to so many of table as the counter says, count at most */
} stk_param_kind;

enum {
    STK_PARAM_AUTO = 1,          /* "auto": -1 of a number, "" of a text */
    STK_PARAM_ZERO_IS_OFF = 2,   /* 0 is not printed */
    STK_PARAM_UNIT_OPTIONAL = 4, /* a number alone is in the unit of scale 1 */
    STK_PARAM_ABSENT = 8         /* JSON: -1 where it is null or absent */
};

/* Units of a number, the largest first; a NULL name ends them. Values are held in the unit of scale
 * 1 and printed in the first unit that they reach. */
typedef struct stk_param_unit {
    const char *name;
    double      scale;
} stk_param_unit;

typedef struct stk_params     stk_params;
typedef struct stk_param      stk_param;
typedef struct stk_param_call stk_param_call;

struct stk_param {
    const char        *name;
    const char        *group; /* the full name is "group.name"; NULL: the name */
    stk_param_kind     kind;
    size_t             offset;        /* in the struct */
    size_t             size;          /* bytes of TEXT, of each of LINES */
    size_t             count;         /* elements at most; of ENUM: words, 0 for those until NULL */
    const char        *default_value; /* as text; NULL: must be given */
    const char        *alone;         /* the value of the name alone; NULL: it needs one */
    double             min, max;      /* both 0: any */
    const char *const *choices;       /* STK_PARAM_WORDS("auto", "fp32"): 0, 1 */
    const int         *values;        /* in place of 0, 1...; or NULL */
    const char *(*word)(size_t index); /* in place of choices: NULL for none */
    const stk_param_unit *units;
    const char           *usage, *help; /* "read=RATE", and what it means */
    unsigned              flags;
    const char           *renamed_from; /* a former name, which is taken with a note */
    const stk_params     *table;        /* of STRUCT, STRUCTS, ROWS */
    size_t counter, counter_bytes;      /* the field that counts elements; 0 bytes: all count */
    /* Of CUSTOM. parse refuses by stk_param_refuse; print gives the length as snprintf does, 0 for
     * what is off. to and from are the struct. */
    stk_status (*parse)(const stk_param_call *call, void *to, stk_error *err);
    int (*print)(const void *from, char *text, size_t capacity);
};

/* What a table says when it refuses. {name}, {key} (prefix and full name), {text}, {item} (name and
 * value as written), {kind}, {numbers}, {range}, {min}, {max}, {auto}, {choices}, {list}, {near},
 * {names}, {size}, {usage}, {help} and {table} stand for what they say. */
typedef enum stk_param_message {
    STK_PARAM_NOT_VALUE, /* in place of the next seven that a table has not */
    STK_PARAM_NOT_NUMBER,
    STK_PARAM_NOT_WHOLE,
    STK_PARAM_NOT_IN_RANGE,
    STK_PARAM_NOT_CHOICE,
    STK_PARAM_NOT_BOOL,
    STK_PARAM_TOO_LONG,
    STK_PARAM_EMPTY,
    STK_PARAM_UNKNOWN,
    STK_PARAM_NO_VALUE, /* a name alone */
    STK_PARAM_MISSING,
    STK_PARAM_TWICE,
    STK_PARAM_WHERE, /* the error's location, when the source has none */
    STK_PARAM_MESSAGES
} stk_param_message;

struct stk_params {
    const stk_param   *rows;
    size_t             count, bytes; /* bytes: of the struct */
    const char        *name;         /* for messages */
    const char *const *messages;     /* of STK_PARAM_MESSAGES; NULL, as each of them: the usual */
};

#define STK_PARAM_TABLE(rows_, type)                                                               \
    .rows = (rows_), .count = sizeof(rows_) / sizeof *(rows_), .bytes = sizeof(type)
/* A row's name, kind and offset; the size of its field counts for texts. */
#define STK_PARAM_ROW(type, member, kind_)                                                         \
    .name = #member, .kind = (kind_), .offset = offsetof(type, member),                            \
    .size = sizeof(((type *)0)->member)
#define STK_PARAM_COUNTED(type, member, kind_, counter_)                                           \
    STK_PARAM_ROW(type, member, kind_), .counter = offsetof(type, counter_),                       \
                                        .counter_bytes = sizeof(((type *)0)->counter_)

#define STK_PARAM_WORDS(...)                                                                       \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
/* What was measured: a double, -1 where it is not known. */
#define STK_PARAM_MEASURED(type, member)                                                           \
    {                                                                                              \
        STK_PARAM_ROW(type, member, STK_PARAM_DOUBLE), .flags = STK_PARAM_ABSENT                   \
    }

enum { STK_PARAMS_MOST = 256, STK_PARAM_ITEM = 512 };

/* Rows that were set. */
typedef struct stk_params_given {
    uint64_t bits[STK_PARAMS_MOST / 64];
} stk_params_given;

/* Where texts come from. */
typedef struct stk_params_source {
    const char       *component; /* of errors: a literal */
    const char       *where;     /* of errors: "recipe.yaml:7"; NULL: as the table says */
    const char       *prefix;    /* before names: "--"; or NULL */
    stk_params_given *given;     /* what is set; a second time is refused. NULL: the last counts */
    /* "knobs.ahead is now called knobs.steps_in_flight". NULL: not told. */
    void (*note)(void *context, const char *text);
    void *context;
} stk_params_source;

/* A value on its way into a struct. */
struct stk_param_call {
    const stk_params        *table;
    const stk_param         *row;
    const char              *name, *text; /* as written; text NULL: there is none */
    const stk_params_source *source;
};

/* The row of a full name, or of a former one; NULL: there is none. */
STK_API const stk_param *stk_params_find(const stk_params *table, const char *name);
/* NULL past the end. */
STK_API const stk_param *stk_params_at(const stk_params *table, size_t index);

/* Sets the row of a name from text; STK_E_INVALID says what it takes. */
STK_API STK_NODISCARD stk_status stk_params_set(const stk_params *table, void *to, const char *name,
                                                const char *text, const stk_params_source *source,
                                                stk_error *err);
/* The same of "name=text", or of a name alone; STK_E_LIMIT from STK_PARAM_ITEM bytes on. */
STK_API STK_NODISCARD stk_status stk_params_set_item(const stk_params *table, void *to,
                                                     stk_bytes                item,
                                                     const stk_params_source *source,
                                                     stk_error               *err);
/* Items with one of separators between; blanks separate in any number. What stands before a refused
 * item is set. */
STK_API STK_NODISCARD stk_status stk_params_parse(const stk_params *table, void *to,
                                                  const char *text, const char *separators,
                                                  const stk_params_source *source, stk_error *err);
/* Rows that source->given has not (NULL: all) get their default; without one they are refused. */
STK_API STK_NODISCARD stk_status stk_params_complete(const stk_params *table, void *to,
                                                     const stk_params_source *source,
                                                     stk_error               *err);
/* Fails with a message of the table. */
STK_API stk_status stk_param_refuse(const stk_param_call *call, stk_param_message message,
                                    stk_error *err);

/* Writes a row's value as text that sets it again; gives the length as snprintf does. */
STK_API int stk_param_print(const stk_param *row, const void *from, char *text, size_t capacity);
/* All rows as items with separator between, cut where capacity ends; returns text. */
STK_API char *stk_params_print(const stk_params *table, const void *from, const char *separator,
                               char *text, size_t capacity);
/* Whether an AUTO row, or an ENUM with the word auto, holds it. */
STK_API bool stk_param_is_auto(const stk_param *row, const void *from);

/* Word number index of an ENUM or CHOICE, and its value (NULL: not wanted); NULL past the end. */
STK_API const char *stk_param_word(const stk_param *row, size_t index, int *value);
/* The word of an ENUM's value; NULL: there is none. */
STK_API const char *stk_param_word_of(const stk_param *row, int value);

/* The number that text begins with, and a unit (NULL: none); false: there is no such. *end is what
 * follows. */
STK_API bool stk_param_read_number(const char *text, const stk_param_unit *units, bool unit_needed,
                                   double *number, const char **end);
STK_API int  stk_param_print_number(double number, const stk_param_unit *units, char *text,
                                    size_t capacity);
/* A whole text as an integer in decimal digits; false: it is something else, or does not fit. */
STK_API bool stk_param_read_integer(const char *text, int64_t *number);

/* The candidate nearest to word, or NULL when none is near. candidate gives NULL past the end. */
STK_API const char *stk_params_nearest(const char *word,
                                       const char *(*candidate)(const void *context, size_t index),
                                       const void *context);

/* The struct as an object, after a key or in an array. */
STK_API void stk_params_write_json(stk_json_writer *w, const stk_params *table, const void *from);
/* Sets what the object has. Unknown keys are passed over, former names taken; a wrong value is
 * STK_E_INVALID and the error's where names its location: "steps.rows[3].ns". ROWS are allocated
 * with calloc, and are the caller's to free even on failure. */
STK_API STK_NODISCARD stk_status stk_params_read_json(const stk_json_value *object,
                                                      const stk_params *table, void *to,
                                                      const char *component, stk_error *err);

STK_END_DECLS
#endif
