/* Finds the next valid record after damage. The reader only moves forward and holds at most a
 * record and a header: a header whose length has the right checksum is a true boundary (a false one
 * has a chance of one in 4 billion), so nothing before it is needed. */
#include "storage/record/tfrecord_format.h"
#include "storage/record/tfrecord_reader.h"

static size_t available(const stk_tfrecord_reader *reader)
{
    return reader->end - reader->begin;
}

/* Makes need bytes available or all there are; where compression breaks, the stream ends. */
static stk_status want(stk_tfrecord_reader *reader, size_t need, stk_error *err)
{
    if (available(reader) >= need) return STK_OK;
    stk_status st = stk_tfrecord_reader_fill(reader, need, reader->buffer_bytes, err);
    if (st == STK_E_DATALOSS) {
        stk_tfrecord_input_abandon(&reader->input);
        st = STK_OK;
    }
    return st;
}

/* Whether a plausible header is at distance from begin; *frame is the size of its record. Its 12
 * bytes must be available. The length is checked first: random bytes mostly give an absurd one,
 * which saves the checksum. */
static bool is_header(const stk_tfrecord_reader *reader, size_t distance, size_t *frame)
{
    const uint8_t *header = reader->buffer.data + reader->begin + distance;
    const uint64_t length = stk_load_u64(header);
    const uint64_t to_come = stk_tfrecord_input_left(&reader->input);
    if (length > reader->max_record_bytes || length > SIZE_MAX / 4) return false;
    *frame = (size_t)length + STK_TFRECORD_FRAME;
    if (to_come != UINT64_MAX && *frame > available(reader) - distance + to_come) return false;
    return stk_tfrecord_header_is_valid(header);
}

/* Whether the frame at begin is complete with valid data. */
static stk_status is_record(stk_tfrecord_reader *reader, size_t frame, bool *valid, stk_error *err)
{
    *valid = false;
    STK_TRY(want(reader, frame, err));
    if (available(reader) < frame) return STK_OK;
    const uint8_t *data = reader->buffer.data + reader->begin + STK_TFRECORD_HEADER;
    const size_t   length = frame - STK_TFRECORD_FRAME;
    *valid = stk_load_u32(data + length) == stk_tfrecord_checksum(data, length);
    return STK_OK;
}

/* From a damaged record with a valid header: moves to its end if the file ends there or a header
 * follows. */
static stk_status try_own_end(stk_tfrecord_reader *reader, size_t frame, bool *moved,
                              stk_error *err)
{
    size_t next;
    *moved = false;
    STK_TRY(want(reader, frame + STK_TFRECORD_HEADER, err));
    if (available(reader) < frame) return STK_OK;
    const size_t beyond = available(reader) - frame;
    *moved = !beyond || (beyond >= STK_TFRECORD_HEADER && is_header(reader, frame, &next));
    if (*moved) stk_tfrecord_reader_advance(reader, frame);
    return STK_OK;
}

/* Moves byte by byte to the next header, or to the end of the file. */
static stk_status scan(stk_tfrecord_reader *reader, stk_error *err)
{
    size_t frame;
    for (;;) {
        STK_TRY(want(reader, STK_TFRECORD_HEADER, err));
        if (available(reader) < STK_TFRECORD_HEADER) {
            stk_tfrecord_reader_advance(reader, available(reader));
            return STK_OK;
        }
        if (is_header(reader, 0, &frame)) return STK_OK;
        stk_tfrecord_reader_advance(reader, 1);
    }
}

/* A hostile file can hold a header at every 12th byte, each of a record as long as the rest of the
 * file. In any other file records do not overlap, so that far fewer bytes are checked than this. */
static bool is_hostile(const stk_tfrecord_reader *reader)
{
    const uint64_t allowed = 64 << 20, times = 8;
    return reader->checked > allowed && (reader->checked - allowed) / times > reader->offset;
}

/* One step from a position without a valid record: to the end of the record whose header is here,
 * if it is one or the file is hostile, else to the next header. */
static stk_status move_on(stk_tfrecord_reader *reader, stk_error *err)
{
    bool   header, moved = false;
    size_t frame, step = 1;
    STK_TRY(want(reader, STK_TFRECORD_HEADER, err));
    header = available(reader) >= STK_TFRECORD_HEADER && is_header(reader, 0, &frame);
    if (header) STK_TRY(try_own_end(reader, frame, &moved, err));
    if (moved) return STK_OK;
    if (header && frame <= available(reader) && is_hostile(reader)) step = frame;
    if (available(reader)) stk_tfrecord_reader_advance(reader, step);
    return scan(reader, err);
}

stk_status stk_tfrecord_reader_resync(stk_tfrecord_reader *reader, uint64_t *lost_bytes,
                                      stk_error *err)
{
    const uint64_t begin = reader->offset;
    bool           valid = false;
    size_t         frame;
    *lost_bytes = 0;
    if (!reader->damaged) return STK_OK;
    while (!valid) {
        STK_TRY(move_on(reader, err));
        if (!available(reader)) break; /* scan and try_own_end leave nothing only at the end */
        if (!is_header(reader, 0, &frame)) continue;
        STK_TRY(is_record(reader, frame, &valid, err));
        reader->checked += frame;
    }
    if (!valid) stk_tfrecord_input_abandon(&reader->input);
    *lost_bytes = reader->offset - begin;
    reader->damaged = false;
    reader->index++;
    return STK_OK;
}
