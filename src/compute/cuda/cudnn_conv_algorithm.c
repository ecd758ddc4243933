#include "compute/cuda/cudnn_conv_algorithm.h"
#include "compute/cuda/channel_rows.h"
#include "compute/cuda_kernels/binary.h"
#include "compute/cuda_kernels/bn_apply.h"
#include <stdio.h>
#include <string.h>

enum { ALIGNMENT = 256 };

static const char *const kinds[STK_CONV_KINDS] = {
    [STK_CONV_NO_ALGORITHM] = "none",
    [STK_CONV_ENGINE] = "engine",
    [STK_CONV_FUSED] = "fused",
    [STK_CONV_GEMM] = "product",
};

char *stk_conv_algorithm_text(const stk_conv_algorithm *algorithm, char *text, size_t capacity)
{
    int used = snprintf(text, capacity, "%s ", kinds[algorithm->kind]);
    if (algorithm->kind == STK_CONV_GEMM)
        stk_cublas_conv_text(algorithm->gemm, text + used, capacity - (size_t)used);
    else if (algorithm->kind != STK_CONV_NO_ALGORITHM)
        stk_cudnn_choice_text(&algorithm->choice, text + used, capacity - (size_t)used);
    return text;
}

stk_conv_kind stk_conv_kind_parse(const char *text, const char **rest)
{
    for (int i = STK_CONV_NO_ALGORITHM + 1; i < STK_CONV_KINDS; i++) {
        size_t length = strlen(kinds[i]);
        if (strncmp(text, kinds[i], length) != 0 || text[length] != ' ') continue;
        *rest = text + length + 1;
        return (stk_conv_kind)i;
    }
    return STK_CONV_NO_ALGORITHM;
}

static stk_tensor_type result_type(const stk_conv_problem *c)
{
    const stk_conv2d_shape *s = &c->shape;
    return (stk_tensor_type){c->dtype, c->pass == STK_CONV_INPUT
                                           ? stk_shape_4d(s->batch, s->in_h, s->in_w, s->in_c)
                                           : stk_shape_4d(s->batch, s->out_h, s->out_w, s->out_c)};
}

static size_t library_bytes(const stk_conv_algorithm *algorithm)
{
    size_t bytes = algorithm->kind == STK_CONV_GEMM ? stk_cublas_conv_workspace(algorithm->gemm)
                                                    : stk_cudnn_plan_workspace(algorithm->plan);
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

/* The addend may alias the result, so an engine writes elsewhere first. */
static bool goes_aside(const stk_conv_problem *c, const stk_conv_algorithm *algorithm)
{
    return c->addend && algorithm->kind == STK_CONV_ENGINE;
}

size_t stk_conv_algorithm_scratch(const stk_conv_problem *c, const stk_conv_algorithm *algorithm)
{
    stk_tensor_type type = result_type(c);
    return library_bytes(algorithm) + (goes_aside(c, algorithm) ? stk_type_bytes(&type) : 0);
}

void stk_conv_bound_pack_release(stk_conv_bound_pack *bound_pack)
{
    stk_cudnn_variant_pack_free(bound_pack->pack);
    *bound_pack = (stk_conv_bound_pack){0};
}

static void *aside(const stk_conv_algorithm *algorithm, const stk_conv_addresses *addresses)
{
    return (char *)addresses->scratch + library_bytes(algorithm);
}

/* Addresses of a program do not change between runs. */
static stk_status bind(const stk_conv_problem *c, const stk_conv_algorithm *algorithm,
                       const stk_conv_addresses *addresses, stk_conv_bound_pack *bound_pack,
                       stk_error *err)
{
    void *data[STK_CUDNN_TENSORS] = {0};
    if (bound_pack->pack && memcmp(&bound_pack->addresses, addresses, sizeof *addresses) == 0)
        return STK_OK;
    stk_conv_bound_pack_release(bound_pack);
    memcpy(data, addresses->at, sizeof addresses->at);
    if (goes_aside(c, algorithm)) data[STK_CONV_RESULT] = aside(algorithm, addresses);
    STK_TRY(stk_cudnn_variant_pack_new(&bound_pack->pack, algorithm->graph, data,
                                       addresses->scratch, err));
    bound_pack->addresses = *addresses;
    return STK_OK;
}

static stk_status failed(const stk_conv_problem *c, cudaError_t code, stk_error *err)
{
    if (code == cudaSuccess) return STK_OK;
    return stk_cuda_fail(err, code, "what follows a convolution", stk_conv_op(c->pass)->name);
}

static stk_status add(stk_device *device, const stk_conv_problem *c,
                      const stk_conv_algorithm *algorithm, const stk_conv_addresses *addresses,
                      stk_error *err)
{
    stk_tensor_type      type = result_type(c);
    stk_cuda_binary_args args = {.sign = 1,
                                 .dtype = (int)c->dtype,
                                 .b_dtype = (int)c->dtype,
                                 .a = aside(algorithm, addresses),
                                 .b = addresses->at[STK_CONV_THIRD],
                                 .out = addresses->at[STK_CONV_RESULT],
                                 .count = stk_type_elements(&type)};
    return failed(c, stk_cuda_binary_launch(&args, stk_cuda_of(device)->stream), err);
}

/* In place. */
static stk_status shift_and_activate(stk_device *device, const stk_conv_problem *c,
                                     const stk_conv_addresses *addresses, stk_error *err)
{
    stk_tensor_type        type = result_type(c);
    stk_cuda_bn_apply_args args = {.rows = stk_cuda_rows_to_map(device, &type, STK_FORMAT_PLAIN, 0),
                                   .act = c->act,
                                   .dtype = (int)c->dtype,
                                   .x = addresses->at[STK_CONV_RESULT],
                                   .shift = c->bias ? addresses->at[STK_CONV_THIRD] : NULL,
                                   .y = addresses->at[STK_CONV_RESULT]};
    return failed(c, stk_cuda_bn_apply_launch(&args, stk_cuda_of(device)->stream), err);
}

static stk_status run_gemm(stk_device *device, const stk_conv_problem *c,
                           const stk_conv_algorithm *algorithm, const stk_conv_addresses *addresses,
                           stk_error *err)
{
    void *const *at = addresses->at;
    STK_TRY(stk_cublas_conv_run(algorithm->gemm, at[STK_CONV_FIRST], at[STK_CONV_SECOND],
                                c->addend ? at[STK_CONV_THIRD] : NULL, at[STK_CONV_RESULT],
                                addresses->scratch, stk_cuda_of(device)->stream, err));
    if (c->addend || !stk_conv_has_more(c)) return STK_OK;
    return shift_and_activate(device, c, addresses, err);
}

stk_status stk_conv_algorithm_run(stk_device *device, cudnnHandle_t handle,
                                  const stk_conv_problem *c, const stk_conv_algorithm *algorithm,
                                  const stk_conv_addresses *addresses,
                                  stk_conv_bound_pack *bound_pack, stk_error *err)
{
    if (algorithm->kind == STK_CONV_GEMM) return run_gemm(device, c, algorithm, addresses, err);
    STK_TRY(bind(c, algorithm, addresses, bound_pack, err));
    STK_TRY(stk_cudnn_run(handle, algorithm->plan, bound_pack->pack, err));
    if (algorithm->kind == STK_CONV_FUSED || !stk_conv_has_more(c)) return STK_OK;
    return c->addend ? add(device, c, algorithm, addresses, err)
                     : shift_and_activate(device, c, addresses, err);
}
