/* Selects frozen parameters: by name, or all but the last layer. */
#include "train/optimizer/freeze.h"
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

static const char backbone[] = "backbone", separators[] = ", ";

bool stk_name_is_in(const char *name, const char *part)
{
    const size_t length = strlen(part);
    return strncmp(name, part, length) == 0 && (!name[length] || name[length] == '.');
}

void stk_model_head(const stk_graph *model, char *head, size_t capacity)
{
    if (capacity) *head = 0;
    for (size_t i = stk_graph_variable_count(model); i-- > 0;) {
        const stk_graph_variable_info v = stk_graph_variable_at(model, i);
        if (v.options.role != STK_VARIABLE_PARAMETER) continue;
        const char  *dot = strrchr(v.name, '.');
        const size_t length = dot ? (size_t)(dot - v.name) : strlen(v.name);
        snprintf(head, capacity, "%.*s", (int)length, v.name);
        return;
    }
}

/* A wildcard pattern matches a name or an enclosing layer: "*.bn1" matches everything in such a
 * layer. */
static bool matches_wildcards(const char *name, const char *pattern)
{
    char layer[512];
    if (fnmatch(pattern, name, 0) == 0) return true;
    for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
        snprintf(layer, sizeof layer, "%.*s", (int)(dot - name), name);
        if (fnmatch(pattern, layer, 0) == 0) return true;
    }
    return false;
}

static bool matches(const stk_freeze *f, const char *name, const char *pattern)
{
    if (strcmp(pattern, backbone) == 0) return !stk_name_is_in(name, f->head);
    return strpbrk(pattern, "*?[") ? matches_wildcards(name, pattern)
                                   : stk_name_is_in(name, pattern);
}

static bool is_frozen(const stk_freeze *f, const char *name)
{
    char list[STK_TRAIN_TEXT], *rest = list, *pattern;
    snprintf(list, sizeof list, "%s", f->patterns);
    while ((pattern = strsep(&rest, separators)))
        if (*pattern && matches(f, name, pattern)) return true;
    return false;
}

void stk_freeze_adjust(void *context, const char *name, stk_variable_options *options)
{
    const stk_freeze *f = context;
    if (options->role != STK_VARIABLE_PARAMETER && options->role != STK_VARIABLE_STATISTIC) return;
    if (is_frozen(f, name)) options->frozen = true;
    if (!stk_name_is_in(name, f->head)) options->rate *= f->backbone_rate;
}

/* The outermost layers in order, without repetition. */
static void list_parts(const stk_graph *model, char *text, size_t capacity)
{
    char   last[64] = "";
    size_t used = 0;
    *text = 0;
    for (size_t i = 0; i < stk_graph_variable_count(model); i++) {
        const stk_graph_variable_info v = stk_graph_variable_at(model, i);
        char                          part[64];
        snprintf(part, sizeof part, "%.*s", (int)strcspn(v.name, "."), v.name);
        if (strcmp(part, last) == 0 || used + strlen(part) + 3 > capacity) continue;
        used += (size_t)snprintf(text + used, capacity - used, "%s%s", used ? ", " : "", part);
        memcpy(last, part, sizeof last);
    }
}

static bool matches_some(const stk_freeze *f, const stk_graph *model, const char *pattern)
{
    for (size_t i = 0; i < stk_graph_variable_count(model); i++)
        if (matches(f, stk_graph_variable_at(model, i).name, pattern)) return true;
    return false;
}

static stk_status check_patterns(const stk_freeze *f, const stk_graph *model, const char *name,
                                 stk_error *err)
{
    char list[STK_TRAIN_TEXT], parts[160], *rest = list, *pattern;
    snprintf(list, sizeof list, "%s", f->patterns);
    while ((pattern = strsep(&rest, separators))) {
        if (!*pattern || matches_some(f, model, pattern)) continue;
        list_parts(model, parts, sizeof parts);
        return stk_fail(err, STK_E_INVALID, "recipe", "train.freeze",
                        "%s has no layer \"%.40s\"; it has: %s", name, pattern, parts);
    }
    return STK_OK;
}

static uint64_t elements(const stk_shape *shape)
{
    uint64_t count = 1;
    for (int i = 0; i < shape->rank; i++)
        count *= (uint64_t)shape->dim[i];
    return count;
}

static void count_parameters(stk_freeze *f, const stk_graph *model)
{
    for (size_t i = 0; i < stk_graph_variable_count(model); i++) {
        const stk_graph_variable_info v = stk_graph_variable_at(model, i);
        if (v.options.role != STK_VARIABLE_PARAMETER) continue;
        f->parameters += elements(&v.shape);
        if (v.options.frozen || is_frozen(f, v.name)) f->frozen += elements(&v.shape);
    }
}

stk_status stk_freeze_init(stk_freeze *freeze, const stk_train_recipe *recipe,
                           const stk_graph *model, stk_error *err)
{
    *freeze = (stk_freeze){.patterns = recipe->train.freeze,
                           .backbone_rate =
                               recipe->train.backbone_rate > 0 ? recipe->train.backbone_rate : 1};
    stk_model_head(model, freeze->head, sizeof freeze->head);
    STK_TRY(check_patterns(freeze, model, recipe->model.name, err));
    count_parameters(freeze, model);
    if (freeze->frozen < freeze->parameters) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "recipe", "train.freeze",
                    "\"%.100s\" is all of %s, so nothing is left to learn", freeze->patterns,
                    recipe->model.name);
}
