/* PNMs. */
#include "fuzz_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > CHOICE_BYTES)
        fuzz_image(STK_IMAGE_PNM, data, stk_bytes_of(data + CHOICE_BYTES, size - CHOICE_BYTES));
    return 0;
}
