/* Names of passes, as used in recipes. */
#include "base/suggest.h"
#include <stdio.h>
#include <stoker/graph.h>
#include <string.h>

static const struct {
    const char    *name;
    stk_graph_pass bit;
    const char    *former; /* its name before; NULL: none */
} passes[] = {
    {"simplify", STK_GRAPH_PASS_SIMPLIFY, NULL}, {"fuse", STK_GRAPH_PASS_FUSE, NULL},
    {"layout", STK_GRAPH_PASS_LAYOUT, NULL},     {"schedule", STK_GRAPH_PASS_SCHEDULE, NULL},
    {"reuse", STK_GRAPH_PASS_REUSE, NULL},       {"capture", STK_GRAPH_PASS_CAPTURE, "record"}};

/* formers and names: the bits that were named in either way. */
static stk_status add_pass(const char *name, unsigned *bits, unsigned *formers, unsigned *names,
                           stk_error *err)
{
    char        text[64];
    stk_suggest suggest = {.wanted = name};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const bool former = passes[i].former && strcmp(passes[i].former, name) == 0;
        stk_suggest_offer(&suggest, passes[i].name);
        if (!former && strcmp(passes[i].name, name) != 0) continue;
        *bits |= passes[i].bit;
        *formers |= former ? passes[i].bit : 0;
        *names |= former ? 0 : passes[i].bit;
        if (!(*formers & *names)) return STK_OK;
        return stk_fail(err, STK_E_INVALID, "recipe", "knobs.passes_off",
                        "%s is given twice; %s is its former name", passes[i].name,
                        passes[i].former);
    }
    return stk_fail(
        err, STK_E_INVALID, "recipe", "knobs.passes_off",
        "there is no pass \"%.40s\"%s (simplify, fuse, layout, schedule, reuse, capture)", name,
        stk_suggest_text(&suggest, text, sizeof text));
}

stk_status stk_graph_passes_parse(const char *names, unsigned *bits, stk_error *err)
{
    static const char *const separators = ", ";
    unsigned                 formers = 0, present = 0;
    *bits = 0;
    for (const char *at = names + strspn(names, separators); *at;) {
        char   name[64];
        size_t length = strcspn(at, separators);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 at);
        STK_TRY(add_pass(name, bits, &formers, &present, err));
        at += length;
        at += strspn(at, separators);
    }
    return STK_OK;
}

const char *stk_graph_pass_renamed(const char *names, const char **former)
{
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        const size_t length = passes[i].former ? strlen(passes[i].former) : 0;
        for (const char *at = names; length && (at = strstr(at, passes[i].former)); at += length) {
            const bool begins = at == names || strchr(", ", at[-1]);
            if (!begins || (at[length] && !strchr(", ", at[length]))) continue;
            *former = passes[i].former;
            return passes[i].name;
        }
    }
    return NULL;
}
