/* Images that a run passed over: each told once, the first few as they come, and all at the end. */
#ifndef CLI_TOOLS_LEFT_OUT_H
#define CLI_TOOLS_LEFT_OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>

typedef struct cli_left_out {
    uint64_t *buckets; /* hashes of lines in a table of room places; 0: free */
    size_t    capacity, count;
    stk_blob  lines;
} cli_left_out;

void cli_left_out_init(cli_left_out *list);
void cli_left_out_release(cli_left_out *list);

/* Takes a line of the log that is about an image that was passed over; false: it is about something
 * else. *show is the text for now, which may be other than line; NULL: nothing. */
bool cli_left_out_take(cli_left_out *list, const char *line, const char **show);

/* Writes folder/left_out.txt and says on stderr how many there were; nothing where none was. False:
 * it could not be written, which is told. */
bool cli_left_out_end(const cli_left_out *list, const char *folder);

#endif
