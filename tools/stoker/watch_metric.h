/* A metric extracted from the watched command's output, which passes through unchanged. */
#ifndef CLI_TOOLS_WATCH_METRIC_H
#define CLI_TOOLS_WATCH_METRIC_H

#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stoker/error.h>
#include <stoker/json.h>

enum { CLI_METRIC_LINE = 4096, CLI_METRIC_TEXT = 400 };

/* Statistics of the metric; zero-initialised. */
typedef struct cli_metric_values {
    size_t count, strange; /* finite values; NaN and infinite ones */
    double first, last, min, max, sum;
} cli_metric_values;

void cli_metric_values_add(cli_metric_values *values, double value);

typedef struct cli_metric_pattern {
    regex_t regex;
    bool    given;
} cli_metric_pattern;

/* Compiles an extended regular expression with one group, the number. text NULL: none. On failure
 * why explains, and there is nothing to release. */
bool cli_metric_pattern_init(cli_metric_pattern *pattern, const char *text,
                             char why[CLI_METRIC_TEXT]);
void cli_metric_pattern_release(cli_metric_pattern *pattern);
/* The last number in a line; false: none. */
bool cli_metric_find(const cli_metric_pattern *pattern, const char *line, double *value);

/* One output stream of the command. */
typedef struct cli_metric_stream {
    int    from, to; /* from -1: ended */
    char   line[CLI_METRIC_LINE];
    size_t used;
} cli_metric_stream;

typedef struct cli_metric_reader {
    const cli_metric_pattern *pattern;
    void (*found)(void *context, double value);
    void             *context;
    cli_metric_stream streams[2];
    int               ends[2];  /* for the command; -1: closed */
    int               alive[2]; /* closing the second signals the command's end */
    pthread_t         thread;
    bool              started;
} cli_metric_reader;

/* Creates the pipes: ends become the command's standard output and error. found is called on the
 * reader's thread. On failure there is nothing to end. */
STK_NODISCARD stk_status cli_metric_open(cli_metric_reader        *reader,
                                         const cli_metric_pattern *pattern,
                                         void (*found)(void *context, double value), void *context,
                                         stk_error *err);
/* Starts reading, once the command has the ends. */
STK_NODISCARD stk_status cli_metric_start(cli_metric_reader *reader, stk_error *err);
/* After the command's end: forwards the remaining output and closes all. Later output of surviving
 * descendants has no reader. */
void cli_metric_end(cli_metric_reader *reader);

/* Writes "0.123 (first 2.3, least 0.1, most 2.4, mean 0.7 of 120)", or that there is no value.
 * Returns text. */
char *cli_metric_text(char text[CLI_METRIC_TEXT], const cli_metric_values *values);
/* Writes an object under the key "metric"; null if pattern is NULL. */
void cli_metric_json(stk_json_writer *json, const char *pattern, const cli_metric_values *values);

#endif
