/* Shared by user-defined sources (generator, indexed): identity, spec, and the handling of each
 * element and error they return. */
#ifndef STK_PIPELINE_SUPPORT_USER_SOURCE_H
#define STK_PIPELINE_SUPPORT_USER_SOURCE_H

#include "base/arena.h"

#include <stoker/element.h>

typedef struct stk_user_source {
    const char *component; /* a literal: the operator's name */
    const char *name;
    uint64_t    version;
    void       *context;
    void (*release)(void *context); /* NULL until the dataset is made: on failure the caller keeps
                                       the context */
    stk_element_spec output;
    stk_arena        arena; /* of name and output */
} stk_user_source;

/* Copies name and output (NULL: unknown). */
STK_NODISCARD stk_status stk_user_source_new(stk_user_source **out, const char *component,
                                             const char *name, uint64_t version, void *context,
                                             const stk_element_spec *output, stk_error *err);
/* NULL is fine. */
void stk_user_source_free(stk_user_source *custom);

/* Resets the error before a call, so that no text of an earlier one remains. */
void stk_user_source_before(stk_error *err);
/* Called after the call for element index of epoch, with its status. On failure frees the element
 * and completes err with location and reason. Otherwise checks *element (NULL is fine) against the
 * spec and sets its origin if it has none. */
STK_NODISCARD stk_status stk_user_source_after(const stk_user_source *custom, stk_status st,
                                               uint64_t epoch, uint64_t index,
                                               stk_element **element, stk_error *err);

#endif
