/* Gzip files into memory. */
#ifndef STK_STORAGE_SOURCE_GUNZIP_H
#define STK_STORAGE_SOURCE_GUNZIP_H

#include <stdbool.h>
#include <stoker/filesystem.h>

/* Whether a file that begins with head is gzip's. */
bool stk_is_gzip(stk_bytes head);

/* Inflates the file, which may have several members one after the other, into out (replacing what
 * it held). Stops at limit_bytes; *more says whether there was more. out grows with what is really
 * there, never by a claim. A damaged or truncated file is STK_E_DATALOSS. */
STK_NODISCARD stk_status stk_gunzip_file(const stk_filesystem *fs, const char *path,
                                         uint64_t limit_bytes, stk_blob *out, bool *more,
                                         stk_error *err);

#endif
