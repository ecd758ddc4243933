/* A progress line: position, speed, remaining time. On a terminal the line is redrawn; elsewhere a
 * new line is printed every 2 seconds. Short work prints nothing. Always stderr. */
#ifndef CLI_TOOLS_PROGRESS_H
#define CLI_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress {
    const char *verb;        /* "packing" */
    bool        quiet;       /* show nothing */
    bool        terminal;    /* stderr is a terminal */
    bool        drawn;       /* a line is on the terminal */
    uint64_t    started_ns;  /* monotonic */
    uint64_t    shown_ns;    /* time of the last line */
    uint64_t    first_bytes; /* bytes done before this run */
    uint64_t    first_ns;    /* time of the first update */
    bool        updated;
} cli_progress;

void cli_progress_begin(cli_progress *progress, const char *verb, bool quiet);

/* Call it at any rate: prints only when due. items_total 0 omits items. */
void cli_progress_update(cli_progress *progress, uint64_t bytes, uint64_t bytes_total,
                         uint64_t items, uint64_t items_total);

/* Clears the line, so that later output begins in the first column. */
void cli_progress_end(cli_progress *progress);

/* Seconds since begin. */
double cli_progress_seconds(const cli_progress *progress);

#endif
