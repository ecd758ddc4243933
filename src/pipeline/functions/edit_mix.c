/* mixup and cutmix for batches whose images a device mixes. */
#include "image/batch/mix.h"
#include "pipeline/functions/edit_image.h"
#include "pipeline/functions/fn_mix.h"

typedef struct context {
    stk_spec_keep keep;
    int           image, label, edits;
    double        alpha;
    bool          cut;
} context;

static const char *name_of(const context *c)
{
    return c->cut ? "cutmix" : "mixup";
}

static stk_status find_labels(const context *c, stk_element *element, const stk_call *call,
                              stk_mix_rows *out, stk_error *err)
{
    const stk_value *value;
    STK_TRY(stk_need_value(name_of(c), element, c->label, 1 << STK_DTYPE_F32, &value, err));
    if (value->shape.rank != 2)
        return stk_fail(err, STK_E_SHAPE, name_of(c), NULL,
                        "value %d has rank %d; labels are [rows,classes]", c->label,
                        value->shape.rank);
    *out = (stk_mix_rows){
        .dtype = STK_DTYPE_F32, .rows = value->shape.dim[0], .row_elements = value->shape.dim[1]};
    return stk_value_write(stk_element_edit(element, (size_t)c->label), call->ledger, &out->data,
                           err);
}

static stk_status draw(const context *c, const stk_element *element, int64_t rows,
                       stk_random *random, stk_mix *out, stk_error *err)
{
    const stk_value *value;
    char             text[128];
    STK_TRY(stk_need_value(name_of(c), element, c->image, 1 << STK_DTYPE_U8, &value, err));
    const stk_shape *s = &value->shape;
    if (s->rank != 4 || s->dim[0] != rows || s->dim[1] > INT32_MAX || s->dim[2] > INT32_MAX)
        return stk_fail(err, STK_E_SHAPE, name_of(c), NULL,
                        "value %d has shape %s; a batch of images is [%lld,height,width,channels]",
                        c->image, stk_shape_text(s, text, sizeof text), (long long)rows);
    *out = stk_mix_draw(random, c->cut, c->alpha, (int32_t)s->dim[2], (int32_t)s->dim[1]);
    return STK_OK;
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    stk_random     random = stk_random_for(call->seed, (uint32_t)call->epoch, call->index, 0);
    stk_mix_rows   labels;
    stk_mix        drawn;
    stk_edit      *edits;
    STK_TRY(stk_element_make_unique(element, err));
    STK_TRY(find_labels(c, *element, call, &labels, err));
    STK_TRY(draw(c, *element, labels.rows, &random, &drawn, err));
    STK_TRY(stk_element_batch_edits(element, call, c->edits, labels.rows, &edits, err));
    stk_mix_edit(&drawn, edits, labels.rows);
    return stk_mixup(&labels, NULL, drawn.lambda, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context        *c = stk_builtin_context(untyped);
    stk_value_spec *draft;
    STK_TRY(stk_check_one(name_of(c), input, c->image, 1 << STK_DTYPE_U8, err));
    STK_TRY(stk_check_one(name_of(c), input, c->label, 1 << STK_DTYPE_F32, err));
    if (!input->known || (size_t)c->edits < input->count) {
        *out = *input;
        return STK_OK;
    }
    STK_TRY(stk_spec_draft(&draft, input, 1, err));
    draft[input->count] = draft[c->label];
    draft[input->count].name = "edits";
    draft[input->count].dtype = STK_DTYPE_I32;
    if (draft[c->label].rank_known) draft[input->count].shape.dim[1] = STK_EDIT_WORDS;
    return stk_spec_keep_draft(&c->keep, draft, input->count + 1, out, err);
}

static void release(void *untyped)
{
    stk_spec_keep_release(&((context *)untyped)->keep);
}

stk_status stk_function_mix_edits(stk_function **out, int image, int label, int edits, double alpha,
                                  bool cut, stk_error *err)
{
    char    details[STK_MIX_DETAILS];
    context c = {.image = image, .label = label, .edits = edits, .alpha = alpha, .cut = cut};
    *out = NULL;
    if (image < 0 || label < 0 || !(alpha > 0 && alpha <= 1000))
        return stk_fail(err, STK_E_INVALID, name_of(&c), NULL,
                        "values %d and %d, alpha %g: values are counted from 0, alpha is above 0 "
                        "and at most 1000",
                        image, label, alpha);
    stk_spec_keep_init(&c.keep);
    const stk_function_info info = {.name = name_of(&c),
                                    .details = stk_mix_details(alpha, image, label, false, details),
                                    .traits = STK_FUNCTION_RANDOM,
                                    .output_of = output_of,
                                    .map = map};
    return stk_builtin_new(out, &info, &c, sizeof c, release, err);
}
