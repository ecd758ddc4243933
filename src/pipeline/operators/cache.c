/* cache: shared by both kinds. cache_memory.c and cache_disk.c keep the elements. */
#include "pipeline/operators/cache.h"

#include <stdlib.h>
#include <stoker/dataset_operators.h>

void stk_cache_release_params(void *params)
{
    stk_cache_params *p = params;
    stk_dataset_unref(p->input);
    free(p->directory);
}

stk_status stk_cache_check(stk_dataset *data, stk_error *err)
{
    return stk_dataset_set_spec(data, &data->inputs[0]->spec, err);
}

int64_t stk_cache_cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality;
}

stk_status stk_dataset_cache(stk_dataset **data, const stk_cache_options *options, stk_error *err)
{
    stk_cache_params p = {0};
    if (!options || !options->directory)
        return stk_dataset_append(data, &stk_operator_cache_memory, &p, err);
    if (!*options->directory)
        return stk_fail(err, STK_E_INVALID, "cache", NULL,
                        "the directory's name is empty; give one, or none to cache in memory");
    p.fs = options->fs;
    p.directory = strdup(options->directory);
    if (!p.directory)
        return stk_fail(err, STK_E_NOMEM, "cache", options->directory, "no memory for its name");
    p.input = stk_dataset_ref(*data);
    return stk_dataset_append(data, &stk_operator_cache_disk, &p, err);
}
