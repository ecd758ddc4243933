/* fixed_length_records: records of one length, file after file. */
#include "pipeline/operators/operators.h"
#include "pipeline/support/file_series.h"
#include "pipeline/support/stream_window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>

enum { RECORD_BYTES_MAX = 1 << 30 };

typedef struct params {
    stk_file_source          files;
    size_t                   record_bytes;
    stk_fixed_length_options options;
} params;

typedef struct reader {
    stk_stream_window window;
    const params     *params;
    uint64_t          record;
    bool              started; /* the header was passed */
} reader;

static stk_status check(stk_dataset *data, stk_error *err)
{
    const params *p = data->params;
    if (p->record_bytes == 0 || p->record_bytes > RECORD_BYTES_MAX)
        return stk_fail(err, STK_E_INVALID, "fixed_length_records", NULL,
                        "records of %zu bytes were asked for; give 1 to %d", p->record_bytes,
                        RECORD_BYTES_MAX);
    if (p->options.footer_bytes > RECORD_BYTES_MAX)
        return stk_fail(err, STK_E_INVALID, "fixed_length_records", NULL,
                        "a footer of %" PRIu64 " bytes was given; at most %d are possible",
                        p->options.footer_bytes, RECORD_BYTES_MAX);
    if (p->options.compression > STK_COMPRESSION_ZSTD)
        return stk_fail(err, STK_E_INVALID, "fixed_length_records", NULL,
                        "there is no compression number %d", (int)p->options.compression);
    return stk_file_series_spec(data, "record", err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_file_list_describe(&p->files.list, out, err));
    STK_TRY(stk_describe(out, err, ", %zu bytes each, header %" PRIu64 ", footer %" PRIu64,
                         p->record_bytes, p->options.header_bytes, p->options.footer_bytes));
    return p->options.compression
               ? stk_describe(out, err, ", %s", stk_compression_name(p->options.compression))
               : STK_OK;
}

/* file_bytes is all of the file, unpacked. */
static stk_status check_length(const reader *r, uint64_t file_bytes, stk_error *err)
{
    const stk_fixed_length_options *o = &r->params->options;
    const char                     *path = stk_stream_window_path(&r->window);
    const uint64_t                  frame = o->header_bytes + o->footer_bytes;
    if (file_bytes < o->header_bytes || file_bytes - o->header_bytes < o->footer_bytes)
        return stk_fail(err, STK_E_INVALID, "fixed_length_records", path,
                        "the file has %" PRIu64 " bytes, less than its header of %" PRIu64
                        " and footer of %" PRIu64,
                        file_bytes, o->header_bytes, o->footer_bytes);
    if ((file_bytes - frame) % r->params->record_bytes == 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "fixed_length_records", path,
                    "without a header of %" PRIu64 " and a footer of %" PRIu64
                    " bytes the body length is %" PRIu64
                    " bytes, which is not a multiple of the record length of %zu bytes",
                    o->header_bytes, o->footer_bytes, file_bytes - frame, r->params->record_bytes);
}

static void close_reader(void *untyped)
{
    stk_stream_window_release(&((reader *)untyped)->window);
    free(untyped);
}

/* The length of a plain file is checked before its first record; that of a compressed one shows
 * only at its end. */
static stk_status open_window(reader *r, const stk_filesystem *fs, const char *path,
                              stk_ledger *ledger, stk_error *err)
{
    const stk_fixed_length_options *o = &r->params->options;
    STK_TRY(
        stk_stream_window_open(&r->window, fs, path, o->compression, o->buffer_bytes, ledger, err));
    return r->window.input.decompressor ? STK_OK
                                        : check_length(r, r->window.input.file->info.bytes, err);
}

static stk_status open_reader(void **out, const void *p, const stk_filesystem *fs, const char *path,
                              stk_ledger *ledger, stk_error *err)
{
    reader *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r)
        return stk_fail(err, STK_E_NOMEM, "fixed_length_records", path, "no memory for a reader");
    r->params = p;
    stk_status st = open_window(r, fs, path, ledger, err);
    if (st)
        close_reader(r);
    else
        *out = r;
    return st;
}

static stk_status pass_header(reader *r, stk_error *err)
{
    stk_stream_window *w = &r->window;
    uint64_t           left = r->params->options.header_bytes;
    while (left) {
        const size_t available = stk_stream_window_available(w);
        const size_t passed = available < left ? available : (size_t)left;
        stk_stream_window_consume(w, passed);
        left -= passed;
        if (!left) break;
        if (w->ended) return check_length(r, w->offset, err);
        STK_TRY(stk_stream_window_more(w, err));
    }
    r->started = true;
    return STK_OK;
}

/* A record is valid only if a complete footer follows: the window is kept that far ahead. */
static stk_status next_record(void *untyped, stk_ledger *ledger, stk_record *record,
                              stk_buffer **owner, stk_error *err)
{
    (void)ledger;
    *owner = NULL;
    reader            *r = untyped;
    stk_stream_window *w = &r->window;
    const size_t       bytes = r->params->record_bytes;
    const size_t       need = bytes + (size_t)r->params->options.footer_bytes;
    if (!r->started) STK_TRY(pass_header(r, err));
    *record = (stk_record){.offset = w->offset, .index = r->record};
    while (stk_stream_window_available(w) < need && !w->ended)
        STK_TRY(stk_stream_window_more(w, err));
    if (stk_stream_window_available(w) < need)
        return check_length(r, w->offset + stk_stream_window_available(w), err);
    record->bytes = stk_bytes_of(stk_stream_window_data(w), bytes);
    stk_stream_window_consume(w, bytes);
    r->record++;
    return STK_OK;
}

static stk_file_position position_of(const void *untyped)
{
    const reader *r = untyped;
    return (stk_file_position){r->window.offset, r->record};
}

static stk_status move(void *untyped, const void *p, stk_file_position position, stk_error *err)
{
    (void)p;
    reader *r = untyped;
    r->record = position.index;
    r->started = position.offset > 0;
    return stk_stream_window_move(&r->window, position.offset, err);
}

static const stk_file_format format = {
    .open = open_reader,
    .next = next_record,
    .position = position_of,
    .move = move,
    .close = close_reader,
};

const stk_operator stk_operator_fixed_length_records = {
    .name = "fixed_length_records",
    .identity = "fixed",
    .params_bytes = sizeof(params),
    .check = check,
    .describe = describe,
    STK_FILE_SOURCE_OP,
};

stk_status stk_dataset_fixed_length_records(stk_dataset **out, const stk_filesystem *fs,
                                            const char *const *paths, size_t count,
                                            uint64_t                        record_bytes,
                                            const stk_fixed_length_options *options, stk_error *err)
{
    *out = NULL;
    params p = {.files = {.format = &format, .fs = fs}, .record_bytes = (size_t)record_bytes};
    STK_TRY(stk_file_list_copy(&p.files.list, "fixed_length_records", paths, count, err));
    if (options) p.options = *options;
    return stk_dataset_make(out, &stk_operator_fixed_length_records, &p, NULL, 0, err);
}
