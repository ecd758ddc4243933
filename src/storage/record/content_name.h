/* The kind of a file, by its first bytes. */
#ifndef STK_STORAGE_RECORD_CONTENT_NAME_H
#define STK_STORAGE_RECORD_CONTENT_NAME_H

#include <stoker/bytes.h>

enum { STK_CONTENT_BYTES = 512 }; /* more are not looked at */

/* A literal such as "JPEG", "gzip", "TFRecord", "text"; "" when the bytes are of no known kind. A
 * short beginning of a file may not suffice to tell. */
const char *stk_content_name(stk_bytes first_bytes);

#endif
