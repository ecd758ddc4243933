/* A tar archive, plain or gzip: any bytes are a source or a message. Headers get their checksums
 * made right first, or hardly any change would reach what is behind the check. */
#include "fuzz_source.h"

#include <stdio.h>

enum { BLOCK = 512, CHECKSUM = 148, MAGIC = 257 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void mend(uint8_t *block)
{
    unsigned sum = 0;
    char     text[8];
    memset(block + CHECKSUM, ' ', 8);
    for (int i = 0; i < BLOCK; i++)
        sum += block[i];
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(block + CHECKSUM, text, 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *mended = malloc(size + 1);
    if (!mended) return 0;
    if (size) memcpy(mended, data, size);
    for (size_t at = 0; size - at >= BLOCK; at += BLOCK)
        if (!memcmp(mended + at + MAGIC, "ustar", 5)) mend(mended + at);
    const int result = fuzz_source("data.tar", "tar", mended, size);
    free(mended);
    return result;
}
