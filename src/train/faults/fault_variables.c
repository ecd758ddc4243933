/* S5 and S6: what goes out of the variables for nothing. */
#include "train/faults/faults.h"

#include <stdlib.h>

static size_t bytes_of(const stk_variables *variables, size_t index)
{
    const stk_variable_info info = stk_variables_at(variables, index);
    int64_t                 count;
    if (stk_shape_count(&info.shape, &count, NULL)) return 0;
    return (size_t)count * stk_dtype_bytes(info.dtype);
}

static stk_status make_room(stk_faults *faults, size_t bytes, stk_error *err)
{
    if (bytes <= faults->fetched_room) return STK_OK;
    uint8_t *capacity = realloc(faults->fetched, bytes);
    if (!capacity)
        return stk_fail(err, STK_E_NOMEM, "inject", "fetch", "no memory for %zu bytes", bytes);
    faults->fetched = capacity;
    faults->fetched_room = bytes;
    return STK_OK;
}

/* Around and around: small models have less than a person may want to fetch. */
stk_status stk_faults_fetch(stk_faults *faults, stk_variables *variables, size_t *bytes,
                            stk_error *err)
{
    const size_t count = stk_variables_count(variables);
    const double wanted = faults ? faults->wanted.fetch_bytes : 0;
    *bytes = 0;
    for (size_t i = 0; count && (double)*bytes < wanted; i = (i + 1) % count) {
        const size_t one = bytes_of(variables, i);
        STK_TRY(make_room(faults, one, err));
        STK_TRY(stk_variables_read(variables, i, faults->fetched, one, err));
        *bytes += one;
    }
    return STK_OK;
}

bool stk_faults_shares(const stk_faults *faults)
{
    return faults && (faults->wanted.allreduce_s > 0 || faults->wanted.allreduce_bytes_per_s > 0);
}

stk_status stk_faults_allreduce(stk_faults *faults, const stk_variables *variables, size_t *bytes,
                                stk_error *err)
{
    *bytes = 0;
    for (size_t i = 0; i < stk_variables_count(variables); i++)
        if (stk_variables_at(variables, i).role == STK_VARIABLE_PARAMETER)
            *bytes += bytes_of(variables, i);
    return stk_slow_peer_share(&faults->peer, *bytes, err);
}
