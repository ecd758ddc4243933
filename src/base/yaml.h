/* A section of a YAML file as a tree, in an arena. */
#ifndef STK_BASE_YAML_H
#define STK_BASE_YAML_H

#include "base/arena.h"

#include <stdbool.h>
#include <stoker/blob.h>

typedef enum stk_yaml_kind { STK_YAML_SCALAR, STK_YAML_LIST, STK_YAML_MAP } stk_yaml_kind;

typedef struct stk_yaml_node stk_yaml_node;
struct stk_yaml_node {
    stk_yaml_kind  kind;
    int            line;  /* from 1 */
    const char    *key;   /* in a mapping; terminated, without zero bytes */
    bool           plain; /* SCALAR: written without quotes, so it may be a number */
    const char    *text;  /* SCALAR: terminated */
    size_t         length;
    stk_yaml_node *first; /* LIST, MAP: its children, in order */
    stk_yaml_node *next;
    size_t         count;
};

enum {
    STK_YAML_BYTES_MAX = 1 << 20,
    STK_YAML_DEPTH_MAX = 64,
    STK_YAML_KEYS_MAX = 1024 /* of one mapping: each is compared with all before it */
};

/* Reads the content of the top-level key section, or the whole mapping for NULL. Other sections are
 * skipped, whatever their content. A missing section is STK_E_INVALID. Anchors, aliases and tags
 * inside the section are refused, so that a tree is never larger than its text. */
STK_NODISCARD stk_status stk_yaml_read(stk_yaml_node **out, stk_arena *arena, stk_bytes yaml,
                                       const char *name, const char *section, stk_error *err);

/* A plain scalar that is empty, ~ or null. */
bool stk_yaml_is_null(const stk_yaml_node *tree);

/* Appends the tree on one line; equal trees give equal text. */
STK_NODISCARD stk_status stk_yaml_text(const stk_yaml_node *tree, stk_blob *out, stk_error *err);

/* The part of a name that messages show: its end. */
const char *stk_yaml_name_end(const char *name);

/* Fails with where "name:line: what". what may be NULL. */
stk_status stk_yaml_fail(stk_error *err, stk_status status, const char *name, int line,
                         const char *what, const char *format, ...) STK_PRINTF(6, 7);

#endif
