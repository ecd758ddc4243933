/* EXIF blocks: whatever they hold, there is an orientation. */
#include "image/codec/codec.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int orientation = stk_exif_orientation(stk_bytes_of(data, size));
    if (orientation < 1 || orientation > 8) abort();
    return 0;
}
