/* PNGs. Checksums would stop the fuzzer at every change, so unless the choice says otherwise they
 * are put right first. */
#include "fuzz_image.h"

#include <zlib.h>

static uint32_t read_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void put_checksums_right(uint8_t *png, size_t size)
{
    for (size_t at = 8; at < size && size - at >= 12;) {
        const size_t length = read_u32(png + at);
        if (length > size - at - 12) return;
        const uint32_t sum = (uint32_t)crc32(0, png + at + 4, (uInt)length + 4);
        for (int i = 0; i < 4; i++)
            png[at + 8 + length + (size_t)i] = (uint8_t)(sum >> (24 - 8 * i));
        at += 12 + length;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= CHOICE_BYTES) return 0;
    uint8_t *png = malloc(size - CHOICE_BYTES);
    if (!png) abort();
    memcpy(png, data + CHOICE_BYTES, size - CHOICE_BYTES);
    if (!(data[0] & 8)) put_checksums_right(png, size - CHOICE_BYTES);
    fuzz_image(STK_IMAGE_PNG, data, stk_bytes_of(png, size - CHOICE_BYTES));
    free(png);
    return 0;
}
