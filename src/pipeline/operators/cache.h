/* Shared by the caches in memory and on disk. */
#ifndef STK_PIPELINE_OPERATORS_CACHE_H
#define STK_PIPELINE_OPERATORS_CACHE_H

#include "pipeline/operators/operators.h"
#include "pipeline/support/materializer.h"

#include <stoker/filesystem.h>

typedef struct stk_cache_params {
    char                 *directory; /* NULL: in memory */
    const stk_filesystem *fs;        /* NULL: local */
    stk_dataset          *input;     /* before any pass; of a disk cache */
} stk_cache_params;

void       stk_cache_release_params(void *params);
stk_status stk_cache_check(stk_dataset *data, stk_error *err);
int64_t    stk_cache_cardinality(const stk_dataset *data);

#endif
