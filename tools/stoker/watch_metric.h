/* A number in what the watched command writes. Its standard output and error come through here and
 * go on unchanged. */
#ifndef STK_TOOLS_WATCH_METRIC_H
#define STK_TOOLS_WATCH_METRIC_H

#include <pthread.h>
#include <regex.h>
#include <stdbool.h>
#include <stoker/error.h>
#include <stoker/json.h>

enum { STK_METRIC_LINE = 4096, STK_METRIC_TEXT = 400 };

/* What was found so far. Plain numbers; zeros to begin with. */
typedef struct stk_metric_values {
    size_t count, strange; /* finite ones; nan and infinite ones */
    double first, last, least, most, sum;
} stk_metric_values;

void stk_metric_values_add(stk_metric_values *values, double value);

typedef struct stk_metric_pattern {
    regex_t regex;
    bool    given;
} stk_metric_pattern;

/* An extended regular expression with one group, the number. text NULL: none is given. On failure
 * why says for people what is wrong, and nothing is to be released. */
bool stk_metric_pattern_init(stk_metric_pattern *pattern, const char *text,
                             char why[STK_METRIC_TEXT]);
void stk_metric_pattern_release(stk_metric_pattern *pattern);
/* The last number in a line; false: there is none. */
bool stk_metric_find(const stk_metric_pattern *pattern, const char *line, double *value);

/* One stream of the command. */
typedef struct stk_metric_stream {
    int    from, to; /* from -1: it has ended */
    char   line[STK_METRIC_LINE];
    size_t used;
} stk_metric_stream;

typedef struct stk_metric_reader {
    const stk_metric_pattern *pattern;
    void (*found)(void *context, double value);
    void             *context;
    stk_metric_stream streams[2];
    int               ends[2];  /* for the command; -1: closed */
    int               alive[2]; /* closing the second says that the command has ended */
    pthread_t         thread;
    bool              started;
} stk_metric_reader;

/* Makes the pipes: ends are what the command gets as standard output and error. found is called by
 * the reader's thread. On failure there is nothing to end. */
STK_NODISCARD stk_status stk_metric_open(stk_metric_reader        *reader,
                                         const stk_metric_pattern *pattern,
                                         void (*found)(void *context, double value), void *context,
                                         stk_error *err);
/* After the command has the ends: starts to read. */
STK_NODISCARD stk_status stk_metric_start(stk_metric_reader *reader, stk_error *err);
/* After the command has ended: passes on what it left, and closes all. What a process of its own
 * that lives on writes later finds no reader. */
void stk_metric_end(stk_metric_reader *reader);

/* "0.123 (first 2.3, least 0.1, most 2.4, mean 0.7 of 120)", or that there is none. Returns text.
 */
char *stk_metric_text(char text[STK_METRIC_TEXT], const stk_metric_values *values);
/* An object under the key "metric"; null where pattern is NULL. */
void stk_metric_json(stk_json_writer *json, const char *pattern, const stk_metric_values *values);

#endif
