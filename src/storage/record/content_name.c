/* Telling kinds of files apart: by signature, then by TFRecord's own checksum, then as text. */
#include "storage/record/content_name.h"

#include "storage/record/tfrecord_format.h"

typedef struct signature {
    const char *name;
    const char *bytes;
    uint16_t    size;
    uint16_t    offset;
} signature;

/* Longer signatures of a family stand before shorter ones. */
static const signature signatures[] = {
    {"JPEG", "\xff\xd8\xff", 3, 0},
    {"PNG", "\x89PNG\r\n\x1a\n", 8, 0},
    {"PNM", "P1\n", 3, 0},
    {"PNM", "P2\n", 3, 0},
    {"PNM", "P3\n", 3, 0},
    {"PNM", "P4\n", 3, 0},
    {"PNM", "P5\n", 3, 0},
    {"PNM", "P6\n", 3, 0},
    {"GIF", "GIF87a", 6, 0},
    {"GIF", "GIF89a", 6, 0},
    {"WebP", "WEBP", 4, 8},
    {"WAV", "WAVE", 4, 8},
    {"AVI", "AVI ", 4, 8},
    {"TIFF", "II*\0", 4, 0},
    {"TIFF", "MM\0*", 4, 0},
    {"JPEG XL", "\xff\x0a", 2, 0},
    {"JPEG XL", "\0\0\0\x0cJXL \r\n\x87\n", 12, 0},
    {"JPEG 2000", "\0\0\0\x0cjP  \r\n\x87\n", 12, 0},
    {"AVIF", "ftypavif", 8, 4},
    {"HEIF", "ftypheic", 8, 4},
    {"HEIF", "ftypmif1", 8, 4},
    {"MP4", "ftyp", 4, 4},
    {"gzip", "\x1f\x8b\x08", 3, 0},
    {"zstd", "\x28\xb5\x2f\xfd", 4, 0},
    {"bzip2", "BZh", 3, 0},
    {"xz",
     "\xfd"
     "7zXZ\0",
     6, 0},
    {"LZ4", "\x04\x22\x4d\x18", 4, 0},
    {"zip", "PK\x03\x04", 4, 0},
    {"zip", "PK\x05\x06", 4, 0},
    {"HDF5", "\x89HDF\r\n\x1a\n", 8, 0},
    {"NumPy", "\x93NUMPY", 6, 0},
    {"Parquet", "PAR1", 4, 0},
    {"Arrow", "ARROW1", 6, 0},
    {"LMDB", "\xde\xc0\xef\xbe", 4, 16},
    {"SQLite", "SQLite format 3\0", 16, 0},
    {"PDF", "%PDF-", 5, 0},
    {"ELF",
     "\x7f"
     "ELF",
     4, 0},
    {"MNIST IDX", "\0\0\x08\x01", 4, 0},
    {"MNIST IDX", "\0\0\x08\x03", 4, 0},
    {"tar", "ustar", 5, 257},
};

static bool matches(const signature *s, stk_bytes bytes)
{
    return bytes.size >= (size_t)s->offset + s->size &&
           memcmp(bytes.data + s->offset, s->bytes, s->size) == 0;
}

static bool is_bmp(stk_bytes bytes)
{
    /* "BM" alone begins many texts; the reserved words behind the size are zero. */
    return bytes.size >= 18 && memcmp(bytes.data, "BM", 2) == 0 &&
           stk_load_u32(bytes.data + 6) == 0 && stk_load_u32(bytes.data + 14) <= 256;
}

static bool is_text(stk_bytes bytes)
{
    size_t high = 0;
    for (size_t i = 0; i < bytes.size; i++) {
        const uint8_t c = bytes.data[i];
        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r' && c != '\f') || c == 0x7f)
            return false;
        high += c >= 0x80;
    }
    return bytes.size && high <= bytes.size / 2;
}

const char *stk_content_name(stk_bytes first_bytes)
{
    stk_bytes bytes = first_bytes;
    if (bytes.size > STK_CONTENT_BYTES) bytes.size = STK_CONTENT_BYTES;
    if (bytes.size >= STK_TFRECORD_HEADER && stk_tfrecord_header_is_valid(bytes.data))
        return "TFRecord";
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++)
        if (matches(&signatures[i], bytes)) return signatures[i].name;
    if (is_bmp(bytes)) return "BMP";
    return is_text(bytes) ? "text" : "";
}
