/* A serialized Example as a sample: every entry a field, as it is stored. */
#ifndef STK_STORAGE_SOURCE_EXAMPLE_SAMPLE_H
#define STK_STORAGE_SOURCE_EXAMPLE_SAMPLE_H

#include <stoker/dataset_info.h>
#include <stoker/example.h>

/* Reusable memory of one sample. */
typedef struct stk_example_sample {
    const char *where;   /* the record being read, for messages */
    stk_blob    buckets; /* of many views: uint32_t[], a table of their numbers plus 1 */
    stk_blob    views;   /* stk_feature_view[], one per distinct key */
    stk_blob    fields;  /* stk_field[] */
    stk_blob    values;  /* data of the fields */
} stk_example_sample;

void stk_example_sample_init(stk_example_sample *scratch, stk_ledger *ledger);
void stk_example_sample_release(stk_example_sample *scratch);

/* Fills sample's fields from record, which must outlive them. Where a key occurs twice the last
 * entry wins. Shapes and raw bytes (U8) go by the feature of that name; a field without one is a
 * scalar or a vector. where names the record in errors. */
STK_NODISCARD stk_status stk_example_sample_read(stk_example_sample *scratch, stk_bytes record,
                                                 const stk_feature_info *features,
                                                 size_t feature_count, const char *where,
                                                 stk_sample *sample, stk_error *err);

#endif
