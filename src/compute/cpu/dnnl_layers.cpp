/* Primitive descriptors of layers. oneDNN 2 fills an op descriptor first; in oneDNN 3 gradients
 * need the forward primitive descriptor as hint. */
#include "compute/cpu/dnnl_guard.hpp"

namespace
{

struct operands {
    stk_md_ref src, weights, bias, dst;
};

operands operands_of(const stk_dnnl_layer *l)
{
    return {stk_md_get(&l->src), stk_md_get(&l->weights), stk_md_get(&l->bias),
            stk_md_get(&l->dst)};
}

#if DNNL_VERSION_MAJOR >= 3

dnnl_status_t forward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const stk_dnnl_layer *l,
                      dnnl_primitive_attr_t attr)
{
    const operands o = operands_of(l);
    if (l->kind == STK_DNNL_MATMUL)
        return dnnl_matmul_primitive_desc_create(pd, engine, o.src, o.weights, o.bias, o.dst, attr);
    if (l->kind == STK_DNNL_INNER_PRODUCT)
        return dnnl_inner_product_forward_primitive_desc_create(
            pd, engine, dnnl_forward_training, o.src, o.weights, o.bias, o.dst, attr);
    return dnnl_convolution_forward_primitive_desc_create(
        pd, engine, dnnl_forward_training, l->algorithm, o.src, o.weights, o.bias, o.dst, l->stride,
        l->dilation, l->pad_before, l->pad_after, attr);
}

dnnl_status_t backward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const stk_dnnl_layer *l,
                       dnnl_primitive_desc_t hint)
{
    const operands o = operands_of(l);
    if (l->kind == STK_DNNL_INNER_PRODUCT)
        return l->pass == STK_DNNL_GRAD_INPUT
                   ? dnnl_inner_product_backward_data_primitive_desc_create(
                         pd, engine, o.src, o.weights, o.dst, hint, l->attr)
                   : dnnl_inner_product_backward_weights_primitive_desc_create(
                         pd, engine, o.src, o.weights, o.bias, o.dst, hint, l->attr);
    return l->pass == STK_DNNL_GRAD_INPUT
               ? dnnl_convolution_backward_data_primitive_desc_create(
                     pd, engine, l->algorithm, o.src, o.weights, o.dst, l->stride, l->dilation,
                     l->pad_before, l->pad_after, hint, l->attr)
               : dnnl_convolution_backward_weights_primitive_desc_create(
                     pd, engine, l->algorithm, o.src, o.weights, o.bias, o.dst, l->stride,
                     l->dilation, l->pad_before, l->pad_after, hint, l->attr);
}

dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const stk_dnnl_layer *l)
{
    if (l->pass == STK_DNNL_FORWARD)
        return stk_guard_making([&] { return forward(pd, engine, l, l->attr); });
    dnnl_primitive_desc_t hint = nullptr;
    dnnl_status_t         st = stk_guard_making([&] { return forward(&hint, engine, l, nullptr); });
    if (st) return st;
    st = stk_guard_making([&] { return backward(pd, engine, l, hint); });
    stk_onednn_pd_destroy(hint);
    return st;
}

#else

dnnl_status_t convolution(dnnl_convolution_desc_t *desc, const stk_dnnl_layer *l)
{
    const operands o = operands_of(l);
    if (l->pass == STK_DNNL_FORWARD)
        return dnnl_dilated_convolution_forward_desc_init(
            desc, dnnl_forward_training, l->algorithm, o.src, o.weights, o.bias, o.dst, l->stride,
            l->dilation, l->pad_before, l->pad_after);
    if (l->pass == STK_DNNL_GRAD_INPUT)
        return dnnl_dilated_convolution_backward_data_desc_init(
            desc, l->algorithm, o.src, o.weights, o.dst, l->stride, l->dilation, l->pad_before,
            l->pad_after);
    return dnnl_dilated_convolution_backward_weights_desc_init(
        desc, l->algorithm, o.src, o.weights, o.bias, o.dst, l->stride, l->dilation, l->pad_before,
        l->pad_after);
}

dnnl_status_t inner_product(dnnl_inner_product_desc_t *desc, const stk_dnnl_layer *l)
{
    const operands o = operands_of(l);
    if (l->pass == STK_DNNL_FORWARD)
        return dnnl_inner_product_forward_desc_init(desc, dnnl_forward_training, o.src, o.weights,
                                                    o.bias, o.dst);
    if (l->pass == STK_DNNL_GRAD_INPUT)
        return dnnl_inner_product_backward_data_desc_init(desc, o.src, o.weights, o.dst);
    return dnnl_inner_product_backward_weights_desc_init(desc, o.src, o.weights, o.bias, o.dst);
}

union description {
    dnnl_convolution_desc_t   convolution;
    dnnl_inner_product_desc_t inner_product;
    dnnl_matmul_desc_t        matmul;
};

dnnl_status_t fill(description *desc, const stk_dnnl_layer *l)
{
    const operands o = operands_of(l);
    if (l->kind == STK_DNNL_CONVOLUTION) return convolution(&desc->convolution, l);
    if (l->kind == STK_DNNL_INNER_PRODUCT) return inner_product(&desc->inner_product, l);
    return dnnl_matmul_desc_init(&desc->matmul, o.src, o.weights, o.bias, o.dst);
}

dnnl_status_t create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine, const stk_dnnl_layer *l)
{
    return stk_guard_making([&] {
        description   desc;
        dnnl_status_t st = fill(&desc, l);
        return st ? st : dnnl_primitive_desc_create(pd, &desc, l->attr, engine, nullptr);
    });
}

#endif

} /* namespace */

dnnl_status_t stk_onednn_layer_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                      const stk_dnnl_layer *layer) noexcept
{
    *pd = nullptr;
    dnnl_status_t st = create(pd, engine, layer);
    if (st) *pd = nullptr;
    return st;
}
