/* The identity of a search as lines, so that a difference can be shown. */
#include "tune/search/identity.h"
#include <stdio.h>
#include <string.h>

enum { SHOWN = 90 };

stk_status stk_tune_identity_add(stk_blob *out, const char *name, const char *text, stk_error *err)
{
    STK_TRY(stk_blob_append(out, name, strlen(name), err));
    STK_TRY(stk_blob_append(out, ": ", 2, err));
    STK_TRY(stk_blob_append(out, text, strlen(text), err));
    return stk_blob_append(out, "\n", 1, err);
}

stk_status stk_tune_identity_number(stk_blob *out, const char *name, double value, stk_error *err)
{
    char text[32];
    snprintf(text, sizeof text, "%g", value);
    return stk_tune_identity_add(out, name, text, err);
}

static const char *or_none(const char *text)
{
    return text ? text : "";
}

stk_status stk_tune_identity_options(stk_blob *out, const stk_tune_options *options, stk_error *err)
{
    STK_TRY(stk_tune_identity_number(out, "least", options->least, err));
    STK_TRY(
        stk_tune_identity_add(out, "allow", options->allow_learning ? "learning" : "nothing", err));
    STK_TRY(stk_tune_identity_number(out, "margin", options->margin, err));
    STK_TRY(stk_tune_identity_add(out, "pin", or_none(options->pinned), err));
    STK_TRY(stk_tune_identity_add(out, "only", or_none(options->only), err));
    return stk_tune_identity_add(out, "without", or_none(options->without), err);
}

/* Without the blanks that it begins with. */
static int length_of(const char **line)
{
    *line += strspn(*line, " ");
    const size_t length = strcspn(*line, "\n");
    return length < SHOWN ? (int)length : SHOWN;
}

stk_status stk_tune_identity_check(const char *was, const char *is, stk_error *err)
{
    size_t same = 0, begin = 0;
    if (strcmp(was, is) == 0) return STK_OK;
    for (; was[same] == is[same]; same++)
        if (was[same] == '\n') begin = same + 1;
    const char *then = was + begin, *now = is + begin;
    const int   then_length = length_of(&then), now_length = length_of(&now);
    return stk_fail(err, STK_E_INVALID, "tune", "--resume",
                    "the search that is there has '%.*s' where this one has '%.*s': give the same, "
                    "or begin a new search in another folder",
                    then_length, then, now_length, now);
}
