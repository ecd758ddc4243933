/* Skipped images of a run: each reported once, the first few immediately, and all at the end. */
#ifndef CLI_TOOLS_LEFT_OUT_H
#define CLI_TOOLS_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>

typedef struct cli_left_out {
    uint64_t *buckets; /* hash table of lines, of capacity entries; 0: free */
    size_t    capacity, count;
    stk_blob  lines;
} cli_left_out;

void cli_left_out_init(cli_left_out *list);
void cli_left_out_release(cli_left_out *list);

/* Takes a log line about a skipped image; false if it is about something else. *show is the text to
 * print now, possibly another one; NULL: none. */
bool cli_left_out_take(cli_left_out *list, const char *line, const char **show);

/* Writes folder/left_out.txt and prints the count to stderr; nothing if none was skipped. Returns
 * false if the file could not be written, which it reports. */
bool cli_left_out_end(const cli_left_out *list, const char *folder);

#endif
