/* Image functions. */
#include "pipeline/functions/image_function.h"

#include "base/decimal.h"
#include "base/suggest.h"
#include "image/chain/part.h"
#include "pipeline/functions/edit_image.h"
#include "pipeline/functions/image_context.h"
#include "pipeline/plan/operator.h"

#include <stdio.h>
#include <stdlib.h>

enum { DETAILS = 1024 }; /* of an operation: more than all its numbers take, written out */

stk_chain stk_image_chain_of(const stk_image_context *c)
{
    return (stk_chain){
        .decode = c->decodes ? &c->decode : NULL, .steps = c->steps, .count = c->count};
}

static const char *name_of(const stk_image_context *c)
{
    return c->decodes ? "decode_image" : c->steps[0].op->name;
}

stk_status stk_image_output(void *untyped, const stk_shape *shape, stk_dtype dtype, void **data,
                            stk_error *err)
{
    stk_image_target *t = untyped;
    return stk_call_output(t->call, t->value, &t->made, dtype, shape, data, err);
}

static stk_status find_pixels(const stk_image_context *c, const stk_element *element,
                              stk_chain_source *out, stk_error *err)
{
    const stk_value *value;
    char             text[128];
    STK_TRY(stk_need_value(name_of(c), element, c->value, 1 << STK_DTYPE_U8, &value, err));
    const stk_shape *s = &value->shape;
    const bool       good = s->rank == 3 && (s->dim[2] == 1 || s->dim[2] == 3) && s->dim[0] > 0 &&
                      s->dim[1] > 0 && s->dim[0] <= INT32_MAX && s->dim[1] <= INT32_MAX;
    if (!good)
        return stk_fail(err, STK_E_SHAPE, name_of(c), NULL,
                        "value %d has shape %s; an image is [height,width,1 or 3]", c->value,
                        stk_shape_text(s, text, sizeof text));
    out->pixels = (stk_pixels){.data = (uint8_t *)stk_value_data(value),
                               .width = (int32_t)s->dim[1],
                               .height = (int32_t)s->dim[0],
                               .channels = (int32_t)s->dim[2],
                               .stride = (size_t)(s->dim[1] * s->dim[2])};
    return STK_OK;
}

stk_status stk_image_find_source(const stk_image_context *c, const stk_element *element,
                                 stk_chain_source *out, stk_error *err)
{
    *out = (stk_chain_source){0};
    if (!c->decodes) return find_pixels(c, element, out, err);
    const stk_value *value;
    STK_TRY(stk_need_scalar("decode_image", element, c->value, 1 << STK_DTYPE_BYTES, &value, err));
    out->encoded = *(const stk_bytes *)stk_value_data(value);
    if (c->restarts < 0) return STK_OK;
    STK_TRY(
        stk_need_scalar("decode_image", element, c->restarts, 1 << STK_DTYPE_BYTES, &value, err));
    out->restarts = *(const stk_bytes *)stk_value_data(value);
    return STK_OK;
}

void stk_image_draw(const stk_image_context *c, const stk_call *call, stk_random *randoms)
{
    for (size_t i = 0; i < c->count; i++)
        randoms[i] = stk_random_for(call->seeds ? call->seeds[c->seed_of[i]] : call->seed,
                                    (uint32_t)call->epoch, call->index, 0);
}

stk_status stk_image_map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    stk_image_context   *c = stk_builtin_context(untyped);
    stk_chain            chain = stk_image_chain_of(c);
    stk_image_target     t = {.call = call, .value = c->value};
    stk_chain_source     source;
    stk_image_workspace *workspace;
    stk_random           randoms[STK_IMAGE_OPS_MAX];
    stk_decode_outcome   outcome;
    STK_TRY(stk_image_find_source(c, *element, &source, err));
    STK_TRY(stk_image_workspace_pool_acquire(c->workspaces, call->ledger, &workspace, err));
    stk_image_draw(c, call, randoms);
    chain.ticks = call->ticks;
    const stk_status st = stk_chain_run(&chain, workspace, &source, randoms,
                                        &(stk_chain_target){stk_image_output, &t}, &outcome, err);
    stk_image_workspace_pool_put_back(c->workspaces, workspace);
    if (st) {
        stk_value_release(&t.made);
        return st;
    }
    if (outcome.recovered) __atomic_fetch_add(c->recovered, 1, __ATOMIC_RELAXED);
    return stk_replace_value(element, c->value, &t.made, err);
}

/* The size that is known of the pixels that come in. */
static stk_image_size known_size(const stk_value_spec *spec)
{
    stk_image_size size = {-1, -1, -1, STK_DTYPE_U8, false};
    if (!spec->rank_known || spec->shape.rank != 3) return size;
    const int64_t *dim = spec->shape.dim;
    if (dim[0] > 0 && dim[0] <= INT32_MAX) size.height = (int32_t)dim[0];
    if (dim[1] > 0 && dim[1] <= INT32_MAX) size.width = (int32_t)dim[1];
    if (dim[2] > 0 && dim[2] <= 4) size.channels = (int32_t)dim[2];
    return size;
}

static bool is_real(const stk_element_spec *input, int value)
{
    if (!input->known || (size_t)value >= input->count) return false;
    const stk_dtype dtype = input->values[value].dtype;
    return dtype == STK_DTYPE_F32 || dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16;
}

static stk_status check_input(const stk_image_context *c, const stk_element_spec *input,
                              stk_error *err)
{
    if (!c->decodes && c->steps[0].op->output && is_real(input, c->value))
        return stk_fail(err, STK_E_TYPE, name_of(c), NULL,
                        "value %d is written as real numbers already; put %s right after the "
                        "operation that makes them, or before a cast",
                        c->value, name_of(c));
    if (!c->decodes) return stk_check_one(name_of(c), input, c->value, 1 << STK_DTYPE_U8, err);
    STK_TRY(stk_check_scalar("decode_image", input, c->value, 1 << STK_DTYPE_BYTES, err));
    if (c->restarts < 0) return STK_OK;
    return stk_check_scalar("decode_image", input, c->restarts, 1 << STK_DTYPE_BYTES, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    stk_image_context *c = stk_builtin_context(untyped);
    const stk_chain    chain = stk_image_chain_of(c);
    stk_image_size     size = {-1, -1, -1, STK_DTYPE_U8, false};
    STK_TRY(check_input(c, input, err));
    if (input->known && !c->decodes) size = known_size(&input->values[c->value]);
    STK_TRY(stk_chain_measure(&chain, &size, &size, err));
    const stk_shape shape = size.planar ? stk_shape_3d(size.channels, size.height, size.width)
                                        : stk_shape_3d(size.height, size.width, size.channels);
    return stk_spec_keep_value(&c->keep, input, c->value, size.dtype, &shape, out, err);
}

static void release(void *untyped)
{
    stk_image_context *c = untyped;
    free(c->params);
    stk_function_unref(c->joined[0]);
    stk_function_unref(c->joined[1]);
    if (c->workspaces) stk_image_workspace_pool_release(c->workspaces);
    free(c->workspaces);
    stk_spec_keep_release(&c->keep);
}

/* Makes the function of a context whose fields on what it does are set; they are taken over. */
static stk_status make(stk_function **out, stk_image_context *c, const char *name,
                       const char *details, bool random, stk_error *err)
{
    *out = NULL;
    stk_spec_keep_init(&c->keep);
    c->workspaces = malloc(sizeof *c->workspaces);
    if (!c->workspaces) {
        release(c);
        return stk_fail(err, STK_E_NOMEM, name, NULL, "no memory for a function");
    }
    stk_image_workspace_pool_init(c->workspaces);
    const stk_function_info info = {.name = name,
                                    .details = details,
                                    .traits = STK_FUNCTION_ONE_VALUE |
                                              (random ? (unsigned)STK_FUNCTION_RANDOM : 0u),
                                    .value = c->value,
                                    .output_of = output_of,
                                    .map = stk_image_map,
                                    .map_many = c->decodes ? stk_image_map_many : NULL};
    STK_TRY(stk_builtin_new(out, &info, c, sizeof *c, release, err));
    stk_image_context *kept = stk_builtin_context(stk_function_info_of(*out)->context);
    if (!kept->recovered) kept->recovered = &kept->own_recovered;
    return STK_OK;
}

static stk_image_context *context_of(const stk_function *function)
{
    const stk_function_info *info = stk_function_info_of(function);
    return info->map == stk_image_map ? stk_builtin_context(info->context) : NULL;
}

bool stk_image_function_step(const stk_function *function, int *value, stk_chain_op *step)
{
    const stk_image_context *c = context_of(function);
    if (!c || c->decodes || c->count != 1 || !c->steps[0].op->encode_edit) return false;
    *value = c->value;
    *step = c->steps[0];
    return true;
}

static stk_status check_value_index(const char *component, int value, stk_error *err)
{
    return value >= 0
               ? STK_OK
               : stk_fail(err, STK_E_RANGE, component, NULL,
                          "value %d was asked for; images are one value, counted from 0", value);
}

stk_status stk_function_decode_image(stk_function **out, int value,
                                     const stk_decode_image_options *options, stk_error *err)
{
    static const stk_decode_image_options defaults = {0};
    const stk_decode_image_options       *o = options ? options : &defaults;
    const int                             restarts = o->seekable ? o->restarts : -1;
    *out = NULL;
    STK_TRY(check_value_index("decode_image", value, err));
    if (o->channels != 0 && o->channels != 1 && o->channels != 3)
        return stk_fail(err, STK_E_INVALID, "decode_image", NULL,
                        "%d channels were asked for; there are 1 (grey) and 3 (RGB)", o->channels);
    stk_image_context c = {.value = value, .restarts = restarts, .decodes = true, .seeds = 1};
    c.decode = (stk_chain_decode){.limits = o->limits,
                                  .channels = o->channels ? o->channels : 3,
                                  .recover = o->recover,
                                  .stored_orientation = o->stored_orientation,
                                  .pillow_16bit = o->pillow_16bit,
                                  .shrink = o->shrink,
                                  .blank = o->blank};
    char details[160];
    snprintf(
        details, sizeof details, "value %d, %d channels%s%s%s%s%s, restarts %d, at most %d %llu",
        value, c.decode.channels, o->recover ? ", recover" : "",
        o->stored_orientation ? ", stored orientation" : "",
        o->pillow_16bit ? ", pillow 16 bit" : "", o->shrink ? ", shrink" : "",
        o->blank ? ", blank" : "", restarts, o->limits.side, (unsigned long long)o->limits.pixels);
    return make(out, &c, "decode_image", details, false, err);
}

static stk_status no_operation(const char *name, stk_error *err)
{
    char        text[96];
    stk_suggest suggest = {.wanted = name};
    for (size_t i = 0; stk_image_op_at(i); i++)
        stk_suggest_offer(&suggest, stk_image_op_at(i)->name);
    return stk_fail(err, STK_E_INVALID, "image", name, "there is no image operation of this name%s",
                    stk_suggest_text(&suggest, text, sizeof text));
}

stk_status stk_function_image(stk_function **out, int value, const char *operation,
                              const char *parameters, double probability, stk_error *err)
{
    *out = NULL;
    const stk_image_op *op = stk_image_op_find(operation);
    if (!op) return no_operation(operation, err);
    STK_TRY(check_value_index(op->name, value, err));
    if (!(probability >= 0 && probability <= 1))
        return stk_fail(err, STK_E_INVALID, op->name, NULL,
                        "a probability of %g was given; it must be from 0 to 1", probability);
    stk_image_context c = {.value = value, .restarts = -1, .count = 1, .seeds = 1};
    STK_TRY(stk_image_params_parse(&c.params, op, parameters ? parameters : "", err));
    c.steps[0] = (stk_chain_op){.op = op, .params = c.params, .probability = probability};
    char text[DETAILS], details[DETAILS + 80], chance[STK_DECIMAL_CAPACITY];
    stk_image_params_text(op, c.params, text, sizeof text);
    snprintf(details, sizeof details, "value %d%s%s, probability %s", value, *text ? ", " : "",
             text, stk_decimal_write(probability, 17, chance));
    return make(out, &c, op->name, details, op->random || probability < 1, err);
}

bool stk_image_operation_at(size_t index, stk_image_operation *out)
{
    const stk_image_op *op = stk_image_op_at(index);
    if (op) *out = (stk_image_operation){op->name, op->help};
    return op != NULL;
}

/* A cast of the image to float32 is the last thing done to it, and can be done on the way. */
static bool is_cast_of(const stk_function *function, int value)
{
    int       cast_value;
    stk_dtype dtype;
    return stk_cast_of(function, &cast_value, &dtype) && cast_value == value &&
           dtype == STK_DTYPE_F32;
}

bool stk_image_functions_join(const stk_function *before, const stk_function *after)
{
    const stk_image_context *a = context_of(before), *b = context_of(after);
    if (!a) return false;
    if (!b) return is_cast_of(after, a->value) && a->count < STK_IMAGE_OPS_MAX;
    if (a->value != b->value || b->decodes) return false;
    return a->count + b->count <= STK_IMAGE_OPS_MAX;
}

/* "decode_image, random_resized_crop[size=224,224]": what a joined function is called. */
static stk_status describe(stk_blob *text, const stk_function *function, stk_error *err)
{
    const stk_image_context *c = context_of(function);
    if (c->joined[0]) {
        STK_TRY(describe(text, c->joined[0], err));
        return describe(text, c->joined[1], err);
    }
    if (text->size) STK_TRY(stk_describe(text, err, ", "));
    return stk_describe_function(text, function, err);
}

stk_status stk_image_function_names(stk_blob *out, const stk_function *function, stk_error *err)
{
    const stk_image_context *c = context_of(function);
    const char              *name = stk_function_info_of(function)->name;
    if (!c || !c->joined[0]) return stk_blob_append(out, name, strlen(name), err);
    STK_TRY(stk_image_function_names(out, c->joined[0], err));
    STK_TRY(stk_describe(out, err, ", "));
    return stk_image_function_names(out, c->joined[1], err);
}

static stk_status join(stk_function **out, stk_function *before, stk_function *after,
                       bool more_seeds, stk_error *err)
{
    const stk_image_context *a = context_of(before), *b = context_of(after);
    stk_image_context        c = {.value = a->value,
                                  .restarts = a->restarts,
                                  .decodes = a->decodes,
                                  .decode = a->decode,
                                  .count = a->count + b->count,
                                  .seeds = a->seeds + (more_seeds ? b->seeds : 0),
                                  .recovered = a->recovered};
    memcpy(c.steps, a->steps, a->count * sizeof c.steps[0]);
    memcpy(c.steps + a->count, b->steps, b->count * sizeof c.steps[0]);
    memcpy(c.seed_of, a->seed_of, a->count);
    for (size_t i = 0; i < b->count; i++)
        c.seed_of[a->count + i] = more_seeds ? (uint8_t)(a->seeds + b->seed_of[i]) : 0;
    c.joined[0] = stk_function_ref(before);
    c.joined[1] = stk_function_ref(after);
    stk_blob text;
    stk_blob_init(&text, NULL, STK_MEMORY_INDEX);
    stk_status st = describe(&text, before, err);
    if (!st) st = describe(&text, after, err);
    if (!st) st = stk_blob_append(&text, "", 1, err);
    const unsigned traits =
        stk_function_info_of(before)->traits | stk_function_info_of(after)->traits;
    if (st) {
        stk_function_unref(before);
        stk_function_unref(after);
    } else {
        st = make(out, &c, "image", (const char *)text.data, traits & STK_FUNCTION_RANDOM, err);
    }
    stk_blob_release(&text);
    return st;
}

stk_status stk_image_function_joined(stk_function **out, stk_function *before, stk_function *after,
                                     stk_error *err)
{
    if (context_of(after)) return join(out, before, after, true, err);
    stk_function *cast;
    *out = NULL;
    STK_TRY(stk_function_image(&cast, context_of(before)->value, "cast", "dtype=float32", 1, err));
    const stk_status st = join(out, before, cast, true, err);
    stk_function_unref(cast);
    return st;
}

bool stk_image_function_finishes(const stk_function *before, const stk_function *after)
{
    const stk_image_context *b = context_of(after);
    return b && b->count == 1 && b->steps[0].op->output && stk_image_functions_join(before, after);
}

stk_status stk_image_function_finished(stk_function **out, stk_function *before,
                                       stk_function *after, stk_error *err)
{
    return join(out, before, after, false, err);
}

size_t stk_image_function_parts(const stk_function *function)
{
    const stk_image_context *c = context_of(function);
    if (!c) return 0;
    const stk_chain chain = stk_image_chain_of(c);
    return stk_chain_part_count(&chain);
}

char *stk_image_function_part(const stk_function *function, size_t part, char *text,
                              size_t capacity)
{
    const stk_chain chain = stk_image_chain_of(context_of(function));
    return stk_chain_part_name(&chain, part, text, capacity);
}

uint64_t stk_function_recovered(const stk_function *function)
{
    const stk_image_context *c = context_of(function);
    return c ? __atomic_load_n(c->recovered, __ATOMIC_RELAXED) : 0;
}
