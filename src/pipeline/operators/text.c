/* text: the lines of text files, file by file. */
#include "pipeline/operators/operators.h"
#include "pipeline/support/file_series.h"
#include "pipeline/support/stream_window.h"

#include <inttypes.h>
#include <stdlib.h>
#include <stoker/dataset_sources.h>

enum { LINE_BYTES_MAX = 1 << 30 }; /* unless the options say otherwise */

typedef struct params {
    stk_file_source     files;
    stk_records_options options;
} params;

typedef struct reader {
    stk_stream_window window;
    uint64_t          line; /* number of the next */
    uint64_t          line_bytes_max;
} reader;

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_records_options *o = &((const params *)data->params)->options;
    if (o->compression > STK_COMPRESSION_ZSTD)
        return stk_fail(err, STK_E_INVALID, "text", NULL, "there is no compression number %d",
                        (int)o->compression);
    return stk_file_series_spec(data, "line", err);
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const params *p = data->params;
    STK_TRY(stk_file_list_describe(&p->files.list, out, err));
    if (p->options.max_record_bytes)
        STK_TRY(stk_describe(out, err, ", at most %" PRIu64 " bytes", p->options.max_record_bytes));
    return p->options.compression
               ? stk_describe(out, err, ", %s", stk_compression_name(p->options.compression))
               : STK_OK;
}

static void close_reader(void *untyped)
{
    stk_stream_window_release(&((reader *)untyped)->window);
    free(untyped);
}

static stk_status open_reader(void **out, const void *untyped, const stk_filesystem *fs,
                              const char *path, stk_ledger *ledger, stk_error *err)
{
    const params *p = untyped;
    reader       *r = calloc(1, sizeof *r);
    *out = NULL;
    if (!r) return stk_fail(err, STK_E_NOMEM, "text", path, "no memory for a reader");
    r->line_bytes_max = p->options.max_record_bytes ? p->options.max_record_bytes : LINE_BYTES_MAX;
    stk_status st = stk_stream_window_open(&r->window, fs, path, p->options.compression,
                                           p->options.buffer_bytes, ledger, err);
    if (st)
        close_reader(r);
    else
        *out = r;
    return st;
}

/* Reads until the window holds a complete line: *length without its newline, *ends with it. */
static stk_status find_line(reader *r, size_t *length, size_t *ends, stk_error *err)
{
    stk_stream_window *w = &r->window;
    size_t             looked = 0;
    for (;;) {
        const size_t   available = stk_stream_window_available(w);
        const uint8_t *data = available ? stk_stream_window_data(w) : NULL;
        const uint8_t *newline = data ? memchr(data + looked, '\n', available - looked) : NULL;
        *length = newline ? (size_t)(newline - data) : available;
        *ends = *length + (newline != NULL);
        if (*length > r->line_bytes_max)
            return stk_fail(err, STK_E_LIMIT, "text", stk_stream_window_path(w),
                            "line %" PRIu64 " at byte %" PRIu64
                            " is longer than the limit of %" PRIu64
                            " bytes: raise max_record_bytes to read it",
                            r->line, w->offset, r->line_bytes_max);
        if (newline || w->ended) break;
        looked = available;
        STK_TRY(stk_stream_window_more(w, err));
    }
    if (*ends > *length && *length && stk_stream_window_data(w)[*length - 1] == '\r') --*length;
    return STK_OK;
}

static stk_status next_line(void *untyped, stk_ledger *ledger, stk_record *record,
                            stk_buffer **owner, stk_error *err)
{
    (void)ledger;
    *owner = NULL;
    reader *r = untyped;
    size_t  length, ends;
    *record = (stk_record){.offset = r->window.offset, .index = r->line};
    STK_TRY(find_line(r, &length, &ends, err));
    if (!ends) return STK_OK;
    record->bytes = stk_bytes_of(stk_stream_window_data(&r->window), length);
    stk_stream_window_consume(&r->window, ends);
    r->line++;
    return STK_OK;
}

static stk_file_position position_of(const void *untyped)
{
    const reader *r = untyped;
    return (stk_file_position){r->window.offset, r->line};
}

static stk_status move(void *untyped, const void *p, stk_file_position position, stk_error *err)
{
    (void)p;
    reader *r = untyped;
    r->line = position.index;
    return stk_stream_window_move(&r->window, position.offset, err);
}

static const stk_file_format format = {
    .open = open_reader,
    .next = next_line,
    .position = position_of,
    .move = move,
    .close = close_reader,
};

const stk_operator stk_operator_text = {
    .name = "text",
    .params_bytes = sizeof(params),
    .check = check,
    .describe = describe,
    STK_FILE_SOURCE_OP,
};

stk_status stk_dataset_text(stk_dataset **out, const stk_filesystem *fs, const char *const *paths,
                            size_t count, const stk_records_options *options, stk_error *err)
{
    *out = NULL;
    params p = {.files = {.format = &format, .fs = fs}};
    STK_TRY(stk_file_list_copy(&p.files.list, "text", paths, count, err));
    if (options) p.options = *options;
    return stk_dataset_make(out, &stk_operator_text, &p, NULL, 0, err);
}
