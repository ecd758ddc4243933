/* A thread's state between images: scratch in a few slots, and the codecs' own state. */
#include "image/codec/codec.h"

#include "base/checked.h"

#include <stdlib.h>
#include <stoker/buffer.h>
#include <string.h>

struct stk_decoder {
    stk_ledger              *ledger;
    stk_buffer              *scratch[STK_SCRATCH_COUNT];
    uint64_t                 asked[STK_SCRATCH_COUNT]; /* of each slot for the current image */
    uint64_t                 reserved;                 /* for it */
    struct stk_jpeg_decoder *jpeg;
};

stk_status stk_decoder_new(stk_decoder **out, stk_ledger *ledger, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "decode", NULL, "no memory for a decoder");
    (*out)->ledger = stk_ledger_ref(ledger);
    return STK_OK;
}

void stk_decoder_free(stk_decoder *decoder)
{
    if (!decoder) return;
    stk_jpeg_decoder_free(decoder->jpeg);
    for (int i = 0; i < STK_SCRATCH_COUNT; i++)
        stk_buffer_unref(decoder->scratch[i]);
    stk_ledger_unref(decoder->ledger);
    free(decoder);
}

void stk_decoder_begin(stk_decoder *decoder)
{
    memset(decoder->asked, 0, sizeof decoder->asked);
}

stk_status stk_decode_admit(const stk_ledger *ledger, uint64_t bytes, stk_error *err)
{
    uint64_t held, ceiling;
    if (!ledger) return STK_OK;
    stk_ledger_total(ledger, &held, &ceiling);
    if (bytes <= ceiling) return STK_OK;
    return stk_fail(err, STK_E_LIMIT, "decode", NULL,
                    "the image takes %llu bytes to decode, and the memory ceiling is %llu: make "
                    "it smaller, leave it out, or raise the ceiling",
                    (unsigned long long)bytes, (unsigned long long)ceiling);
}

static stk_status admit(const stk_decoder *decoder, stk_error *err)
{
    uint64_t bytes = decoder->reserved;
    for (int i = 0; i < STK_SCRATCH_COUNT; i++)
        bytes += decoder->asked[i];
    return stk_decode_admit(decoder->ledger, bytes, err);
}

/* Scratch of earlier images that this one does not need. */
static void free_others(stk_decoder *decoder)
{
    for (int i = 0; i < STK_SCRATCH_COUNT; i++) {
        if (decoder->asked[i]) continue;
        stk_buffer_unref(decoder->scratch[i]);
        decoder->scratch[i] = NULL;
    }
}

stk_status stk_decoder_reserve(stk_decoder *decoder, uint64_t bytes, stk_error *err)
{
    decoder->reserved += bytes;
    stk_status st = admit(decoder, err);
    if (!st) st = stk_ledger_reserve(decoder->ledger, STK_MEMORY_DECODE, bytes, err);
    if (st == STK_E_CEILING) {
        free_others(decoder);
        st = stk_ledger_reserve(decoder->ledger, STK_MEMORY_DECODE, bytes, err);
    }
    if (st) decoder->reserved -= bytes;
    return st;
}

void stk_decoder_release(stk_decoder *decoder, uint64_t bytes)
{
    decoder->reserved -= bytes;
    stk_ledger_release(decoder->ledger, STK_MEMORY_DECODE, bytes);
}

uint8_t *stk_decoder_scratch(stk_decoder *decoder, int slot, size_t bytes, stk_error *err)
{
    stk_buffer **buffer = &decoder->scratch[slot];
    if (decoder->asked[slot] < bytes) decoder->asked[slot] = bytes;
    if (*buffer && stk_buffer_size(*buffer) >= bytes) return stk_buffer_data(*buffer);
    if (admit(decoder, err)) return NULL;
    /* A quarter more, so that images a little larger each do not allocate every time. The old
     * one goes first: its contents are of no use, and both together might pass the ceiling. */
    const size_t more = bytes <= SIZE_MAX / 2 ? bytes + bytes / 4 : bytes;
    stk_buffer_unref(*buffer);
    *buffer = NULL;
    stk_status st = stk_buffer_new(buffer, decoder->ledger, STK_MEMORY_DECODE, more, err);
    if (st == STK_E_CEILING) {
        free_others(decoder);
        st = stk_buffer_new(buffer, decoder->ledger, STK_MEMORY_DECODE, bytes, err);
    }
    return st ? NULL : stk_buffer_data(*buffer);
}

stk_status stk_decoder_pixels(stk_decoder *decoder, int slot, int32_t width, int32_t height,
                              int32_t channels, stk_pixels *out, stk_error *err)
{
    size_t bytes;
    *out = (stk_pixels){NULL, width, height, channels, (size_t)width * (size_t)channels};
    if (stk_mul_overflows(out->stride, (size_t)height, &bytes))
        return stk_fail(err, STK_E_LIMIT, "decode", NULL, "%d x %d pixels do not fit in memory",
                        width, height);
    out->data = stk_decoder_scratch(decoder, slot, bytes, err);
    return out->data ? STK_OK : err->status;
}

struct stk_jpeg_decoder *stk_decoder_jpeg(stk_decoder *decoder, stk_error *err)
{
    if (!decoder->jpeg) decoder->jpeg = stk_jpeg_decoder_new(decoder->ledger, err);
    return decoder->jpeg;
}
