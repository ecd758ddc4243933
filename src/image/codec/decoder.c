/* What a thread keeps between pictures: memory in a few rooms, and the codecs' own state. */
#include "image/codec/codec.h"

#include "base/checked.h"

#include <stdlib.h>
#include <stoker/buffer.h>

struct stk_decoder {
    stk_ledger              *ledger;
    stk_buffer              *rooms[STK_ROOMS];
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
    for (int i = 0; i < STK_ROOMS; i++)
        stk_buffer_unref(decoder->rooms[i]);
    stk_ledger_unref(decoder->ledger);
    free(decoder);
}

stk_ledger *stk_decoder_ledger(const stk_decoder *decoder)
{
    return decoder->ledger;
}

uint8_t *stk_decoder_room(stk_decoder *decoder, int room, size_t bytes, stk_error *err)
{
    stk_buffer **buffer = &decoder->rooms[room];
    if (*buffer && stk_buffer_size(*buffer) >= bytes) return stk_buffer_data(*buffer);
    /* A quarter more, so that pictures a little larger each do not allocate every time. The old
     * one goes first: its contents are of no use, and both together might pass the ceiling. */
    const size_t more = bytes <= SIZE_MAX / 2 ? bytes + bytes / 4 : bytes;
    stk_buffer_unref(*buffer);
    *buffer = NULL;
    if (stk_buffer_new(buffer, decoder->ledger, STK_MEMORY_DECODE, more, err) == STK_E_CEILING)
        if (stk_buffer_new(buffer, decoder->ledger, STK_MEMORY_DECODE, bytes, err)) return NULL;
    return *buffer ? stk_buffer_data(*buffer) : NULL;
}

stk_status stk_decoder_pixels(stk_decoder *decoder, int room, int32_t width, int32_t height,
                              int32_t channels, stk_pixels *out, stk_error *err)
{
    size_t bytes;
    *out = (stk_pixels){NULL, width, height, channels, (size_t)width * (size_t)channels};
    if (stk_mul_overflows(out->stride, (size_t)height, &bytes))
        return stk_fail(err, STK_E_LIMIT, "decode", NULL, "%d x %d pixels do not fit in memory",
                        width, height);
    out->data = stk_decoder_room(decoder, room, bytes, err);
    return out->data ? STK_OK : err->status;
}

struct stk_jpeg_decoder *stk_decoder_jpeg(stk_decoder *decoder, stk_error *err)
{
    if (!decoder->jpeg) decoder->jpeg = stk_jpeg_decoder_new(decoder->ledger, err);
    return decoder->jpeg;
}
