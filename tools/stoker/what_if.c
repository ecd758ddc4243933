/* Parses a what-if: "S2=0.5,S7=apart,threads=3". */
#include "what_if.h"

#include <stdlib.h>
#include <string.h>

enum { PART_CAPACITY = 64 };

static const double factor_max = 1000, number_max = 4096;

static bool read_number(const char *text, double most, double *out)
{
    char  *end;
    double number = strtod(text, &end);
    if (end == text || *end || !(number >= 0) || number > most) return false;
    *out = number;
    return true;
}

static bool read_stage(stk_what_if *what, int stage, const char *value)
{
    if (strcmp(value, "apart") == 0 && stage >= STK_STAGE_HOST_TO_DEVICE) {
        what->apart[stage] = true;
        return true;
    }
    return read_number(value, factor_max, &what->factor[stage]);
}

static bool read_part(stk_what_if *what, const char *name, const char *value)
{
    const bool is_stage = (name[0] == 'S' || name[0] == 's') && name[1] >= '1' && name[1] <= '8';
    if (is_stage && !name[2]) return read_stage(what, name[1] - '0', value);
    if (strcmp(name, "threads") == 0) return read_number(value, number_max, &what->servers);
    if (strcmp(name, "compute-threads") == 0) return read_number(value, number_max, &what->threads);
    if (strcmp(name, "buffer") == 0) return read_number(value, number_max, &what->buffer);
    return false;
}

bool cli_what_if_parse(stk_what_if *what, const char *text, char *message, size_t capacity)
{
    char part[PART_CAPACITY];
    stk_what_if_init(what);
    do {
        const size_t length = strcspn(text, ",");
        snprintf(part, sizeof part, "%.*s", (int)length, text);
        char *equals = strchr(part, '=');
        if (equals) *equals = 0;
        if (length >= sizeof part || !equals || !read_part(what, part, equals + 1)) {
            snprintf(message, capacity,
                     "'%.*s' is no part of --what-if: S1 to S8 with a factor (S2=0.5), or "
                     "S3 to S8=apart, threads=N, compute-threads=N, buffer=N",
                     (int)(length < 40 ? length : 40), text);
            return false;
        }
        text += length;
    } while (*text++ == ',');
    return true;
}
