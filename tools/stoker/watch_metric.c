/* Pattern and statistics of a metric in the command's output. */
#include "watch_metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS = 2, NUMBER = 64 };

void cli_metric_values_add(cli_metric_values *values, double value)
{
    if (!isfinite(value)) {
        values->strange++;
        return;
    }
    if (!values->count) values->first = values->min = values->max = value;
    if (value < values->min) values->min = value;
    if (value > values->max) values->max = value;
    values->last = value;
    values->sum += value;
    values->count++;
}

bool cli_metric_pattern_init(cli_metric_pattern *pattern, const char *text,
                             char why[CLI_METRIC_TEXT])
{
    char reason[128];
    *pattern = (cli_metric_pattern){0};
    if (!text) return true;
    const int code = regcomp(&pattern->regex, text, REG_EXTENDED);
    if (code) {
        regerror(code, &pattern->regex, reason, sizeof reason);
        snprintf(why, CLI_METRIC_TEXT, "--metric '%.150s' is no regular expression: %s", text,
                 reason);
        return false;
    }
    pattern->given = true;
    if (pattern->regex.re_nsub == 1) return true;
    snprintf(why, CLI_METRIC_TEXT, "--metric '%.150s' has %zu groups; it needs one, for the number",
             text, pattern->regex.re_nsub);
    cli_metric_pattern_release(pattern);
    return false;
}

void cli_metric_pattern_release(cli_metric_pattern *pattern)
{
    if (pattern->given) regfree(&pattern->regex);
    pattern->given = false;
}

/* Accepts thousands separators: "1,234.5". */
static bool read_number(const char *from, size_t length, double *value)
{
    char   text[NUMBER], *end;
    size_t used = 0;
    for (size_t i = 0; i < length; i++) {
        if (from[i] == ',') continue;
        if (used + 1 == sizeof text) return false;
        text[used++] = from[i];
    }
    text[used] = '\0';
    const double read = strtod(text, &end);
    if (end == text) return false;
    *value = read;
    return true;
}

bool cli_metric_find(const cli_metric_pattern *pattern, const char *line, double *value)
{
    regmatch_t match[GROUPS];
    bool       found = false;
    int        flags = 0;
    while (!regexec(&pattern->regex, line, GROUPS, match, flags)) {
        if (match[1].rm_so >= 0 &&
            read_number(line + match[1].rm_so, (size_t)(match[1].rm_eo - match[1].rm_so), value))
            found = true;
        if (!match[0].rm_eo) break; /* an empty match would loop for ever */
        line += match[0].rm_eo;
        flags = REG_NOTBOL;
    }
    return found;
}

char *cli_metric_text(char text[CLI_METRIC_TEXT], const cli_metric_values *values)
{
    char strange[64] = "";
    if (values->strange)
        snprintf(strange, sizeof strange, "; %zu times not finite", values->strange);
    if (values->count)
        snprintf(text, CLI_METRIC_TEXT,
                 "%.6g (first %.6g, least %.6g, most %.6g, mean %.6g of %zu%s)", values->last,
                 values->first, values->min, values->max, values->sum / (double)values->count,
                 values->count, strange);
    else
        snprintf(text, CLI_METRIC_TEXT, "none: no line of the output had a number there%s",
                 strange);
    return text;
}

void cli_metric_json(stk_json_writer *json, const char *pattern, const cli_metric_values *values)
{
    const struct {
        const char *key;
        double      value;
    } numbers[] = {
        {"first", values->first},
        {"last", values->last},
        {"least", values->min},
        {"most", values->max},
        {"mean", values->count ? values->sum / (double)values->count : 0},
    };
    stk_json_key(json, "metric");
    if (!pattern) {
        stk_json_null(json);
        return;
    }
    stk_json_object(json);
    stk_json_pair_string(json, "pattern", pattern);
    stk_json_pair_uint(json, "count", values->count);
    stk_json_pair_uint(json, "not_finite", values->strange);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        stk_json_key(json, numbers[i].key);
        if (values->count)
            stk_json_double(json, numbers[i].value);
        else
            stk_json_null(json);
    }
    stk_json_object_end(json);
}
