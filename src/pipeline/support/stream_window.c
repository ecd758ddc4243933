/* The sliding window over a file. */
#include "pipeline/support/stream_window.h"

#include "base/ledger_pressure.h"

#include <inttypes.h>
#include <string.h>

enum { READ_BYTES = 256 << 10, SMALL_READ = 16 << 10 };

stk_status stk_stream_window_open(stk_stream_window *w, const stk_filesystem *fs, const char *path,
                                  stk_compression compression, size_t read_bytes,
                                  stk_ledger *ledger, stk_error *err)
{
    const stk_tfrecord_options options = {.compression = compression, .ledger = ledger};
    const size_t default_bytes = stk_ledger_is_pressed(ledger) ? SMALL_READ : READ_BYTES;
    *w = (stk_stream_window){.read_bytes = read_bytes ? read_bytes : default_bytes};
    stk_blob_init(&w->buffer, ledger, STK_MEMORY_READ);
    return stk_tfrecord_input_open(&w->input, fs, path, &options, err);
}

void stk_stream_window_release(stk_stream_window *w)
{
    stk_tfrecord_input_release(&w->input);
    stk_blob_release(&w->buffer);
}

static void move_to_front(stk_stream_window *w)
{
    const size_t available = stk_stream_window_available(w);
    if (w->begin && available) memmove(w->buffer.data, stk_stream_window_data(w), available);
    w->begin = 0;
    w->end = available;
}

/* How much to read: a small file needs no large buffer. */
static size_t to_read(const stk_stream_window *w)
{
    const uint64_t left = stk_tfrecord_input_left(&w->input);
    if (left >= w->read_bytes) return w->read_bytes;
    return left ? (size_t)left : 1;
}

stk_status stk_stream_window_more(stk_stream_window *w, stk_error *err)
{
    if (w->ended) return STK_OK;
    move_to_front(w);
    const size_t wanted = to_read(w);
    size_t       got;
    if (w->buffer.capacity - w->end < wanted) {
        stk_error  cause;
        stk_status st = w->end ? stk_blob_reserve(&w->buffer, w->end + wanted, &cause)
                               : stk_blob_reserve_exact(&w->buffer, wanted, &cause);
        if (st)
            return stk_fail(err, st, "memory", stk_stream_window_path(w),
                            "no memory to read on at byte %" PRIu64 ": %s", w->offset,
                            cause.message);
    }
    STK_TRY(stk_tfrecord_input_read(&w->input, w->buffer.data + w->end, wanted, &got, err));
    w->end += got;
    if (got) return STK_OK;
    w->ended = true;
    if (stk_tfrecord_input_ended(&w->input)) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "read", stk_stream_window_path(w),
                    "the file ends at byte %" PRIu64 "; it was longer when it was opened: %" PRIu64,
                    w->input.position, w->input.file->info.bytes);
}

static stk_status fail_short(const stk_stream_window *w, uint64_t offset, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "read", stk_stream_window_path(w),
                    "the file ends before byte %" PRIu64
                    ", where the checkpoint was taken: it was changed since",
                    offset);
}

stk_status stk_stream_window_move(stk_stream_window *w, uint64_t offset, stk_error *err)
{
    if (!w->input.decompressor) {
        if (offset > w->input.file->info.bytes) return fail_short(w, offset, err);
        stk_tfrecord_input_seek(&w->input, offset);
        w->begin = w->end = 0;
        w->offset = offset;
        w->ended = false;
        return STK_OK;
    }
    while (w->offset < offset) {
        const uint64_t ahead = offset - w->offset;
        const size_t   available = stk_stream_window_available(w);
        stk_stream_window_consume(w, available < ahead ? available : (size_t)ahead);
        if (w->offset == offset) break;
        if (w->ended) return fail_short(w, offset, err);
        STK_TRY(stk_stream_window_more(w, err));
    }
    return STK_OK;
}
