/* Output file of a merge, gzip by its name. Copied JSON is repaired where other tools wrote invalid
 * text. */
#ifndef STK_OBSERVE_TIMELINE_MERGE_OUTPUT_H
#define STK_OBSERVE_TIMELINE_MERGE_OUTPUT_H

#include <stdbool.h>
#include <stoker/filesystem.h>
#include <zlib.h>

typedef struct stk_merge_output {
    stk_output *file;
    stk_blob    text;   /* not yet written */
    stk_blob    packed; /* output buffer of deflate */
    z_stream    pack;
    bool        is_packed;
} stk_merge_output;

/* Must be released even on failure; without a commit no file is left. */
STK_NODISCARD stk_status stk_merge_output_open(stk_merge_output *out, const stk_filesystem *fs,
                                               const char *path, stk_error *err);
STK_NODISCARD stk_status stk_merge_output_commit(stk_merge_output *out, stk_error *err);
void                     stk_merge_output_release(stk_merge_output *out);

STK_NODISCARD stk_status stk_merge_put(stk_merge_output *out, stk_bytes text, stk_error *err);
STK_NODISCARD stk_status stk_merge_print(stk_merge_output *out, stk_error *err, const char *format,
                                         ...) STK_PRINTF(3, 4);
/* Writes a JSON value: escapes invalid characters in strings and replaces invalid words by null. */
STK_NODISCARD stk_status stk_merge_put_value(stk_merge_output *out, stk_bytes value,
                                             stk_error *err);
/* Writes a string whose opening quote was written before. */
STK_NODISCARD stk_status stk_merge_put_rest(stk_merge_output *out, stk_bytes string,
                                            stk_error *err);

#endif
