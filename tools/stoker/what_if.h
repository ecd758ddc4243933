/* Parses a what-if: "S2=0.5,S7=0". */
#ifndef CLI_TOOLS_WHAT_IF_H
#define CLI_TOOLS_WHAT_IF_H

#include <stdio.h>
#include <stoker/diagnosis.h>

/* Comma-separated parts: S1 to S8 with a factor of their time, S3 to S8 with "apart", threads and
 * buffer with a number. message explains an invalid part. */
bool cli_what_if_parse(stk_what_if *what, const char *text, char *message, size_t capacity);

#endif
