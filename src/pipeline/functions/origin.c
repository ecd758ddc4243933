/* origin: a batch has the origin of its first element only; as values all of them are kept. */
#include "pipeline/functions/origin.h"

#include "pipeline/functions/builtin.h"

enum { ADDED = 2 };

typedef struct context {
    stk_spec_keep keep;
} context;

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    stk_element      *made, *from = *element;
    const stk_origin *origin = stk_element_origin(from);
    const size_t      count = stk_element_count(from);
    stk_bytes         file = {0};
    (void)untyped;
    (void)call;
    STK_TRY(stk_element_new(&made, count + ADDED, err));
    stk_element_set_origin(made, origin);
    for (size_t i = 0; i < count; i++)
        *stk_element_edit(made, i) = stk_value_ref(stk_element_value(from, i));
    if (origin->file)
        file = stk_bytes_of(stk_buffer_data(origin->file), stk_buffer_size(origin->file));
    stk_value_view(stk_element_edit(made, count), file, origin->file);
    stk_value_i64(stk_element_edit(made, count + 1),
                  (int64_t)(origin->file ? origin->record : origin->index));
    stk_element_unref(from);
    *element = made;
    return STK_OK;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    stk_value_spec *draft;
    *out = *input;
    if (!input->known) return STK_OK;
    STK_TRY(stk_spec_draft(&draft, input, ADDED, err));
    draft[input->count] =
        (stk_value_spec){.name = "origin_file", .dtype = STK_DTYPE_BYTES, .rank_known = true};
    draft[input->count + 1] =
        (stk_value_spec){.name = "origin_record", .dtype = STK_DTYPE_I64, .rank_known = true};
    return stk_spec_keep_draft(&c->keep, draft, input->count + ADDED, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_origin(stk_function **out, stk_error *err)
{
    context                 c = {0};
    const stk_function_info info = {
        .name = "origin", .traits = STK_FUNCTION_SAFE, .output_of = output_of, .map = map};
    *out = NULL;
    stk_spec_keep_init(&c.keep);
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
