/* Frames records in memory, so that many threads can prepare for one writer. */
#include "base/checked.h"
#include "storage/record/tfrecord_format.h"

stk_status stk_tfrecord_frame_begin(stk_blob *blob, size_t *position, stk_error *err)
{
    static const uint8_t zeros[STK_TFRECORD_HEADER] = {0};
    *position = blob->size;
    return stk_blob_append(blob, zeros, sizeof zeros, err);
}

stk_status stk_tfrecord_frame_end(stk_blob *blob, size_t position, stk_error *err)
{
    if (position > blob->size || blob->size - position < STK_TFRECORD_HEADER)
        return stk_fail(err, STK_E_INVALID, "write", NULL,
                        "no frame was begun at position %zu of %zu bytes", position, blob->size);
    const size_t length = blob->size - position - STK_TFRECORD_HEADER;
    uint8_t      footer[STK_TFRECORD_FOOTER];
    stk_store_u32(footer, stk_tfrecord_checksum(blob->data + blob->size - length, length));
    STK_TRY(stk_blob_append(blob, footer, sizeof footer, err));
    stk_tfrecord_store_header(blob->data + position, length);
    return STK_OK;
}

stk_status stk_tfrecord_frame(stk_blob *blob, stk_bytes record, stk_error *err)
{
    size_t end;
    if (stk_add_overflows(blob->size, STK_TFRECORD_FRAME, &end) ||
        stk_add_overflows(end, record.size, &end))
        return stk_fail(err, STK_E_LIMIT, "write", NULL, "%zu + %zu bytes do not fit in memory",
                        blob->size, record.size);
    STK_TRY(stk_blob_reserve(blob, end, err));
    uint8_t *frame = blob->data + blob->size;
    stk_tfrecord_store_header(frame, record.size);
    if (record.size) memcpy(frame + STK_TFRECORD_HEADER, record.data, record.size);
    stk_store_u32(frame + STK_TFRECORD_HEADER + record.size,
                  stk_tfrecord_checksum(frame + STK_TFRECORD_HEADER, record.size));
    blob->size = end;
    return STK_OK;
}
