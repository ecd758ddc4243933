/* A recipe after reading: every stage and function with its arguments, checked against the tables,
 * before anything is built of it. Inner pipelines are built again for every element that opens one,
 * so what is bound is kept, shared by count. */
#ifndef STK_PIPELINE_RECIPE_DATA_RECIPE_H
#define STK_PIPELINE_RECIPE_DATA_RECIPE_H

#include "base/yaml.h"

#include <stoker/dataset_operators.h>
#include <stoker/functions.h>
#include <stoker/recipe.h>

typedef struct stk_recipe {
    uint32_t              references; /* atomic */
    stk_arena             arena;      /* all that is bound; not written after reading */
    const char           *name;       /* for messages */
    const char           *folder;     /* "" or where relative paths begin */
    const stk_filesystem *fs;
    /* Of the options. NULL once the recipe is read: nested pipelines are built later. */
    void (*note)(void *context, const char *text);
    void *note_context;
} stk_recipe;

stk_recipe *stk_recipe_ref(stk_recipe *recipe);
void        stk_recipe_unref(stk_recipe *recipe);

typedef struct stk_recipe_row  stk_recipe_row;
typedef struct stk_recipe_call stk_recipe_call;
typedef struct stk_stages      stk_stages;
typedef struct stk_argument    stk_argument;

/* What a parameter was given; which fields are set depends on its kind. */
struct stk_argument {
    bool                   given; /* false: the default, or all zero */
    int                    line;
    stk_number             number;   /* NUMBER */
    int64_t                integer;  /* INTEGER, CHOICE, VALUE by number, DTYPE */
    bool                   truth;    /* BOOL */
    const char            *text;     /* TEXT, PATH (joined), VALUE by name */
    size_t                 count;    /* of the lists below */
    const int64_t         *integers; /* INTEGERS */
    const double          *reals;    /* NUMBERS */
    const char           **texts;    /* TEXTS, PATHS (joined), VALUES (NULL: by number) */
    const stk_shape       *shapes;   /* SHAPE (one), SHAPES */
    const stk_yaml_node   *tree;     /* CONSTANTS, FEATURES, STAGES: as written */
    const stk_recipe_call *function; /* FUNCTION */
    const stk_stages      *stages;   /* STAGES (one), INPUTS */
};

/* An operator or function with its arguments, one per parameter. */
struct stk_recipe_call {
    const stk_recipe_row *entry;
    const stk_argument   *arguments;
    int                   line;
};

struct stk_stages {
    const stk_recipe_call *list;
    size_t                 count;
};

/* One line of a table. Operators have build, functions make. */
struct stk_recipe_row {
    stk_recipe_entry info;
    /* Puts the stage on *data, or makes *data (NULL before) for a source. */
    stk_status (*build)(stk_recipe *recipe, const stk_recipe_call *bound, stk_dataset **data,
                        stk_error *err);
    stk_status (*make)(stk_recipe *recipe, const stk_recipe_call *bound,
                       const stk_element_spec *input, stk_function **out, stk_error *err);
};

typedef struct stk_entries {
    const stk_recipe_row *list;
    size_t                count;
} stk_entries;

/* The tables, in parts: NULL list past the end. */
stk_entries stk_recipe_operators(size_t part);
stk_entries stk_recipe_functions(size_t part);

/* The operator by its name or former name, or the function of a role by its name; NULL when there
 * is none. */
const stk_recipe_row *stk_recipe_find_operator(const char *name);
const stk_recipe_row *stk_recipe_find_function(stk_recipe_role role, const char *name);

/* A list of stages as bound ones. is_inner: it stands on data that is there already, so the first
 * is no source. */
STK_NODISCARD stk_status stk_recipe_bind_stages(stk_recipe *recipe, const stk_yaml_node *tree,
                                                bool is_inner, stk_stages *out, stk_error *err);
/* The arguments of entry; tree may be NULL: none given. */
STK_NODISCARD stk_status stk_recipe_bind_row(stk_recipe *recipe, const stk_recipe_row *entry,
                                             const stk_yaml_node *tree, int line,
                                             stk_recipe_call *out, stk_error *err);
/* One argument, of what is written in tree. owner.parameter names it in messages. */
STK_NODISCARD stk_status stk_recipe_bind_argument(stk_recipe                 *recipe,
                                                  const stk_recipe_parameter *parameter,
                                                  const char *owner, const stk_yaml_node *tree,
                                                  stk_argument *out, stk_error *err);
/* Reports a former name of a key or word of owner; owner "": of an operator itself. */
void stk_recipe_note_rename(const stk_recipe *recipe, const char *owner, const char *former,
                            const char *name);
/* A function named by a scalar or a mapping of one key. */
STK_NODISCARD stk_status stk_recipe_bind_function(stk_recipe *recipe, stk_recipe_role role,
                                                  const char *owner, const stk_yaml_node *tree,
                                                  const stk_recipe_call **out, stk_error *err);

/* Puts the stages on *data; NULL: they begin with a source. On failure *data is as before. */
STK_NODISCARD stk_status stk_recipe_build(stk_recipe *recipe, const stk_stages *stages,
                                          stk_dataset **data, stk_error *err);
/* The function of an argument, for elements of input. */
STK_NODISCARD stk_status stk_recipe_make(stk_recipe *recipe, const stk_recipe_call *bound,
                                         const stk_element_spec *input, stk_function **out,
                                         stk_error *err);
/* expand with stages on top of what it makes; takes over the reference to expand (NULL: flatten).
 */
STK_NODISCARD stk_status stk_recipe_make_inner(stk_recipe *recipe, const stk_argument *stages,
                                               stk_function *expand, stk_function **out,
                                               stk_error *err);
/* The index of the value that an argument names. */
STK_NODISCARD stk_status stk_recipe_value(const stk_recipe *recipe, const stk_argument *argument,
                                          const char *owner, const stk_element_spec *input,
                                          int *out, stk_error *err);
/* Gives an error of a stage or function its place in the recipe. Returns st. */
stk_status stk_recipe_locate_error(const stk_recipe *recipe, const stk_recipe_call *bound,
                                   stk_status st, stk_error *err);

/* Scalars: false when the text is none. */
bool stk_scalar_integer(const stk_yaml_node *tree, int64_t *out);
bool stk_scalar_number(const stk_yaml_node *tree, stk_number *out);
bool stk_scalar_bool(const stk_yaml_node *tree, bool *out);

/* A constant (a scalar, nested lists, or {dtype: ..., data: ...}) as a value of dtype, or with
 * STK_DTYPE_NONE of the type it shows: int64, float32, bool or bytes. */
STK_NODISCARD stk_status stk_recipe_constant(const stk_recipe *recipe, const stk_yaml_node *tree,
                                             stk_dtype dtype, stk_value *out, stk_error *err);
/* An element of all constants in a list; dtypes (NULL: as shown) has one per value. */
STK_NODISCARD stk_status stk_recipe_element(const stk_recipe *recipe, const stk_yaml_node *list,
                                            const stk_element_spec *dtypes, stk_element **out,
                                            stk_error *err);

/* Features for parse_example, in arena. */
STK_NODISCARD stk_status stk_recipe_features(const stk_recipe *recipe, const stk_yaml_node *tree,
                                             stk_arena *arena, stk_feature_spec **out,
                                             size_t *count, stk_error *err);
/* Lists of parse_sequence_example, likewise. */
STK_NODISCARD stk_status stk_recipe_lists(const stk_recipe *recipe, const stk_yaml_node *tree,
                                          stk_arena *arena, stk_sequence_spec **out, size_t *count,
                                          stk_error *err);

#define STK_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define STK_PARAMETERS(array) .parameters = (array), .parameter_count = STK_COUNT_OF(array)

#endif
