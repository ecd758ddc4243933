/* What is known of the rows of elements. */
#include "pipeline/element/spec.h"

#include <inttypes.h>

static const char *const kinds[] = {"dense", "ragged", "sparse", "dataset"};

/* A row of a ragged value has one level less; without any it is dense, and remembers it. */
static stk_status row_spec(stk_value_spec *value, const char *component, int64_t *rows,
                           stk_error *err)
{
    *rows = -1;
    if (value->kind == STK_VALUE_SPARSE || value->kind == STK_VALUE_DATASET)
        return stk_fail(err, STK_E_INVALID, component, value->name,
                        "the value is %s; only dense and ragged values have rows",
                        kinds[value->kind]);
    if (value->kind == STK_VALUE_RAGGED) {
        if (value->rank_known) *rows = value->shape.dim[0];
        if (value->rank_known) value->shape.dim[0] = -1;
        if (value->ragged > 1) {
            value->ragged--;
            return STK_OK;
        }
        value->kind = STK_VALUE_DENSE;
        value->ragged = 1;
        return STK_OK;
    }
    if (value->ragged) value->ragged++;
    if (!value->rank_known) return STK_OK;
    if (value->shape.rank == 0)
        return stk_fail(err, STK_E_INVALID, component, value->name,
                        "the value is a scalar and has no rows; batch it before");
    *rows = value->shape.dim[0];
    value->shape.rank--;
    for (int d = 0; d < value->shape.rank; d++)
        value->shape.dim[d] = value->shape.dim[d + 1];
    return STK_OK;
}

stk_status stk_spec_rows(stk_element_spec *out, const stk_element_spec *spec, const char *component,
                         int64_t *rows, stk_arena *arena, stk_error *err)
{
    *rows = -1;
    STK_TRY(stk_spec_copy(out, spec, arena, err));
    stk_value_spec *values = (stk_value_spec *)out->values;
    const char     *named = NULL;
    for (size_t i = 0; i < out->count; i++) {
        int64_t own;
        STK_TRY(row_spec(&values[i], component, &own, err));
        if (own >= 0 && *rows >= 0 && own != *rows)
            return stk_fail(err, STK_E_INVALID, component, values[i].name,
                            "value %s has %" PRId64 " rows, value %s has %" PRId64
                            "; all must have the same leading dimension",
                            named, *rows, values[i].name, own);
        if (own >= 0) {
            *rows = own;
            named = values[i].name;
        }
    }
    return STK_OK;
}
