/* A sliding window over the text of a trace file, decompressed if it is gzip. */
#ifndef STK_OBSERVE_TIMELINE_TRACE_INPUT_H
#define STK_OBSERVE_TIMELINE_TRACE_INPUT_H

#include <stdbool.h>
#include <stoker/timeline.h>
#include <zlib.h>

typedef struct stk_trace_input {
    stk_file                   *file;
    const stk_timeline_options *options;   /* for progress; borrowed */
    uint64_t                    file_read; /* bytes of the file, before decompression */
    stk_blob                    window;    /* unread from begin on */
    size_t                      begin;
    uint64_t                    position; /* offset of the window's first byte in the text */
    stk_blob                    packed;   /* compressed bytes; empty: plain file */
    z_stream                    unpack;
    bool                        is_packed, ended;
    bool                        cut; /* the compressed data is truncated */
} stk_trace_input;

/* Must be released even on failure. */
STK_NODISCARD stk_status stk_trace_input_open(stk_trace_input *in, const char *path,
                                              const stk_timeline_options *options, stk_error *err);
void                     stk_trace_input_release(stk_trace_input *in);

static inline stk_bytes stk_trace_input_unread(const stk_trace_input *in)
{
    return stk_bytes_of(in->window.data + in->begin, in->window.size - in->begin);
}

/* Offset in the text of a byte of the window. */
static inline uint64_t stk_trace_input_position(const stk_trace_input *in, const uint8_t *at)
{
    return in->position + (uint64_t)(at - in->window.data);
}

/* Consumes the window up to until. */
static inline void stk_trace_input_take(stk_trace_input *in, const uint8_t *until)
{
    in->begin = (size_t)(until - in->window.data);
}

/* Reads more bytes after the unread ones, which move; none once ended is set. STK_E_LIMIT if one
 * value exceeds the largest window. */
STK_NODISCARD stk_status stk_trace_input_fill(stk_trace_input *in, stk_error *err);

#endif
