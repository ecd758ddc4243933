/* Names of passes, as used in recipes. */
#include "base/suggest.h"
#include <stdio.h>
#include <stoker/graph.h>
#include <string.h>

static const struct {
    const char    *name;
    stk_graph_pass bit;
} passes[] = {{"simplify", STK_GRAPH_PASS_SIMPLIFY}, {"fuse", STK_GRAPH_PASS_FUSE},
              {"layout", STK_GRAPH_PASS_LAYOUT},     {"schedule", STK_GRAPH_PASS_SCHEDULE},
              {"reuse", STK_GRAPH_PASS_REUSE},       {"record", STK_GRAPH_PASS_CAPTURE}};

static stk_status add_pass(const char *name, unsigned *bits, stk_error *err)
{
    char        text[64];
    stk_suggest suggest = {.wanted = name};
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++) {
        stk_suggest_offer(&suggest, passes[i].name);
        if (strcmp(passes[i].name, name) != 0) continue;
        *bits |= passes[i].bit;
        return STK_OK;
    }
    return stk_fail(
        err, STK_E_INVALID, "recipe", "knobs.passes_off",
        "there is no pass \"%.40s\"%s (simplify, fuse, layout, schedule, reuse, record)", name,
        stk_suggest_text(&suggest, text, sizeof text));
}

stk_status stk_graph_passes_parse(const char *names, unsigned *bits, stk_error *err)
{
    static const char *const separators = ", ";
    *bits = 0;
    for (const char *at = names + strspn(names, separators); *at;) {
        char   name[64];
        size_t length = strcspn(at, separators);
        snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1),
                 at);
        STK_TRY(add_pass(name, bits, err));
        at += length;
        at += strspn(at, separators);
    }
    return STK_OK;
}
