/* The orientation in an EXIF block: one look at the first directory, which is a flat table. */
#include "image/codec/codec.h"

enum {
    HEADER_BYTES = 8, /* byte order, 42, offset of the first directory */
    ENTRY_BYTES = 12, /* tag, type, count, value */
    TAG_ORIENTATION = 0x0112,
    TYPE_SHORT = 3,
    TYPE_LONG = 4
};

typedef struct tiff {
    stk_bytes bytes;
    bool      big_endian;
} tiff;

static uint32_t read_u16(const tiff *t, size_t at)
{
    const uint8_t *p = t->bytes.data + at;
    return t->big_endian ? (uint32_t)p[0] << 8 | p[1] : (uint32_t)p[1] << 8 | p[0];
}

static uint32_t read_u32(const tiff *t, size_t at)
{
    const uint32_t a = read_u16(t, at), b = read_u16(t, at + 2);
    return t->big_endian ? a << 16 | b : b << 16 | a;
}

static bool read_header(tiff *t)
{
    if (t->bytes.size < HEADER_BYTES) return false;
    t->big_endian = t->bytes.data[0] == 'M';
    return !memcmp(t->bytes.data, t->big_endian ? "MM\0*" : "II*\0", 4);
}

/* The value of an entry that holds one number, else 0. */
static uint32_t read_number(const tiff *t, size_t entry)
{
    const uint32_t type = read_u16(t, entry + 2), count = read_u32(t, entry + 4);
    if (count != 1) return 0;
    if (type == TYPE_SHORT) return read_u16(t, entry + 8);
    return type == TYPE_LONG ? read_u32(t, entry + 8) : 0;
}

int stk_exif_orientation(stk_bytes exif)
{
    tiff t = {.bytes = exif};
    if (exif.size > 6 && !memcmp(exif.data, "Exif\0", 6))
        t.bytes = stk_bytes_of(exif.data + 6, exif.size - 6);
    if (!read_header(&t)) return 1;
    const size_t directory = read_u32(&t, 4);
    if (directory < HEADER_BYTES || directory > t.bytes.size - 2) return 1;
    const size_t entries_that_fit = (t.bytes.size - directory - 2) / ENTRY_BYTES;
    size_t       count = read_u16(&t, directory);
    uint32_t     found = 1;
    if (count > entries_that_fit) count = entries_that_fit;
    for (size_t i = 0; i < count; i++) { /* of two, the last holds: so does Pillow read it */
        const size_t entry = directory + 2 + i * ENTRY_BYTES;
        if (read_u16(&t, entry) == TAG_ORIENTATION) found = read_number(&t, entry);
    }
    return found >= 1 && found <= 8 ? (int)found : 1;
}
