/* One named value of a record or sample, as statistics and descriptions read it. */
#ifndef STK_STORAGE_INSPECT_INSPECT_VALUE_H
#define STK_STORAGE_INSPECT_INSPECT_VALUE_H

#include <stoker/sample.h>
#include <stoker/sequence_example.h>

enum { STK_STEP_NONE = -1, STK_STEP_EMPTY = -2 }; /* see stk_sequence_visit */

typedef struct stk_inspect_value {
    int64_t          step;  /* of a feature list, from 0, or one of the above */
    stk_feature_view view;  /* name, dtype, count; encoded for values of an Example */
    const void      *data;  /* values of a sample; NULL: encoded */
    const stk_shape *shape; /* of a sample's field; else NULL */
} stk_inspect_value;

/* The values of one record, in order, with reusable scratch memory. */
typedef struct stk_inspect_values {
    stk_blob items;   /* of stk_inspect_value */
    stk_blob decoded; /* scratch for decoding */
} stk_inspect_values;

void stk_inspect_values_init(stk_inspect_values *values, stk_ledger *ledger);
void stk_inspect_values_release(stk_inspect_values *values);

static inline size_t stk_inspect_values_count(const stk_inspect_values *values)
{
    return values->items.size / sizeof(stk_inspect_value);
}

static inline const stk_inspect_value *stk_inspect_values_at(const stk_inspect_values *values,
                                                             size_t                    index)
{
    return (const stk_inspect_value *)(const void *)values->items.data + index;
}

/* Parses a record; the values borrow from it. A record that is neither Example nor SequenceExample
 * fails as stk_sequence_example_visit does. */
STK_NODISCARD stk_status stk_inspect_values_parse(stk_inspect_values *values, stk_bytes record,
                                                  const char *where, stk_error *err);
/* The fields of a sample; the values borrow from it. */
STK_NODISCARD stk_status stk_inspect_values_take(stk_inspect_values *values,
                                                 const stk_sample *sample, stk_error *err);

/* Reads up to max values of an I64, F32 or BYTES list, decoded if needed; borrowed until the next
 * call. data is int64_t, float or stk_bytes. */
STK_NODISCARD stk_status stk_inspect_decode(stk_inspect_values      *values,
                                            const stk_inspect_value *value, size_t max,
                                            const void **data, size_t *count, stk_error *err);

#endif
