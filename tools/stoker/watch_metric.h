/* A number in what the watched command writes. Its standard output and error come through here and
 * go on unchanged. */
#ifndef CLI_TOOLS_WATCH_METRIC_H
#define CLI_TOOLS_WATCH_METRIC_H

#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stoker/error.h>
#include <stoker/json.h>

enum { CLI_METRIC_LINE = 4096, CLI_METRIC_TEXT = 400 };

/* What was found so far. Plain numbers; zeros to begin with. */
typedef struct cli_metric_values {
    size_t count, strange; /* finite ones; nan and infinite ones */
    double first, last, min, max, sum;
} cli_metric_values;

void cli_metric_values_add(cli_metric_values *values, double value);

typedef struct cli_metric_pattern {
    regex_t regex;
    bool    given;
} cli_metric_pattern;

/* An extended regular expression with one group, the number. text NULL: none is given. On failure
 * why says for people what is wrong, and nothing is to be released. */
bool cli_metric_pattern_init(cli_metric_pattern *pattern, const char *text,
                             char why[CLI_METRIC_TEXT]);
void cli_metric_pattern_release(cli_metric_pattern *pattern);
/* The last number in a line; false: there is none. */
bool cli_metric_find(const cli_metric_pattern *pattern, const char *line, double *value);

/* One stream of the command. */
typedef struct cli_metric_stream {
    int    from, to; /* from -1: it has ended */
    char   line[CLI_METRIC_LINE];
    size_t used;
} cli_metric_stream;

typedef struct cli_metric_reader {
    const cli_metric_pattern *pattern;
    void (*found)(void *context, double value);
    void             *context;
    cli_metric_stream streams[2];
    int               ends[2];  /* for the command; -1: closed */
    int               alive[2]; /* closing the second says that the command has ended */
    pthread_t         thread;
    bool              started;
} cli_metric_reader;

/* Makes the pipes: ends are what the command gets as standard output and error. found is called by
 * the reader's thread. On failure there is nothing to end. */
STK_NODISCARD stk_status cli_metric_open(cli_metric_reader        *reader,
                                         const cli_metric_pattern *pattern,
                                         void (*found)(void *context, double value), void *context,
                                         stk_error *err);
/* After the command has the ends: starts to read. */
STK_NODISCARD stk_status cli_metric_start(cli_metric_reader *reader, stk_error *err);
/* After the command has ended: passes on what it left, and closes all. What a process of its own
 * that lives on writes later finds no reader. */
void cli_metric_end(cli_metric_reader *reader);

/* "0.123 (first 2.3, least 0.1, most 2.4, mean 0.7 of 120)", or that there is none. Returns text.
 */
char *cli_metric_text(char text[CLI_METRIC_TEXT], const cli_metric_values *values);
/* An object under the key "metric"; null where pattern is NULL. */
void cli_metric_json(stk_json_writer *json, const char *pattern, const cli_metric_values *values);

#endif
