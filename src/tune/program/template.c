/* Filling {NAME}. Closing braces are never doubled, unlike in Python: nested JSON ends in }}. */
#include "tune/program/template.h"

#include "storage/file/paths.h"

#include <string.h>

enum { NAMES = 200 };

/* Length of NAME in "{NAME}"; 0: text begins otherwise. */
static size_t name_length(const char *text)
{
    size_t length = 0;
    while (stk_path_is_word(text[1 + length]))
        length++;
    return text[1 + length] == '}' ? length : 0;
}

static stk_status fail_unknown(const stk_tune_filling *filling, const char *name, size_t length,
                               const char *where, stk_error *err)
{
    char names[NAMES];
    stk_tune_knobs_names(filling->knobs, names, sizeof names);
    return stk_fail(err, STK_E_INVALID, "tune", where,
                    "{%.*s} is no knob; there are: %s. A brace itself is written {{",
                    (int)(length < 80 ? length : 80), name, names);
}

/* The value of a name, which is noted as used; NULL: not known. */
static const char *look_up(stk_tune_filling *filling, const char *name, size_t length)
{
    const stk_tune_knob *knob = stk_tune_knobs_find(filling->knobs, name, length);
    if (knob) {
        filling->used[knob - filling->knobs->list] = true;
        return stk_tune_knob_value(knob, filling->setting);
    }
    if (!filling->config || length != 6 || memcmp(name, "config", 6) != 0) return NULL;
    filling->used_config = true;
    return filling->config;
}

/* Appends what stands for the brace at *text, and moves behind it. */
static stk_status fill_brace(stk_blob *out, stk_tune_filling *filling, const char **text,
                             bool dollar, const char *where, stk_error *err)
{
    const size_t length = dollar ? 0 : name_length(*text);
    const char  *value = length ? look_up(filling, *text + 1, length) : "{";
    const bool   doubled = !dollar && (*text)[1] == '{';
    if (!value) return fail_unknown(filling, *text + 1, length, where, err);
    *text += length ? length + 2 : doubled ? 2 : 1;
    return stk_blob_append(out, value, strlen(value), err);
}

stk_status stk_tune_template_fill(stk_blob *out, stk_tune_filling *filling, const char *text,
                                  const char *where, stk_error *err)
{
    while (*text) {
        const size_t plain = strcspn(text, "{");
        const bool   dollar = plain && text[plain - 1] == '$';
        STK_TRY(stk_blob_append(out, text, plain, err));
        text += plain;
        if (*text) STK_TRY(fill_brace(out, filling, &text, dollar, where, err));
    }
    return STK_OK;
}

stk_status stk_tune_template_check_used(const stk_tune_filling *filling, stk_error *err)
{
    for (size_t i = 0; i < filling->knobs->count; i++)
        if (!filling->used[i])
            return stk_fail(err, STK_E_INVALID, "tune", filling->knobs->list[i].name,
                            "the knob is used nowhere; write {%s} in the command, in --env or in "
                            "the template",
                            filling->knobs->list[i].name);
    return STK_OK;
}
