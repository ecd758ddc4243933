/* Deferred image functions: they store edits for a device. */
#include "pipeline/functions/edit_image.h"

#include "pipeline/functions/builtin.h"

typedef struct context {
    stk_spec_keep keep;
    int           image, edits;
    stk_function *function; /* replaced function, whose step is borrowed; NULL: numbers rows */
    stk_chain_op  step;
} context;

stk_status stk_element_add_edits(stk_element **element, const stk_call *call,
                                 const stk_shape *shape, stk_error *err)
{
    stk_element *made, *from = *element;
    const size_t count = stk_element_count(from);
    void        *unused;
    STK_TRY(stk_element_new(&made, count + 1, err));
    stk_element_set_origin(made, stk_element_origin(from));
    for (size_t i = 0; i < count; i++)
        *stk_element_edit(made, i) = stk_value_ref(stk_element_value(from, i));
    stk_element_unref(from);
    *element = made;
    return stk_call_output(call, (int)count, stk_element_edit(made, count), STK_DTYPE_I32, shape,
                           &unused, err);
}

/* The writable words of the edits. */
static stk_status write_edits(stk_element *element, const stk_call *call, int edits, stk_edit **out,
                              stk_error *err)
{
    void *data;
    STK_TRY(stk_value_write(stk_element_edit(element, (size_t)edits), call->ledger, &data, err));
    *out = data;
    return STK_OK;
}

stk_status stk_element_batch_edits(stk_element **element, const stk_call *call, int edits,
                                   int64_t rows, stk_edit **out, stk_error *err)
{
    const stk_shape shape = stk_shape_2d(rows, STK_EDIT_WORDS);
    const bool      fresh = (size_t)edits == stk_element_count(*element);
    STK_TRY(stk_element_make_unique(element, err));
    if (fresh) STK_TRY(stk_element_add_edits(element, call, &shape, err));
    STK_TRY(write_edits(*element, call, edits, out, err));
    for (int64_t i = 0; i < rows; i++) {
        if (fresh) (*out)[i] = stk_edit_none(0);
        (*out)[i].source = (int32_t)i;
    }
    return STK_OK;
}

static stk_status number_rows(const context *c, const stk_call *call, stk_element **element,
                              stk_error *err)
{
    const stk_value *images;
    stk_edit        *edits;
    STK_TRY(stk_need_value("edits", *element, c->image, 1 << STK_DTYPE_U8, &images, err));
    return stk_element_batch_edits(element, call, c->edits, images->shape.dim[0], &edits, err);
}

/* As stk_chain_run draws for one step. */
static stk_status draw(const context *c, const stk_call *call, const stk_shape *shape,
                       stk_edit *edit, stk_error *err)
{
    const stk_image_size size = {.width = (int32_t)shape->dim[1],
                                 .height = (int32_t)shape->dim[0],
                                 .channels = (int32_t)shape->dim[2],
                                 .dtype = STK_DTYPE_U8};
    stk_random           random = stk_random_for(call->seed, (uint32_t)call->epoch, call->index, 0);
    const bool           maybe = c->step.probability < 1;
    if (maybe && stk_random_double(&random) >= c->step.probability) return STK_OK;
    return c->step.op->encode_edit(c->step.params, &random, &size, edit, err);
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context   *c = stk_builtin_context(untyped);
    const stk_shape  shape = stk_shape_1d(STK_EDIT_WORDS);
    const stk_value *image;
    stk_edit        *edit;
    if (!c->function) return number_rows(c, call, element, err);
    const bool fresh = (size_t)c->edits == stk_element_count(*element);
    STK_TRY(stk_element_make_unique(element, err));
    if (fresh) STK_TRY(stk_element_add_edits(element, call, &shape, err));
    STK_TRY(stk_need_value(c->step.op->name, *element, c->image, 1 << STK_DTYPE_U8, &image, err));
    STK_TRY(write_edits(*element, call, c->edits, &edit, err));
    if (fresh) *edit = stk_edit_none(0);
    if (image->shape.rank != 3)
        return stk_fail(err, STK_E_SHAPE, c->step.op->name, NULL,
                        "value %d has rank %d; an image has 3", c->image, image->shape.rank);
    return draw(c, call, &image->shape, edit, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    stk_value_spec *draft;
    STK_TRY(stk_check_one("edits", input, c->image, 1 << STK_DTYPE_U8, err));
    *out = *input;
    if (!input->known || (size_t)c->edits < input->count) return STK_OK;
    STK_TRY(stk_spec_draft(&draft, input, 1, err));
    draft[input->count] = (stk_value_spec){.name = "edits",
                                           .dtype = STK_DTYPE_I32,
                                           .rank_known = true,
                                           .shape = stk_shape_1d(STK_EDIT_WORDS)};
    if (!c->function) draft[input->count].shape = stk_shape_2d(-1, STK_EDIT_WORDS);
    return stk_spec_keep_draft(&c->keep, draft, input->count + 1, out, err);
}

static void release(void *untyped)
{
    context *c = untyped;
    stk_function_unref(c->function);
    stk_spec_keep_release(&c->keep);
}

stk_status stk_function_image_edit(stk_function **out, stk_function *function, int edits,
                                   stk_error *err)
{
    const stk_function_info *like = stk_function_info_of(function);
    context                  c = {.edits = edits, .function = stk_function_ref(function)};
    *out = NULL;
    stk_spec_keep_init(&c.keep);
    if (!stk_image_function_step(function, &c.image, &c.step)) {
        release(&c);
        return stk_fail(err, STK_E_UNSUPPORTED, like->name, NULL,
                        "there is no such operation on a device");
    }
    const stk_function_info info = {.name = like->name,
                                    .details = like->details,
                                    .traits = like->traits & ~(unsigned)STK_FUNCTION_ONE_VALUE,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}

stk_status stk_function_number_edits(stk_function **out, int image, int edits, stk_error *err)
{
    context c = {.image = image, .edits = edits};
    *out = NULL;
    stk_spec_keep_init(&c.keep);
    const stk_function_info info = {.name = "edits", .output_of = output_of, .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
