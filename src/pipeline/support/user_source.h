/* What sources of a person's own (generator, indexed) have in common: who they are, what they say
 * of their elements, and what is done with each element and error that comes from them. */
#ifndef STK_PIPELINE_SUPPORT_USER_SOURCE_H
#define STK_PIPELINE_SUPPORT_USER_SOURCE_H

#include "base/arena.h"

#include <stoker/element.h>

typedef struct stk_user_source {
    const char *stage; /* a literal: the operator's name */
    const char *name;
    uint64_t    version;
    void       *context;
    void (*release)(void *context); /* NULL until the dataset stands: on failure the context stays
                                       the caller's */
    stk_element_spec output;
    stk_arena        arena; /* of name and output */
} stk_user_source;

/* Copies name and output (NULL: not known). */
STK_NODISCARD stk_status stk_user_source_new(stk_user_source **out, const char *stage,
                                             const char *name, uint64_t version, void *context,
                                             const stk_element_spec *output, stk_error *err);
/* NULL is fine. */
void stk_user_source_free(stk_user_source *custom);

/* An error as it is before the call, so that text of an earlier one is not taken for its own. */
void stk_user_source_before(stk_error *err);
/* After the call that was to give element index of epoch, with its status. A failed one: frees the
 * element and completes err with place and reason. Else: *element (NULL is fine) is checked against
 * the spec and gets the place as its origin if it has none. */
STK_NODISCARD stk_status stk_user_source_after(const stk_user_source *custom, stk_status st,
                                               uint64_t epoch, uint64_t index,
                                               stk_element **element, stk_error *err);

#endif
