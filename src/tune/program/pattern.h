/* A number in a line of output: an extended regular expression with one group. */
#ifndef STK_TUNE_PROGRAM_PATTERN_H
#define STK_TUNE_PROGRAM_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stoker/error.h>

typedef struct stk_tune_pattern {
    regex_t regex;
    bool    compiled;
} stk_tune_pattern;

/* where names the option for messages. On failure there is nothing to release. */
STK_NODISCARD stk_status stk_tune_pattern_init(stk_tune_pattern *pattern, const char *text,
                                               const char *where, stk_error *err);
void                     stk_tune_pattern_release(stk_tune_pattern *pattern);
/* The last number in a line, possibly NaN or infinite; false: none. */
bool stk_tune_pattern_find(const stk_tune_pattern *pattern, const char *line, double *value);

/* Reads the number that begins these bytes: "1,234.5", "nan", "-inf". */
bool stk_tune_read_number(const char *text, size_t length, double *value);

#endif
