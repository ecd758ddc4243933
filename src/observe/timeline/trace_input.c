/* A sliding window over a trace file: unread bytes move to the front, and more are read after
 * them. */
#include "observe/timeline/trace_input.h"

enum { FIRST_WINDOW = 512 << 10, LARGEST_WINDOW = 64 << 20, PACKED_BYTES = 128 << 10 };
enum { GZIP_WINDOW = 15 + 16 }; /* zlib: largest window, gzip header */

static stk_status begin_unpacking(stk_trace_input *in, stk_error *err)
{
    STK_TRY(stk_blob_reserve_exact(&in->packed, PACKED_BYTES, err));
    if (inflateInit2(&in->unpack, GZIP_WINDOW) != Z_OK)
        return stk_fail(err, STK_E_NOMEM, "trace", in->file->path, "no memory to unpack gzip");
    in->is_packed = true;
    return STK_OK;
}

stk_status stk_trace_input_open(stk_trace_input *in, const char *path,
                                const stk_timeline_options *options, stk_error *err)
{
    uint8_t magic[2];
    size_t  got;
    *in = (stk_trace_input){.options = options};
    stk_blob_init(&in->window, NULL, STK_MEMORY_READ);
    stk_blob_init(&in->packed, NULL, STK_MEMORY_READ);
    STK_TRY(stk_file_open(&in->file, options->fs, path, STK_ACCESS_SEQUENTIAL, err));
    STK_TRY(stk_blob_reserve_exact(&in->window, FIRST_WINDOW, err));
    STK_TRY(stk_file_read_at(in->file, magic, sizeof magic, 0, &got, err));
    if (got == 2 && magic[0] == 0x1F && magic[1] == 0x8B) STK_TRY(begin_unpacking(in, err));
    return STK_OK;
}

void stk_trace_input_release(stk_trace_input *in)
{
    if (in->is_packed) inflateEnd(&in->unpack);
    stk_blob_release(&in->packed);
    stk_blob_release(&in->window);
    stk_file_close(in->file);
    in->file = NULL;
    in->is_packed = false;
}

static stk_status read_file(stk_trace_input *in, void *dst, size_t size, size_t *got,
                            stk_error *err)
{
    STK_TRY(stk_cancel_check(in->options->cancel, "trace", err));
    STK_TRY(stk_file_read_at(in->file, dst, size, in->file_read, got, err));
    in->file_read += *got;
    if (in->options->progress)
        in->options->progress(in->options->context, in->file_read, in->file->info.bytes);
    return STK_OK;
}

static stk_status refill_packed(stk_trace_input *in, stk_error *err)
{
    if (in->unpack.avail_in) return STK_OK;
    STK_TRY(read_file(in, in->packed.data, in->packed.capacity, &in->packed.size, err));
    in->unpack.next_in = in->packed.data;
    in->unpack.avail_in = (uInt)in->packed.size;
    return STK_OK;
}

/* gzip members may be concatenated; other trailing bytes are ignored. */
static stk_status end_member(stk_trace_input *in, stk_error *err)
{
    STK_TRY(refill_packed(in, err));
    in->ended = in->unpack.avail_in == 0 || in->unpack.next_in[0] != 0x1F;
    if (!in->ended) inflateReset(&in->unpack);
    return STK_OK;
}

static stk_status unpack(stk_trace_input *in, uint8_t *dst, size_t capacity, size_t *got,
                         stk_error *err)
{
    in->unpack.next_out = dst;
    in->unpack.avail_out = (uInt)capacity;
    while (in->unpack.avail_out == capacity && !in->ended) {
        STK_TRY(refill_packed(in, err));
        if (!in->unpack.avail_in) {
            in->ended = in->cut = true;
            break;
        }
        const int code = inflate(&in->unpack, Z_NO_FLUSH);
        if (code == Z_STREAM_END)
            STK_TRY(end_member(in, err));
        else if (code != Z_OK && code != Z_BUF_ERROR)
            return stk_fail(err, STK_E_DATALOSS, "trace", in->file->path,
                            "byte %llu: the gzip data is damaged (%s)",
                            (unsigned long long)(in->file_read - in->unpack.avail_in),
                            in->unpack.msg ? in->unpack.msg : "zlib gives no reason");
    }
    *got = capacity - in->unpack.avail_out;
    return STK_OK;
}

/* Doubles the window if a value does not fit. */
static stk_status reserve(stk_trace_input *in, stk_error *err)
{
    const size_t unread = in->window.size - in->begin;
    if (unread && in->begin) memmove(in->window.data, in->window.data + in->begin, unread);
    in->position += in->begin;
    in->begin = 0;
    in->window.size = unread;
    if (unread < in->window.capacity / 2) return STK_OK;
    if (in->window.capacity >= LARGEST_WINDOW)
        return stk_fail(err, STK_E_LIMIT, "trace", in->file->path,
                        "byte %llu: one event of more than %d MB; events of traces are small",
                        (unsigned long long)in->position, LARGEST_WINDOW >> 20);
    return stk_blob_reserve_exact(&in->window, in->window.capacity * 2, err);
}

stk_status stk_trace_input_fill(stk_trace_input *in, stk_error *err)
{
    size_t got = 0;
    if (in->ended) return STK_OK;
    STK_TRY(reserve(in, err));
    uint8_t     *dst = in->window.data + in->window.size;
    const size_t capacity = in->window.capacity - in->window.size;
    if (in->is_packed) {
        STK_TRY(unpack(in, dst, capacity, &got, err));
    } else {
        STK_TRY(read_file(in, dst, capacity, &got, err));
        in->ended = got == 0;
    }
    in->window.size += got;
    return STK_OK;
}
