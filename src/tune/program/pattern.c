/* Numbers in output. */
#include "tune/program/pattern.h"

#include "base/decimal.h"

#include <math.h>
#include <string.h>
#include <strings.h>

enum { GROUPS = 2, REASON = 128, NUMBER = 64 };

/* POSIX takes \d for a d: the pattern would never match, and nobody would know why. */
static stk_status check_escapes(const char *text, const char *where, stk_error *err)
{
    for (const char *at = strchr(text, '\\'); at && at[1]; at = strchr(at + 2, '\\'))
        if (at[1] == 'd')
            return stk_fail(err, STK_E_INVALID, "tune", where,
                            "'%.150s' has \\d, which is not known here; write [0-9], and [0-9.]+ "
                            "for a number",
                            text);
    return STK_OK;
}

stk_status stk_tune_pattern_init(stk_tune_pattern *pattern, const char *text, const char *where,
                                 stk_error *err)
{
    char reason[REASON];
    pattern->compiled = false;
    STK_TRY(check_escapes(text, where, err));
    const int code = regcomp(&pattern->regex, text, REG_EXTENDED);
    if (code) {
        regerror(code, &pattern->regex, reason, sizeof reason);
        return stk_fail(err, code == REG_ESPACE ? STK_E_NOMEM : STK_E_INVALID, "tune", where,
                        "'%.150s' is no regular expression: %s", text, reason);
    }
    pattern->compiled = true;
    const size_t groups = pattern->regex.re_nsub;
    if (groups == 1) return STK_OK;
    stk_tune_pattern_release(pattern);
    return stk_fail(err, STK_E_INVALID, "tune", where,
                    "'%.150s' has %zu groups; it needs one, for the number: '([0-9.]+) img/s'",
                    text, groups);
}

void stk_tune_pattern_release(stk_tune_pattern *pattern)
{
    if (pattern->compiled) regfree(&pattern->regex);
    pattern->compiled = false;
}

/* Words for what is no number, in any case. */
static bool read_strange(const char *text, double *value)
{
    const bool negative = *text == '-';
    text += negative || *text == '+';
    if (strncasecmp(text, "nan", 3) == 0)
        *value = NAN;
    else if (strncasecmp(text, "inf", 3) == 0)
        *value = negative ? -INFINITY : INFINITY;
    else
        return false;
    return true;
}

bool stk_tune_read_number(const char *text, size_t length, double *value)
{
    char        copy[NUMBER];
    const char *end;
    size_t      used = 0;
    for (size_t i = 0; i < length && used + 1 < sizeof copy; i++)
        if (text[i] != ',') copy[used++] = text[i];
    copy[used] = 0;
    const double read = stk_decimal_read(copy, &end);
    if (end == copy) return read_strange(copy, value);
    *value = read;
    return true;
}

bool stk_tune_pattern_find(const stk_tune_pattern *pattern, const char *line, double *value)
{
    regmatch_t match[GROUPS];
    bool       found = false;
    int        flags = 0;
    while (!regexec(&pattern->regex, line, GROUPS, match, flags)) {
        const regmatch_t *group = &match[1];
        if (group->rm_so >= 0 &&
            stk_tune_read_number(line + group->rm_so, (size_t)(group->rm_eo - group->rm_so), value))
            found = true;
        if (!match[0].rm_eo) break; /* an empty match would loop for ever */
        line += match[0].rm_eo;
        flags = REG_NOTBOL;
    }
    return found;
}
