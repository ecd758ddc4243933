/* Gzip files into memory, a piece at a time. */
#include "storage/source/gunzip.h"

#include <inttypes.h>
#include <stdlib.h>
#include <zlib.h>

enum {
    PIECE = 64 << 10,
    GZIP_ONLY = 15 + 16, /* the largest window, with gzip's header and checksum */
};

typedef struct inflation {
    z_stream  stream;
    stk_file *file;
    uint64_t  offset;
    uint64_t  limit;
    stk_blob *out;
    bool      at_end;    /* of the file */
    bool      in_member; /* inside a member */
    bool      ended;     /* a member was over */
    bool      full;      /* the limit is reached */
    uint8_t   piece[PIECE];
} inflation;

bool stk_is_gzip(stk_bytes head)
{
    return head.size >= 3 && head.data[0] == 0x1f && head.data[1] == 0x8b && head.data[2] == 8;
}

static stk_status refill(inflation *i, stk_error *err)
{
    size_t got;
    STK_TRY(stk_file_read_at(i->file, i->piece, sizeof i->piece, i->offset, &got, err));
    i->offset += got;
    i->stream.next_in = i->piece;
    i->stream.avail_in = (uInt)got;
    i->at_end = got == 0;
    return STK_OK;
}

/* Reserves another piece of output, one byte past the limit to detect excess. */
static stk_status reserve_output(inflation *i, stk_error *err)
{
    stk_blob *out = i->out;
    if (out->size == out->capacity) STK_TRY(stk_blob_reserve(out, out->size + PIECE, err));
    uint64_t left = out->capacity - out->size;
    if (i->limit < UINT64_MAX && left > i->limit + 1 - out->size) left = i->limit + 1 - out->size;
    if (left > PIECE) left = PIECE;
    i->stream.next_out = out->data + out->size;
    i->stream.avail_out = (uInt)left;
    return STK_OK;
}

static stk_status say_damaged(const inflation *i, int code, stk_error *err)
{
    return stk_fail(err, STK_E_DATALOSS, "gunzip", i->file->path,
                    "the compressed data is damaged after %zu bytes of content: %s", i->out->size,
                    i->stream.msg            ? i->stream.msg
                    : code == Z_NEED_DICT    ? "a dictionary is asked for"
                    : code == Z_STREAM_ERROR ? "not a gzip file"
                                             : "no valid data");
}

static stk_status inflate_piece(inflation *i, stk_error *err)
{
    STK_TRY(reserve_output(i, err));
    const uInt left = i->stream.avail_out;
    i->in_member = true;
    const int code = inflate(&i->stream, Z_NO_FLUSH);
    i->out->size += left - i->stream.avail_out;
    if (code == Z_MEM_ERROR)
        return stk_fail(err, STK_E_NOMEM, "gunzip", i->file->path, "no memory to inflate");
    if (code == Z_STREAM_END) {
        i->in_member = false;
        i->ended = true;
        inflateReset(&i->stream);
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        return say_damaged(i, code, err);
    }
    i->full = i->out->size > i->limit;
    if (i->full) i->out->size = (size_t)i->limit;
    return STK_OK;
}

static stk_status inflate_all(inflation *i, stk_error *err)
{
    while (!i->full) {
        if (!i->stream.avail_in) STK_TRY(refill(i, err));
        if (i->at_end) break;
        /* Zeroes after the last member are padding, as gzip itself holds them. */
        if (!i->in_member && i->ended && !*i->stream.next_in) {
            i->stream.next_in++;
            i->stream.avail_in--;
            continue;
        }
        STK_TRY(inflate_piece(i, err));
    }
    if (i->full || (i->ended && !i->in_member)) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "gunzip", i->file->path,
                    "the compressed file ends too early: %" PRIu64 " bytes give %zu", i->offset,
                    i->out->size);
}

static stk_status inflate_file(inflation *i, stk_error *err)
{
    if (inflateInit2(&i->stream, GZIP_ONLY) != Z_OK)
        return stk_fail(err, STK_E_NOMEM, "gunzip", i->file->path, "no memory to inflate");
    const stk_status st = inflate_all(i, err);
    inflateEnd(&i->stream);
    return st;
}

stk_status stk_gunzip_file(const stk_filesystem *fs, const char *path, uint64_t limit_bytes,
                           stk_blob *out, bool *more, stk_error *err)
{
    *more = false;
    out->size = 0;
    inflation *i = calloc(1, sizeof *i);
    if (!i) return stk_fail(err, STK_E_NOMEM, "gunzip", path, "no memory to inflate");
    i->limit = limit_bytes;
    i->out = out;
    stk_status st = stk_file_open(&i->file, fs, path, STK_ACCESS_SEQUENTIAL, err);
    if (!st) st = inflate_file(i, err);
    *more = i->full;
    stk_file_close(i->file);
    free(i);
    return st;
}
