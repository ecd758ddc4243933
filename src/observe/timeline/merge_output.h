/* A file that a merged trace is written to, packed by gzip where its name says so, and JSON that is
 * copied into it: what other tools got wrong is put right on the way. */
#ifndef STK_OBSERVE_TIMELINE_MERGE_OUTPUT_H
#define STK_OBSERVE_TIMELINE_MERGE_OUTPUT_H

#include <stdbool.h>
#include <stoker/filesystem.h>
#include <zlib.h>

typedef struct stk_merge_output {
    stk_output *file;
    stk_blob    text;   /* not yet written */
    stk_blob    packed; /* room for what deflate gives */
    z_stream    pack;
    bool        is_packed;
} stk_merge_output;

/* Release it even on failure; without a commit nothing is left behind. */
STK_NODISCARD stk_status stk_merge_output_open(stk_merge_output *out, const stk_filesystem *fs,
                                               const char *path, stk_error *err);
STK_NODISCARD stk_status stk_merge_output_commit(stk_merge_output *out, stk_error *err);
void                     stk_merge_output_release(stk_merge_output *out);

STK_NODISCARD stk_status stk_merge_put(stk_merge_output *out, stk_bytes text, stk_error *err);
STK_NODISCARD stk_status stk_merge_print(stk_merge_output *out, stk_error *err, const char *format,
                                         ...) STK_PRINTF(3, 4);
/* A value of JSON: characters that strings may not have are escaped, words that are no values
 * become null. */
STK_NODISCARD stk_status stk_merge_put_value(stk_merge_output *out, stk_bytes value,
                                             stk_error *err);
/* A string without its opening quote: what stands before it was put already. */
STK_NODISCARD stk_status stk_merge_put_rest(stk_merge_output *out, stk_bytes string,
                                            stk_error *err);

#endif
