/* unique: the first of equal elements. */
#include "pipeline/operators/operators.h"
#include "pipeline/runtime/run_node.h"
#include "pipeline/support/key_set.h"

#include <stoker/dataset_operators.h>

typedef struct state {
    stk_key_set seen;
    stk_blob    key; /* of the current element */
} state;

static bool may_be(stk_value_kind kind, stk_dtype dtype)
{
    return kind == STK_VALUE_DENSE &&
           (dtype == STK_DTYPE_I32 || dtype == STK_DTYPE_I64 || dtype == STK_DTYPE_BYTES);
}

static stk_status refuse_count(const char *where, size_t count, stk_error *err)
{
    return stk_fail(err, STK_E_TYPE, "unique", where,
                    "the elements have %zu values; unique compares elements of 1 value", count);
}

static stk_status refuse_type(const char *where, stk_value_kind kind, stk_dtype dtype,
                              stk_error *err)
{
    return stk_fail(err, STK_E_TYPE, "unique", where,
                    "the value is %s%s; unique compares dense int32, int64 and bytes",
                    kind == STK_VALUE_DENSE ? "" : "not dense, ", stk_dtype_name(dtype));
}

static stk_status check(stk_dataset *data, stk_error *err)
{
    const stk_element_spec *spec = &data->inputs[0]->spec;
    if (spec->known && spec->count != 1) return refuse_count(NULL, spec->count, err);
    if (spec->known && spec->values->dtype && !may_be(spec->values->kind, spec->values->dtype))
        return refuse_type(spec->values->name, spec->values->kind, spec->values->dtype, err);
    return stk_dataset_set_spec(data, spec, err);
}

static stk_status open(stk_node *node, stk_error *err)
{
    (void)err;
    state      *s = STK_STATE(state, node);
    stk_ledger *ledger = stk_run_options_of(node->run)->ledger;
    stk_key_set_init(&s->seen, ledger);
    stk_blob_init(&s->key, ledger, STK_MEMORY_CACHE);
    return STK_OK;
}

static stk_status put(stk_blob *key, const void *data, size_t size, stk_error *err)
{
    return size ? stk_blob_append(key, data, size, err) : STK_OK;
}

/* Type, shape and content: equal keys are equal values, whatever they are. */
static stk_status write_key(stk_blob *key, const stk_value *value, stk_error *err)
{
    const uint8_t head[2] = {(uint8_t)value->dtype, (uint8_t)value->shape.rank};
    const size_t  count = (size_t)stk_value_elements(value);
    key->size = 0;
    STK_TRY(put(key, head, sizeof head, err));
    STK_TRY(
        put(key, value->shape.dim, (size_t)value->shape.rank * sizeof value->shape.dim[0], err));
    if (value->dtype != STK_DTYPE_BYTES)
        return put(key, stk_value_data(value), count * stk_dtype_bytes(value->dtype), err);
    const stk_bytes *strings = stk_value_data(value);
    for (size_t i = 0; i < count; i++) {
        const uint64_t size = strings[i].size;
        STK_TRY(put(key, &size, sizeof size, err));
        STK_TRY(put(key, strings[i].data, strings[i].size, err));
    }
    return STK_OK;
}

/* A full ledger is caused by this operator: the message says so. */
static stk_status explain(stk_status st, const state *s, const char *where, stk_error *err)
{
    if (!err || (st != STK_E_CEILING && st != STK_E_NOMEM)) return st;
    const stk_error why = *err;
    return stk_fail(err, st, "unique", where,
                    "no memory to remember one more value beside %zu others (%.300s)",
                    s->seen.count, why.message);
}

static stk_status look_up(stk_node *node, const stk_element *element, bool *is_new, stk_error *err)
{
    state *s = STK_STATE(state, node);
    char   where[256];
    if (stk_element_count(element) != 1)
        return refuse_count(stk_element_where(element, where, sizeof where),
                            stk_element_count(element), err);
    const stk_value *value = stk_element_value(element, 0);
    if (!may_be(value->kind, value->dtype))
        return refuse_type(stk_element_where(element, where, sizeof where), value->kind,
                           value->dtype, err);
    stk_status st = write_key(&s->key, value, err);
    if (!st) st = stk_key_set_add(&s->seen, stk_blob_bytes(&s->key), is_new, err);
    return st ? explain(st, s, stk_element_where(element, where, sizeof where), err) : STK_OK;
}

/* Data without end may hold nothing new for ever: it must be possible to stop it. */
static stk_status next(stk_node *node, stk_element **out, stk_error *err)
{
    for (;;) {
        bool is_new = false;
        STK_TRY(stk_node_check(node, err));
        STK_TRY(stk_node_pull(node, out, err));
        if (!*out) return STK_OK;
        stk_status st = look_up(node, *out, &is_new, err);
        if (!st && is_new) return STK_OK;
        stk_element_unref(*out);
        *out = NULL;
        if (st) return st;
    }
}

static void close(stk_node *node)
{
    state *s = STK_STATE(state, node);
    stk_key_set_release(&s->seen);
    stk_blob_release(&s->key);
}

static stk_status save(stk_node *node, stk_state_out *out, stk_error *err)
{
    STK_TRY(stk_state_put_bytes(out, stk_key_set_bytes(&STK_STATE(state, node)->seen), err));
    return stk_node_save_input(node, out, err);
}

static stk_status restore(stk_node *node, stk_state_in *in, stk_error *err)
{
    stk_bytes saved;
    bool      valid;
    STK_TRY(stk_state_get_bytes(in, &saved, err));
    STK_TRY(stk_key_set_load(&STK_STATE(state, node)->seen, saved, &valid, err));
    if (!valid) return stk_state_damaged(in, "the values seen", err);
    return stk_node_restore_input(node, in, err);
}

const stk_operator stk_operator_unique = {
    .name = "unique",
    .stage = STK_STAGE_PREPROCESS,
    .check = check,
    .state_bytes = sizeof(state),
    .open = open,
    .next = next,
    .close = close,
    .save = save,
    .restore = restore,
};

stk_status stk_dataset_unique(stk_dataset **data, stk_error *err)
{
    return stk_dataset_append(data, &stk_operator_unique, NULL, err);
}
