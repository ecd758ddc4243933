/* stoker/recipe.h - pipelines written as YAML. The section `data:` of a recipe is a list of stages,
 * source first; other sections are left alone. docs/recipe.md has the syntax, and the tables at the
 * end of this header have every operator and function with its parameters. */
#ifndef STOKER_RECIPE_H
#define STOKER_RECIPE_H

#include <stoker/dataset.h>
#include <stoker/filesystem.h>
#include <stoker/params.h>

STK_BEGIN_DECLS

typedef struct stk_recipe_options {
    const stk_filesystem *fs;     /* NULL: local; must outlive the dataset */
    const char           *folder; /* relative paths begin here. NULL: stk_recipe_load takes the
                                     recipe's folder, stk_recipe_read the working directory */
    /* Called while the recipe is read, for each use of a former name: "quarantine.least is now
     * called quarantine.min_elements". The text is borrowed for the call. NULL: not called. */
    void (*note)(void *context, const char *text);
    void *note_context;
} stk_recipe_options;

/* Makes the dataset that a recipe describes. name ("recipe.yaml") begins every message: err->where
 * is "recipe.yaml:7: batch.size". A recipe that cannot be read is STK_E_FORMAT, one that asks for
 * what is not there or makes no sense STK_E_INVALID (or what the stage itself said), one past the
 * limits (1 MiB, 64 levels) STK_E_LIMIT. options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_recipe_read(stk_dataset **out, stk_bytes yaml,
                                                 const char               *name,
                                                 const stk_recipe_options *options, stk_error *err);
/* The same for a file, read through options->fs. */
STK_API STK_NODISCARD stk_status stk_recipe_load(stk_dataset **out, const char *path,
                                                 const stk_recipe_options *options, stk_error *err);

/* What a parameter takes. */
typedef enum stk_recipe_kind {
    STK_RECIPE_INTEGER,   /* a whole number, or one of words */
    STK_RECIPE_NUMBER,    /* a whole or real number */
    STK_RECIPE_BOOL,      /* true or false */
    STK_RECIPE_TEXT,      /* any text */
    STK_RECIPE_CHOICE,    /* one of words */
    STK_RECIPE_PATH,      /* a path, relative to the recipe's folder */
    STK_RECIPE_PATHS,     /* one or a list of them */
    STK_RECIPE_INTEGERS,  /* a list of whole numbers */
    STK_RECIPE_NUMBERS,   /* a list of numbers */
    STK_RECIPE_TEXTS,     /* a list of texts */
    STK_RECIPE_DTYPE,     /* "float32" */
    STK_RECIPE_VALUE,     /* a value of the element: its name or its number, from 0 */
    STK_RECIPE_VALUES,    /* a list of them */
    STK_RECIPE_SHAPE,     /* a list of dimensions; -1: not fixed */
    STK_RECIPE_SHAPES,    /* a list of shapes */
    STK_RECIPE_CONSTANTS, /* a list of constants: numbers, texts, lists of them */
    STK_RECIPE_FEATURES,  /* names with their types */
    STK_RECIPE_FUNCTION,  /* a function by its name, with its arguments */
    STK_RECIPE_STAGES,    /* a list of stages */
    STK_RECIPE_INPUTS,    /* a list of lists of stages, each with a source */
    STK_RECIPE_SETTING,   /* of an image operation: a word, a number or a list of numbers */
    STK_RECIPE_KINDS
} stk_recipe_kind;

/* "a whole number", "a list of texts", ...: a literal. */
STK_API const char *stk_recipe_kind_name(stk_recipe_kind kind);

/* Where an operator may stand, or what a function may be used for. */
typedef enum stk_recipe_role {
    STK_RECIPE_SOURCE, /* the first stage */
    STK_RECIPE_STAGE,  /* any other */
    STK_RECIPE_EITHER, /* both: the data so far, if any, is its first input */
    STK_RECIPE_MAP,
    STK_RECIPE_KEY,
    STK_RECIPE_EXPAND,
    STK_RECIPE_SCAN
} stk_recipe_role;

typedef struct stk_recipe_parameter {
    const char        *name;
    stk_recipe_kind    kind;
    bool               required;
    const char        *default_value; /* its value where it is not given; NULL: none */
    int64_t            least;         /* of INTEGER */
    const char *const *words;         /* texts that stand for 0, 1..., or for values; NULL: none */
    const int         *values;
    stk_recipe_role    role; /* of FUNCTION: MAP, KEY, EXPAND or SCAN */
    bool               here; /* FUNCTION: the function's name may itself be the key */
    const char        *help;
    const char        *renamed_from; /* a former name, which is taken with a note; or NULL */
} stk_recipe_parameter;

/* An operator or a function. A value that is no mapping is the first parameter alone. */
typedef struct stk_recipe_entry {
    const char                 *name;
    const char                 *help;
    stk_recipe_role             role;
    const stk_recipe_parameter *parameters;
    size_t                      parameter_count;
    const char                 *renamed_from; /* likewise, of an operator */
} stk_recipe_entry;

/* NULL past the end. */
STK_API const stk_recipe_entry *stk_recipe_operator_at(size_t index);
STK_API const stk_recipe_entry *stk_recipe_function_at(size_t index);

STK_END_DECLS
#endif
