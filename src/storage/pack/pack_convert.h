/* Converts samples to the form that a pack stores. */
#ifndef STK_STORAGE_PACK_PACK_CONVERT_H
#define STK_STORAGE_PACK_PACK_CONVERT_H

#include "storage/pack/pack_schema.h"

#include <stoker/sample.h>

/* Counts of converted images. */
typedef struct stk_pack_tally {
    uint64_t bytes_in, bytes_out;
    uint64_t seekable, encoded, converted;
} stk_pack_tally;

typedef struct stk_pack_converter stk_pack_converter; /* one thread's */

/* schema must outlive it. */
STK_NODISCARD stk_status stk_pack_converter_new(stk_pack_converter   **out,
                                                const stk_pack_schema *schema,
                                                const stk_pack_images *images, stk_ledger *ledger,
                                                stk_error *err);
void                     stk_pack_converter_free(stk_pack_converter *converter);

/* Converts sample to the schema's features; borrowed from sample and the converter until the next
 * call. images false: images stay unchanged. Adds to tally. For what a failure may be see
 * stk_image_make. */
STK_NODISCARD stk_status stk_pack_convert(stk_pack_converter *converter, const stk_sample *sample,
                                          bool images, stk_sample *out, stk_pack_tally *tally,
                                          stk_error *err);

#endif
