/* group_by_window: collects elements of equal key; a function turns each full window into a
 * dataset. bucket_by_length is the same with built-in functions. */
#include "pipeline/operators/group_by_window.h"

#include "pipeline/runtime/function_state.h"
#include "pipeline/support/groups.h"
#include "pipeline/support/invoke.h"
#include "pipeline/support/nested.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/dataset_operators.h>

typedef struct state {
    stk_groups groups;
    stk_nested inner;   /* dataset of the last full window */
    uint64_t   index;   /* of the next input */
    uint64_t   windows; /* so far */
    int64_t   *keys;    /* in order, when the input has ended; NULL before */
    size_t     flushed, key_count;
} state;

/* The argument of reduce. */
static const stk_value_spec window_values[] = {
    {.name = "key", .dtype = STK_DTYPE_I64, .rank_known = true},
    {.name = "window", .kind = STK_VALUE_DATASET},
};
static const stk_element_spec window_spec = {.known = true, .count = 2, .values = window_values};
/* And what window_size is called on. */
static const stk_element_spec key_spec = {.known = true, .count = 1, .values = window_values};

static void release_params(void *params)
{
    stk_group_params *p = params;
    stk_function_unref(p->key);
    stk_function_unref(p->reduce);
    stk_function_unref(p->window_size);
}

static stk_status check_key(const stk_dataset *data, const stk_function *function,
                            const stk_element_spec *input, stk_error *err)
{
    const stk_function_info *info = stk_function_info_of(function);
    if (info->key) return stk_dataset_accepts(data, function, input, err);
    return stk_fail(err, STK_E_INVALID, data->op->name, info->name,
                    "the function is no key function; give one that says an int64 of an element");
}

static stk_status check_size(const stk_operator *op, int64_t size, const char *where,
                             stk_error *err)
{
    if (size > 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, op->name, where,
                    "the window size is %" PRId64 "; it must be at least 1", size);
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_group_params *p = data->params;
    STK_TRY(check_key(data, p->key, &data->inputs[0]->spec, err));
    STK_TRY(p->window_size ? check_key(data, p->window_size, &key_spec, err)
                           : check_size(data->op, p->fixed_size, NULL, err));
    stk_value_spec         values[] = {window_values[0], window_values[1]};
    const stk_element_spec called_on = {.known = true, .count = 2, .values = values};
    values[1].inner = &data->inputs[0]->spec;
    return stk_expand_check(data, p->reduce, &called_on, err);
}

static int64_t cardinality(const stk_dataset *data)
{
    return data->inputs[0]->cardinality == STK_CARDINALITY_INFINITE ? STK_CARDINALITY_INFINITE
                                                                    : STK_CARDINALITY_UNKNOWN;
}

static stk_status describe(const stk_dataset *data, stk_blob *out, stk_error *err)
{
    const stk_group_params *p = data->params;
    STK_TRY(stk_describe(out, err, "key "));
    STK_TRY(stk_describe_function(out, p->key, err));
    STK_TRY(stk_describe(out, err, ", window "));
    STK_TRY(p->window_size ? stk_describe_function(out, p->window_size, err)
                           : stk_describe(out, err, "%" PRId64, p->fixed_size));
    STK_TRY(stk_describe(out, err, ", "));
    return stk_describe_function(out, p->reduce, err);
}

static unsigned traits_of(const stk_dataset *data)
{
    const stk_group_params *p = data->params;
    return stk_expand_traits(p->key) | stk_expand_traits(p->reduce) |
           (p->window_size ? stk_expand_traits(p->window_size) : 0);
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    stk_groups_init(&STK_STATE(state, node)->groups, node->plan->op->name,
                    stk_run_options_of(node->run)->ledger);
    return STK_OK;
}

static stk_status ask_size(stk_node *node, int64_t key, int64_t *size, stk_error *err)
{
    const stk_group_params *p = node->plan->params;
    *size = p->fixed_size;
    if (!p->window_size) return STK_OK;
    stk_element *holder;
    STK_TRY(stk_element_new(&holder, 1, err));
    stk_value_i64(stk_element_edit(holder, 0), key);
    const stk_call call = stk_node_call(node, STK_STATE(state, node)->index - 1);
    stk_status     st = stk_call_key(p->window_size, &call, holder, size, err);
    stk_element_unref(holder);
    char where[48];
    snprintf(where, sizeof where, "key %" PRId64, key);
    return st ? st : check_size(node->plan->op, *size, where, err);
}

/* Puts an element, which is taken over, into its group. */
static stk_status gather(stk_node *node, stk_element *element, stk_group **group, stk_error *err)
{
    state         *s = STK_STATE(state, node);
    stk_queue_item item = {.element = element};
    const stk_call call = stk_node_call(node, s->index++);
    int64_t        key, size;
    stk_status     st =
        stk_call_key(STK_PARAMS(stk_group_params, node)->key, &call, element, &key, err);
    *group = st ? NULL : stk_groups_find(&s->groups, key);
    if (!st && !*group) {
        st = ask_size(node, key, &size, err);
        if (!st) st = stk_groups_add(&s->groups, key, size, group, err);
    }
    if (st) {
        stk_queue_item_clear(&item);
        return st;
    }
    return stk_backlog_push(&(*group)->held, &item, err);
}

static stk_status element_of(const stk_node *node, const stk_group *group, stk_element **out,
                             stk_error *err)
{
    stk_dataset *window;
    STK_TRY(stk_backlog_dataset(&group->held, 1, node->plan->inputs[0], &window, err));
    stk_status st = stk_element_new(out, 2, err);
    if (!st) {
        stk_value_i64(stk_element_edit(*out, 0), group->key);
        stk_value_dataset(stk_element_edit(*out, 1), window);
        stk_element_set_origin(*out, stk_element_origin(group->held.items[0].element));
    }
    stk_dataset_unref(window);
    return st;
}

/* The group is removed in any case: a window that cannot be reduced is one error. */
static stk_status start_window(stk_node *node, stk_group *group, stk_error *err)
{
    state       *s = STK_STATE(state, node);
    stk_element *element = NULL;
    stk_status   st = element_of(node, group, &element, err);
    stk_groups_remove(&s->groups, group);
    if (st) return st;
    return stk_nested_open(&s->inner, node, STK_PARAMS(stk_group_params, node)->reduce, element,
                           s->windows++, 0, err);
}

/* At the end of the input: what is not full, in the order of keys. */
static stk_status flush_next(stk_node *node, bool *done, stk_error *err)
{
    state *s = STK_STATE(state, node);
    if (!s->keys) {
        STK_TRY(stk_groups_keys(&s->groups, &s->keys, err));
        s->key_count = s->groups.count;
    }
    *done = s->flushed == s->key_count;
    if (*done) return STK_OK;
    stk_group *group = stk_groups_find(&s->groups, s->keys[s->flushed++]);
    /* One without elements is left where there was no memory to hold its first. */
    if (group->held.count) return start_window(node, group, err);
    stk_groups_remove(&s->groups, group);
    return STK_OK;
}

static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    state *s = STK_STATE(state, node);
    for (;;) {
        STK_TRY(stk_node_check(node, err));
        if (s->inner.node) {
            stk_status st = stk_nested_next(&s->inner, out, err);
            if (st || *out) return st;
            stk_nested_close(&s->inner);
        }
        stk_element *element;
        bool         done = false;
        STK_TRY(stk_node_pull(node, &element, err));
        if (!element) {
            STK_TRY(flush_next(node, &done, err));
            if (done) return STK_OK;
            continue;
        }
        stk_group *group;
        STK_TRY(gather(node, element, &group, err));
        if ((int64_t)group->held.count >= group->size) STK_TRY(start_window(node, group, err));
    }
}

static void close(stk_node *node)
{
    state *s = STK_STATE(state, node);
    stk_nested_close(&s->inner);
    stk_groups_release(&s->groups);
    free(s->keys);
}

static stk_status save_groups(const stk_groups *groups, stk_state_out *out, stk_error *err)
{
    int64_t *keys;
    STK_TRY(stk_groups_keys(groups, &keys, err));
    stk_status st = stk_state_put_u64(out, groups->count, err);
    for (size_t i = 0; i < groups->count && !st; i++) {
        const stk_group *group = stk_groups_find(groups, keys[i]);
        st = stk_state_put_i64(out, group->key, err);
        if (!st) st = stk_state_put_i64(out, group->size, err);
        if (!st) st = stk_backlog_save(&group->held, out, err);
    }
    free(keys);
    return st;
}

static stk_status restore_group(stk_node *node, stk_state_in *in, stk_error *err)
{
    state     *s = STK_STATE(state, node);
    stk_group *group;
    int64_t    key, size;
    STK_TRY(stk_state_get_i64(in, &key, err));
    STK_TRY(stk_state_get_i64(in, &size, err));
    if (stk_groups_find(&s->groups, key)) return stk_state_damaged(in, "a key comes twice", err);
    STK_TRY(stk_groups_add(&s->groups, key, size, &group, err));
    STK_TRY(stk_backlog_restore(&group->held, &node->plan->inputs[0]->spec, in, err));
    if ((int64_t)group->held.count >= size)
        return stk_state_damaged(in, "a window is larger than it may be", err);
    for (size_t i = 0; i < group->held.count; i++)
        if (group->held.items[i].status) return stk_state_damaged(in, "an error in a window", err);
    return STK_OK;
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    const stk_group_params *p = node->plan->params;
    const state            *s = STK_STATE(state, node);
    STK_TRY(stk_state_put_u64(out, s->index, err));
    STK_TRY(stk_state_put_u64(out, s->windows, err));
    STK_TRY(save_groups(&s->groups, out, err));
    STK_TRY(stk_state_put_u64(out, s->inner.node != NULL, err));
    if (s->inner.node) STK_TRY(stk_nested_save(&s->inner, out, err));
    STK_TRY(stk_function_save(p->key, out, err));
    STK_TRY(stk_function_save(p->reduce, out, err));
    if (p->window_size) STK_TRY(stk_function_save(p->window_size, out, err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    const stk_group_params *p = node->plan->params;
    state                  *s = STK_STATE(state, node);
    uint64_t                groups;
    bool                    open_inner;
    STK_TRY(stk_state_get_u64(in, &s->index, err));
    STK_TRY(stk_state_get_u64(in, &s->windows, err));
    STK_TRY(stk_state_get_count(in, in->left.size, &groups, err));
    for (uint64_t i = 0; i < groups; i++)
        STK_TRY(restore_group(node, in, err));
    STK_TRY(stk_state_get_bool(in, &open_inner, err));
    if (open_inner)
        STK_TRY(stk_nested_restore(&s->inner, node, p->reduce, &window_spec, 0, in, err));
    STK_TRY(stk_function_restore(p->key, in, err));
    STK_TRY(stk_function_restore(p->reduce, in, err));
    if (p->window_size) STK_TRY(stk_function_restore(p->window_size, in, err));
    return stk_node_restore_input(node, in, err);
}

#define GROUP_OP(title)                                                                            \
    {                                                                                              \
        .name = title, .stage = STK_STAGE_PREPROCESS, .params_bytes = sizeof(stk_group_params),    \
        .release_params = release_params, .check = check, .cardinality = cardinality,              \
        .describe = describe, .traits_of = traits_of, .state_bytes = sizeof(state), .open = open,  \
        .next = next, .close = close, .save = save, .restore = restore                             \
    }

const stk_operator stk_operator_group_by_window = GROUP_OP("group_by_window");
const stk_operator stk_operator_bucket_by_length = GROUP_OP("bucket_by_length");

stk_status stk_group_append(stk_dataset **data, const stk_operator *op,
                            const stk_group_params *params, stk_error *err)
{
    const stk_group_params p = {.key = stk_function_ref(params->key),
                                .reduce = stk_function_ref(params->reduce),
                                .window_size = stk_function_ref(params->window_size),
                                .fixed_size = params->fixed_size};
    return stk_dataset_append(data, op, &p, err);
}

stk_status stk_dataset_group_by_window(stk_dataset **data, stk_function *key, stk_function *reduce,
                                       int64_t fixed_size, stk_function *window_size,
                                       stk_error *err)
{
    const stk_group_params p = {
        .key = key, .reduce = reduce, .window_size = window_size, .fixed_size = fixed_size};
    return stk_group_append(data, &stk_operator_group_by_window, &p, err);
}
