/* WebP is RIFF: chunks of a name, a length and content, padded to even. A file begins with the
 * image's chunk, or with VP8X, which lists the other chunks. The frame of an animation is a chunk
 * with a position and nested chunks. */
#include "image/codec/webp_chunks.h"

enum {
    FILE_HEAD = 12,  /* RIFF, length, WEBP */
    CHUNK_HEAD = 8,  /* name, length */
    FRAME_HEAD = 16, /* position, size, duration, flags */
    HAS_EXIF = 0x08,
    HAS_ANIMATION = 0x02
};

bool stk_webp_is(stk_bytes encoded)
{
    return encoded.size >= FILE_HEAD && !memcmp(encoded.data, "RIFF", 4) &&
           !memcmp(encoded.data + 8, "WEBP", 4);
}

static uint32_t read_u24(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16;
}

static uint32_t read_u32(const uint8_t *p)
{
    return read_u24(p) | (uint32_t)p[3] << 24;
}

bool stk_webp_is_complete(stk_bytes encoded)
{
    return read_u32(encoded.data + 4) <= encoded.size - CHUNK_HEAD;
}

/* The next chunk's content, as far as it is there; false when not even its head is. at is then past
 * it. */
static bool next_chunk(stk_bytes chunks, size_t *at, const uint8_t **head, stk_bytes *content)
{
    if (*at > chunks.size || chunks.size - *at < CHUNK_HEAD) return false;
    *head = chunks.data + *at;
    const size_t left = chunks.size - *at - CHUNK_HEAD, length = read_u32(*head + 4);
    *content = stk_bytes_of(*head + CHUNK_HEAD, length < left ? length : left);
    *at += CHUNK_HEAD + length + length % 2; /* at most 2^32 + 9 more: no overflow */
    return true;
}

static stk_bytes chunks_of(stk_bytes encoded)
{
    return stk_bytes_of(encoded.data + FILE_HEAD, encoded.size - FILE_HEAD);
}

/* The flags of the extended header, 0 where there is none. */
static int read_flags(stk_bytes encoded)
{
    const stk_bytes chunks = chunks_of(encoded);
    const bool      extended = chunks.size > CHUNK_HEAD && !memcmp(chunks.data, "VP8X", 4);
    return extended ? chunks.data[CHUNK_HEAD] : 0;
}

static bool find_bitstream(stk_bytes chunks, stk_bytes *out)
{
    const uint8_t *head;
    stk_bytes      content;
    for (size_t at = 0; next_chunk(chunks, &at, &head, &content);)
        if (!memcmp(head, "VP8 ", 4) || !memcmp(head, "VP8L", 4)) {
            *out = stk_bytes_of(head, CHUNK_HEAD + content.size);
            return true;
        }
    return false;
}

static bool find_frame(stk_bytes chunks, stk_webp_image *out)
{
    const uint8_t *head;
    stk_bytes      content;
    for (size_t at = 0; next_chunk(chunks, &at, &head, &content);) {
        if (memcmp(head, "ANMF", 4)) continue;
        if (content.size < FRAME_HEAD) return false;
        const uint8_t *p = content.data;
        out->rect = (stk_rect){.x = (int32_t)read_u24(p) * 2,
                               .y = (int32_t)read_u24(p + 3) * 2,
                               .width = (int32_t)read_u24(p + 6) + 1,
                               .height = (int32_t)read_u24(p + 9) + 1};
        return find_bitstream(stk_bytes_of(p + FRAME_HEAD, content.size - FRAME_HEAD),
                              &out->bitstream);
    }
    return false;
}

bool stk_webp_find_image(stk_bytes encoded, stk_webp_image *out)
{
    *out = (stk_webp_image){0};
    if (read_flags(encoded) & HAS_ANIMATION) return find_frame(chunks_of(encoded), out);
    return find_bitstream(chunks_of(encoded), &out->bitstream);
}

stk_bytes stk_webp_find_exif(stk_bytes encoded)
{
    const uint8_t *head;
    stk_bytes      content;
    if (read_flags(encoded) & HAS_EXIF)
        for (size_t at = 0; next_chunk(chunks_of(encoded), &at, &head, &content);)
            if (!memcmp(head, "EXIF", 4)) return content;
    return stk_bytes_of("", 0);
}
