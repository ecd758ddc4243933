/* Writes a sample as an Example. */
#include "storage/example/example_encode.h"

#include <stoker/example.h>

enum { TAG_FEATURES = 0x0a };

stk_status stk_example_write(stk_blob *out, const stk_sample *sample, stk_error *err)
{
    STK_TRY(stk_features_check(sample, err));
    const size_t features = stk_features_size(sample), size = stk_wire_len_size(features);
    uint8_t     *at = stk_encode_reserve(out, size, err);
    if (!at) return err ? err->status : STK_E_NOMEM;
    at = stk_wire_put_len(at, TAG_FEATURES, features);
    stk_features_put(at, sample);
    out->size += size;
    return STK_OK;
}
