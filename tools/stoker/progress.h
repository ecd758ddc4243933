/* One line about work that goes on: how far, how fast, how long still. On a terminal the line is
 * redrawn, elsewhere a new line comes every 2 seconds; short work shows nothing. Always stderr. */
#ifndef CLI_TOOLS_PROGRESS_H
#define CLI_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress {
    const char *verb;        /* "packing" */
    bool        quiet;       /* show nothing */
    bool        terminal;    /* stderr is one */
    bool        drawn;       /* a line stands on the terminal */
    uint64_t    started_ns;  /* monotonic */
    uint64_t    shown_ns;    /* when a line was last shown */
    uint64_t    first_bytes; /* done when the first update came: not of this run */
    uint64_t    first_ns;    /* when it was told first */
    bool        updated;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const char *verb, bool quiet);

/* As often as one likes: shows something only when it is time. items_total 0 leaves items out. */
void cli_progress_update(cli_progress *progress, uint64_t bytes, uint64_t bytes_total,
                         uint64_t items, uint64_t items_total);

/* Takes the line off the terminal, so that results and messages begin in the first column. */
void cli_progress_end(cli_progress *progress);

/* Seconds since begin. */
double cli_progress_seconds(const cli_progress *progress);

#endif
