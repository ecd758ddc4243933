/* The progress line. */
#include "progress.h"

#include "format.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds. */
#define REDRAW_TERMINAL 100000000ull
#define REDRAW_FILE 2000000000ull
#define SILENT_TERMINAL 500000000ull
#define SILENT_FILE 2000000000ull

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

void cli_progress_begin(cli_progress *progress, const char *verb, bool quiet)
{
    *progress = (cli_progress){.verb = verb, .quiet = quiet, .started_ns = now_ns()};
    progress->terminal = isatty(STDERR_FILENO);
}

double cli_progress_seconds(const cli_progress *progress)
{
    return (double)(now_ns() - progress->started_ns) / 1e9;
}

static bool is_time(cli_progress *progress)
{
    const uint64_t now = now_ns();
    const uint64_t silent = progress->terminal ? SILENT_TERMINAL : SILENT_FILE;
    const uint64_t apart = progress->terminal ? REDRAW_TERMINAL : REDRAW_FILE;
    if (progress->quiet || now - progress->first_ns < silent) return false;
    if (progress->shown_ns && now - progress->shown_ns < apart) return false;
    progress->shown_ns = now;
    return true;
}

/* Bytes of an earlier run, and time before the first update (a long listing), do not count for the
 * speed. */
static void write_line(const cli_progress *progress, char *line, size_t capacity, uint64_t bytes,
                       uint64_t bytes_total, uint64_t items, uint64_t items_total)
{
    char           a[CLI_FORMAT_CAPACITY], b[CLI_FORMAT_CAPACITY], c[CLI_FORMAT_CAPACITY];
    const double   seconds = (double)(now_ns() - progress->first_ns) / 1e9;
    const uint64_t fresh = bytes - progress->first_bytes;
    size_t         used = (size_t)snprintf(line, capacity, "%s  %s  %s of %s", progress->verb,
                                           cli_format_percent(a, bytes, bytes_total),
                                           cli_format_bytes(b, bytes), cli_format_bytes(c, bytes_total));
    if (items_total)
        used += (size_t)snprintf(line + used, capacity - used, "  %s of %s items",
                                 cli_format_count(a, items), cli_format_count(b, items_total));
    used +=
        (size_t)snprintf(line + used, capacity - used, "  %s", cli_format_rate(a, fresh, seconds));
    if (fresh && bytes < bytes_total)
        snprintf(line + used, capacity - used, "  %s left",
                 cli_format_duration(a, seconds * (double)(bytes_total - bytes) / (double)fresh));
}

void cli_progress_update(cli_progress *progress, uint64_t bytes, uint64_t bytes_total,
                         uint64_t items, uint64_t items_total)
{
    if (!progress->updated) {
        progress->updated = true;
        progress->first_bytes = bytes;
        progress->first_ns = now_ns();
    }
    if (!is_time(progress)) return;
    char line[256];
    if (bytes_total < bytes) bytes_total = bytes; /* sizes may be estimates */
    write_line(progress, line, sizeof line, bytes, bytes_total, items, items_total);
    if (!progress->terminal) {
        fprintf(stderr, "%s\n", line);
        return;
    }
    /* On narrow terminals the remaining time has priority over items. */
    const int width = cli_terminal_width(stderr, 20, 250) - 1;
    if (strlen(line) > (size_t)width)
        write_line(progress, line, sizeof line, bytes, bytes_total, 0, 0);
    fprintf(stderr, "\r%.*s\033[K", width, line);
    fflush(stderr);
    progress->drawn = true;
}

void cli_progress_end(cli_progress *progress)
{
    if (progress->drawn) fprintf(stderr, "\r\033[K");
    progress->drawn = false;
}
