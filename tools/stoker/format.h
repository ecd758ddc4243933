/* Formats numbers. Each function writes to text, with capacity CLI_FORMAT_CAPACITY, and returns
 * it. */
#ifndef CLI_TOOLS_FORMAT_H
#define CLI_TOOLS_FORMAT_H

#include <stdint.h>

enum { CLI_FORMAT_CAPACITY = 40 };

/* "1,234,567" */
char *cli_format_count(char *text, uint64_t value);
/* "512 bytes", "12.3 MB": decimal units, three digits. */
char *cli_format_bytes(char *text, uint64_t bytes);
/* "12.3 MB/s", over seconds that may be 0. */
char *cli_format_rate(char *text, uint64_t bytes, double seconds);
/* "81.6 MFLOP" */
char *cli_format_flops(char *text, double flops);
/* "0.42 s", "12.3 s", "3m 12s", "2h 05m", "4d 07h" */
char *cli_format_duration(char *text, double seconds);
/* "37 %", "<1 %" */
char *cli_format_percent(char *text, uint64_t part, uint64_t whole);

#endif
