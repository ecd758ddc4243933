/* An IDX file, plain or gzip: any bytes are a source or a message. */
#include "fuzz_source.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_source("train-images-idx3-ubyte", "idx", data, size);
}
