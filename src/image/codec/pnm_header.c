/* "P1" to "P6", two or three numbers, one white space, pixels. */
#include "image/codec/pnm_header.h"

enum { NUMBER_MAX = 1 << 24, VALUE_MAX = 65535 };

static bool is_space(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

bool stk_pnm_is(stk_bytes encoded)
{
    return encoded.size >= 3 && encoded.data[0] == 'P' && encoded.data[1] >= '1' &&
           encoded.data[1] <= '6' && (is_space(encoded.data[2]) || encoded.data[2] == '#');
}

void stk_pnm_skip_space(stk_bytes encoded, size_t *at)
{
    for (; *at < encoded.size; ++*at) {
        if (encoded.data[*at] == '#')
            while (*at < encoded.size && encoded.data[*at] != '\n')
                ++*at;
        else if (!is_space(encoded.data[*at]))
            return;
    }
}

static stk_status read_number(stk_bytes encoded, size_t *at, int32_t *out, stk_error *err)
{
    stk_pnm_skip_space(encoded, at);
    const size_t begin = *at;
    *out = 0;
    for (; *at < encoded.size && encoded.data[*at] >= '0' && encoded.data[*at] <= '9'; ++*at) {
        *out = *out * 10 + (encoded.data[*at] - '0');
        if (*out > NUMBER_MAX)
            return stk_fail(err, STK_E_LIMIT, "decode", NULL,
                            "a number in the PNM's header is above %d", NUMBER_MAX);
    }
    if (*at >= encoded.size)
        return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                        "the PNM ends in its header of %zu bytes", encoded.size);
    if (*at == begin)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "byte 0x%02x at %zu of the PNM's header is no number", encoded.data[begin],
                        begin);
    return STK_OK;
}

stk_status stk_pnm_read_header(stk_bytes encoded, stk_pnm_header *out, stk_error *err)
{
    const int kind = encoded.data[1] - '0';
    size_t    at = 2;
    *out = (stk_pnm_header){.channels = kind == 3 || kind == 6 ? 3 : 1,
                            .maximum = 1,
                            .plain = kind <= 3,
                            .bitmap = kind == 1 || kind == 4};
    STK_TRY(read_number(encoded, &at, &out->width, err));
    STK_TRY(read_number(encoded, &at, &out->height, err));
    if (!out->bitmap) STK_TRY(read_number(encoded, &at, &out->maximum, err));
    if (!is_space(encoded.data[at]))
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "byte 0x%02x at %zu instead of white space before the PNM's pixels",
                        encoded.data[at], at);
    if (out->maximum < 1 || out->maximum > VALUE_MAX)
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the PNM's largest value is %d; it must be from 1 to %d", out->maximum,
                        VALUE_MAX);
    out->begin = at + 1;
    return STK_OK;
}
