/* Parses the value of --splits. */
#include "split_list.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names become parts of file names and of TensorFlow Datasets' split expressions. */
static bool is_name(const char *name)
{
    if (!name[0]) return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_') return false;
    return true;
}

static bool add_split(cli_split_list *list, char *part, char *message, size_t capacity)
{
    char *equals = strchr(part, '='), *end;
    if (!equals || list->count == CLI_SPLITS_MAX) {
        if (equals)
            snprintf(message, capacity, "more than %d splits", CLI_SPLITS_MAX);
        else
            snprintf(message, capacity, "'%s' is not NAME=FRACTION", part);
        return false;
    }
    *equals = '\0';
    const double fraction = strtod(equals + 1, &end);
    if (!is_name(part)) {
        snprintf(message, capacity, "'%s' is no name of letters, digits and _", part);
        return false;
    }
    if (end == equals + 1 || *end || !(fraction > 0 && fraction <= 1)) {
        snprintf(message, capacity, "'%s' of split '%s' is not a fraction above 0 and up to 1",
                 equals + 1, part);
        return false;
    }
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->splits[i].name, part)) {
            snprintf(message, capacity, "split '%s' is given twice", part);
            return false;
        }
    list->splits[list->count++] = (stk_pack_split){part, fraction};
    return true;
}

bool cli_split_list_parse(cli_split_list *list, const char *text, char *message, size_t capacity)
{
    double sum = 0;
    char  *rest = list->names, *part;
    list->count = 0;
    if (strlen(text) >= sizeof list->names) {
        snprintf(message, capacity, "the list is longer than %zu characters",
                 sizeof list->names - 1);
        return false;
    }
    memcpy(list->names, text, strlen(text) + 1);
    while ((part = strsep(&rest, ",")) != NULL)
        if (!add_split(list, part, message, capacity)) return false;
    for (size_t i = 0; i < list->count; i++)
        sum += list->splits[i].fraction;
    if (fabs(sum - 1) < 1e-6) return true;
    snprintf(message, capacity, "the fractions make %.6g together, they must make 1", sum);
    return false;
}
