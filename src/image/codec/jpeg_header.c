/* Markers up to the first scan. */
#include "image/codec/jpeg_header.h"

enum {
    MARKER_DHT = 0xc4,
    MARKER_DAC = 0xcc,
    MARKER_RST0 = 0xd0,
    MARKER_SOI = 0xd8,
    MARKER_EOI = 0xd9,
    MARKER_SOS = 0xda,
    MARKER_DQT = 0xdb,
    MARKER_DRI = 0xdd,
    MARKER_APP0 = 0xe0,
    MARKER_APP1 = 0xe1,
    MARKER_APP14 = 0xee,
    MARKER_TEM = 0x01,
    FRAME_BYTES = 6,
    COMPONENT_BYTES = 3,
    CODE_LENGTHS = 16,
    SYMBOLS_MAX = 256,
    SAMPLING_MAX = 4,
    BLOCK = 64
};

static uint32_t read_u16(const uint8_t *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static bool is_frame(uint8_t marker)
{
    return (marker & 0xf0) == 0xc0 && marker != MARKER_DHT && marker != 0xc8 &&
           marker != MARKER_DAC;
}

/* Finds the next marker from *at on and moves *at after it; 0 without one. Skips non-marker bytes
 * between segments, as libjpeg does. */
static uint8_t next_marker(stk_bytes encoded, size_t *at)
{
    while (*at + 1 < encoded.size) {
        const uint8_t *ff = memchr(encoded.data + *at, 0xff, encoded.size - *at - 1);
        if (!ff) return 0;
        *at = (size_t)(ff - encoded.data) + 1;
        if (*ff != 0xff || encoded.data[*at] == 0xff) continue;
        const uint8_t marker = encoded.data[(*at)++];
        if (marker) return marker;
    }
    return 0;
}

static void read_frame(stk_jpeg_header *out, uint8_t marker, stk_bytes body)
{
    const uint8_t *p = body.data;
    if (out->frame || body.size < FRAME_BYTES) {
        out->plain = false;
        return;
    }
    out->frame = marker;
    out->bits = p[0];
    out->height = (int32_t)read_u16(p + 1);
    out->width = (int32_t)read_u16(p + 3);
    out->components = p[5];
    if (p[5] > STK_JPEG_COMPONENTS || body.size != FRAME_BYTES + (size_t)COMPONENT_BYTES * p[5]) {
        out->plain = false;
        return;
    }
    for (int i = 0; i < out->components; i++) {
        const uint8_t     *c = p + FRAME_BYTES + COMPONENT_BYTES * i;
        stk_jpeg_component component = {.id = c[0], .h = c[1] >> 4, .v = c[1] & 15, .quant = c[2]};
        if (!component.h || component.h > SAMPLING_MAX || !component.v ||
            component.v > SAMPLING_MAX || component.quant >= STK_JPEG_TABLES)
            out->plain = false;
        out->component[i] = component;
    }
}

static void read_huffman(stk_jpeg_header *out, stk_bytes body)
{
    while (body.size) {
        size_t symbols = 0;
        if (body.size <= CODE_LENGTHS || (body.data[0] & 0xef) >= STK_JPEG_TABLES) break;
        for (int i = 1; i <= CODE_LENGTHS; i++)
            symbols += body.data[i];
        const size_t bytes = CODE_LENGTHS + symbols;
        if (symbols > SYMBOLS_MAX || bytes >= body.size) break;
        out->huffman[body.data[0] >> 4][body.data[0] & 3] = stk_bytes_of(body.data + 1, bytes);
        body = stk_bytes_of(body.data + 1 + bytes, body.size - 1 - bytes);
    }
    if (body.size) out->plain = false;
}

static void read_quant(stk_jpeg_header *out, stk_bytes body)
{
    while (body.size) {
        const bool   wide = body.data[0] >> 4;
        const size_t bytes = 1 + (wide ? 2 * BLOCK : BLOCK);
        if ((body.data[0] & 0xef) >= STK_JPEG_TABLES || body.size < bytes) break;
        out->quant[body.data[0] & 3] = (stk_jpeg_quant){.values = body.data + 1, .wide = wide};
        body = stk_bytes_of(body.data + bytes, body.size - bytes);
    }
    if (body.size) out->plain = false;
}

/* libjpeg's conditions, which decide how colours are understood. */
static void read_application(stk_jpeg_header *out, uint8_t marker, stk_bytes body)
{
    if (marker == MARKER_APP0 && body.size >= 14 && !memcmp(body.data, "JFIF", 5)) out->jfif = true;
    if (marker == MARKER_APP1 && body.size > 6 && !memcmp(body.data, "Exif\0", 6) &&
        !out->exif.data)
        out->exif = body;
    if (marker == MARKER_APP14 && body.size >= 12 && !memcmp(body.data, "Adobe", 5)) {
        out->adobe = true;
        out->adobe_transform = body.data[11];
    }
}

static void read_scan(stk_jpeg_header *out, stk_bytes body)
{
    const size_t   count = (size_t)out->components;
    const uint8_t *p = body.data;
    if (!out->plain || body.size != 4 + 2 * count || p[0] != count) {
        out->plain = false;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const uint8_t *c = p + 1 + 2 * i;
        for (size_t j = 0; j < i; j++)
            if (out->component[j].id == c[0]) out->plain = false;
        if (c[0] != out->component[i].id || (c[1] & 0xcc)) out->plain = false;
        out->component[i].dc = (c[1] >> 4) & 3;
        out->component[i].ac = c[1] & 3;
    }
    p += 1 + 2 * count;
    if (p[0] != 0 || p[1] != BLOCK - 1 || p[2] != 0) out->plain = false;
}

static void read_segment(stk_jpeg_header *out, uint8_t marker, stk_bytes body)
{
    if (is_frame(marker))
        read_frame(out, marker, body);
    else if (marker == MARKER_DHT)
        read_huffman(out, body);
    else if (marker == MARKER_DQT)
        read_quant(out, body);
    else if (marker == MARKER_DRI && body.size == 2)
        out->restart_interval = read_u16(body.data);
    else if (marker == MARKER_SOS)
        read_scan(out, body);
    else if (marker >= MARKER_APP0)
        read_application(out, marker, body);
    else
        out->plain = false;
}

static bool is_alone(uint8_t marker)
{
    return marker == MARKER_TEM || (marker >= MARKER_RST0 && marker <= MARKER_EOI);
}

stk_bytes stk_jpeg_complete_part(stk_bytes encoded)
{
    size_t  at = 2;
    uint8_t marker;
    while ((marker = next_marker(encoded, &at)) != 0) {
        if (is_alone(marker)) continue;
        const size_t left = encoded.size - at, length = left < 2 ? 2 : read_u16(encoded.data + at);
        if (length > left) return stk_bytes_of(encoded.data, at - 2);
        at += length;
    }
    return encoded;
}

stk_status stk_jpeg_header_read(stk_jpeg_header *out, stk_bytes encoded, stk_error *err)
{
    *out = (stk_jpeg_header){.plain = true};
    size_t  at = 2;
    uint8_t marker;
    while ((marker = next_marker(encoded, &at)) != 0) {
        if (marker == MARKER_EOI) break;
        if (is_alone(marker)) {
            out->plain = false;
            continue;
        }
        const size_t length = at + 2 <= encoded.size ? read_u16(encoded.data + at) : 0;
        if (at + 2 <= encoded.size && length < 2)
            return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                            "segment %02x at %zu of the JPEG says it has %zu bytes", marker, at,
                            length);
        if (!length || length > encoded.size - at) break;
        read_segment(out, marker, stk_bytes_of(encoded.data + at + 2, length - 2));
        at += length;
        if (marker != MARKER_SOS) continue;
        out->scan = at;
        if (out->frame) return STK_OK;
        break;
    }
    if (marker == MARKER_EOI || (out->scan && !out->frame))
        return stk_fail(err, STK_E_FORMAT, "decode", NULL,
                        "the JPEG has no image: %s before byte %zu",
                        out->frame ? "no scan" : "no frame header", at);
    return stk_fail(err, STK_E_DATALOSS, "decode", NULL,
                    "the JPEG is cut off in its header: it has %zu bytes", encoded.size);
}

bool stk_jpeg_has_end(const stk_jpeg_header *header, stk_bytes encoded)
{
    for (size_t at = encoded.size; at >= header->scan + 2; at--) {
        const uint8_t *eoi = memrchr(encoded.data + header->scan, MARKER_EOI, at - header->scan);
        if (!eoi || eoi == encoded.data + header->scan) return false;
        if (eoi[-1] == 0xff) return true;
        at = (size_t)(eoi - encoded.data) + 1;
    }
    return false;
}
