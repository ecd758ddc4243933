/* JPEGs from arbitrary bytes, at every scale: a window has the pixels of the whole, and an index of
 * restarts that may say anything leads nowhere it should not. */
#include "fuzz_image.h"

enum { INDEX_BYTES = 32 }; /* at most, of the first bytes behind the choice */

static const int shrinks[] = {1, 2, 4, 8};

static void fuzz_shrunk(const uint8_t *choice, stk_bytes index, stk_bytes encoded)
{
    const int          shrink = shrinks[choice[0] >> 3 & 3];
    stk_decode_options options = {.limits = {.pixels = MOST_PIXELS},
                                  .channels = choice[0] & 1 ? 1 : 3,
                                  .recover = choice[0] & 2};
    stk_decoder       *decoders[2];
    stk_pixels         whole, part;
    stk_decode_outcome outcome;
    stk_error          err;
    for (int i = 0; i < 2; i++)
        if (stk_decoder_new(&decoders[i], NULL, &err)) abort();
    stk_status st =
        stk_image_decode(decoders[0], encoded, NULL, shrink, &options, &whole, &outcome, &err);
    if (st) demand_reason(st, &err);
    if (!st) {
        const stk_rect window = choose_window(choice, whole.width, whole.height);
        const bool     recovered = outcome.recovered;
        st = stk_image_decode(decoders[1], encoded, &window, shrink, &options, &part, &outcome,
                              &err);
        demand(!st, "the whole can be decoded, but not the window");
        if (!recovered) compare(&whole, window, &part);
        options.restarts = index;
        st = stk_image_decode(decoders[1], encoded, &window, shrink, &options, &part, &outcome,
                              &err);
        if (st) demand_reason(st, &err);
    }
    for (int i = 0; i < 2; i++)
        stk_decoder_free(decoders[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size <= CHOICE_BYTES) return 0;
    const size_t index = data[0] >> 5 ? 0 : data[CHOICE_BYTES] % INDEX_BYTES;
    const size_t begin = CHOICE_BYTES + (index ? 1 + index : 0);
    if (size < begin) return 0;
    /* Memory that ends where the image does. */
    uint8_t *copy = malloc(size - begin + !(size - begin));
    if (!copy) abort();
    memcpy(copy, data + begin, size - begin);
    const stk_bytes encoded = stk_bytes_of(copy, size - begin);
    if (stk_image_format_of(encoded) == STK_IMAGE_JPEG)
        fuzz_shrunk(data, stk_bytes_of(data + CHOICE_BYTES + 1, index), encoded);
    free(copy);
    return 0;
}
