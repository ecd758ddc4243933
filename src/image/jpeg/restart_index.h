/* Where the restart segments of a JPEG begin: kept beside the image, so that a decoder need not
 * look for the markers. The index is untrusted: readers check that a marker is at each offset. As
 * bytes: 1, then varints: MCUs per segment, segments, the first one's place, and each one's length
 * with the two bytes of the marker that ends it (the last one's is EOI). */
#ifndef STK_IMAGE_JPEG_RESTART_INDEX_H
#define STK_IMAGE_JPEG_RESTART_INDEX_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <stoker/bytes.h>

typedef struct stk_restart_index {
    uint32_t  interval; /* MCUs per segment; the last has the rest */
    uint32_t  count;
    uint32_t  first; /* offset of the first segment in the file */
    uint32_t  at;    /* position of the next length in bytes */
    stk_bytes bytes; /* borrowed */
} stk_restart_index;

STK_NODISCARD stk_status stk_restart_index_write(stk_blob *out, uint32_t interval, uint32_t first,
                                                 const uint32_t *lengths, uint32_t count,
                                                 stk_error *err);
/* False if bytes are not an index. */
bool stk_restart_index_read(stk_restart_index *out, stk_bytes bytes);
/* Writes the offsets of all segments and of the end of the last: count + 1 ascending numbers, at
 * most limit (the file's size). False if they are not. */
bool stk_restart_index_offsets(const stk_restart_index *index, uint32_t limit, uint32_t *offsets);

#endif
