/* What the targets of the image codecs share: the first four bytes choose options and a window, the
 * rest is the image. */
#ifndef STK_FUZZ_IMAGE_H
#define STK_FUZZ_IMAGE_H

#include <stdio.h>
#include <stdlib.h>
#include <stoker/image.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CHOICE_BYTES = 4, MOST_PIXELS = 1 << 18 };

static inline void demand(bool condition, const char *what)
{
    if (condition) return;
    fprintf(stderr, "fuzz_image: %s\n", what);
    abort();
}

/* Any status but those of our own mistakes; and a reason. */
static inline void demand_reason(stk_status st, const stk_error *err)
{
    demand(st == STK_E_FORMAT || st == STK_E_DATALOSS || st == STK_E_UNSUPPORTED ||
               st == STK_E_LIMIT || st == STK_E_NOMEM,
           stk_status_name(st));
    demand(err->message[0], "no reason");
}

static inline stk_rect choose_window(const uint8_t *choice, int32_t width, int32_t height)
{
    const int32_t x = choice[1] * width / 256, y = choice[2] * height / 256;
    return (stk_rect){x, y, 1 + choice[3] % 16 * (width - x - 1) / 15,
                      1 + choice[3] / 16 * (height - y - 1) / 15};
}

/* part, which is lent, against window of whole. */
static inline void compare(const stk_pixels *whole, stk_rect window, const stk_pixels *part)
{
    const size_t row = (size_t)window.width * (size_t)whole->channels;
    demand(part->width == window.width && part->height == window.height, "another size");
    for (int32_t y = 0; y < window.height; y++)
        demand(!memcmp(whole->data + (size_t)(window.y + y) * whole->stride +
                           (size_t)window.x * (size_t)whole->channels,
                       part->data + (size_t)y * part->stride, row),
               "a window differs from the whole");
}

/* Decodes all and then a window, which must have the same pixels. */
static inline void fuzz_image(stk_image_format format, const uint8_t *choice, stk_bytes encoded)
{
    const stk_decode_options options = {.limits = {.pixels = MOST_PIXELS},
                                        .channels = choice[0] & 1 ? 1 : 3,
                                        .recover = choice[0] & 2,
                                        .stored_orientation = choice[0] & 4};
    stk_decoder             *decoders[2];
    stk_pixels               whole, part;
    stk_image_info           info;
    stk_decode_outcome       outcome;
    stk_error                err;
    if (stk_image_format_of(encoded) != format) return;
    for (int i = 0; i < 2; i++)
        if (stk_decoder_new(&decoders[i], NULL, &err)) abort();
    stk_status st =
        stk_image_decode(decoders[0], encoded, NULL, 1, &options, &whole, &outcome, &err);
    if (st) demand_reason(st, &err);
    if (!st) {
        demand(!stk_image_read_info(encoded, NULL, &info, &err), "pixels but no header");
        const stk_rect window = choose_window(choice, whole.width, whole.height);
        const bool     recovered = outcome.recovered;
        st = stk_image_decode(decoders[1], encoded, &window, 1, &options, &part, &outcome, &err);
        demand(!st, "the whole can be decoded, but not the window");
        if (!recovered) compare(&whole, window, &part);
    }
    for (int i = 0; i < 2; i++)
        stk_decoder_free(decoders[i]);
}

#endif
