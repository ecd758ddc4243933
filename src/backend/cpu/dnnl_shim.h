/* oneDNN 2 and 3 under one set of names: what differs between them is in this file only. */
#ifndef STK_BACKEND_CPU_DNNL_SHIM_H
#define STK_BACKEND_CPU_DNNL_SHIM_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <string.h>

/* How a tensor lies, held by value; release when done. All zeros is none. */
typedef struct stk_md {
    dnnl_memory_desc_t desc;
    bool               set;
} stk_md;

/* The three directions of a layer, for convolutions and inner products. */
typedef enum stk_dnnl_pass {
    STK_DNNL_FORWARD,
    STK_DNNL_GRAD_INPUT,
    STK_DNNL_GRAD_WEIGHT
} stk_dnnl_pass;

typedef enum stk_dnnl_kind {
    STK_DNNL_CONVOLUTION,
    STK_DNNL_INNER_PRODUCT,
    STK_DNNL_MATMUL /* forward only */
} stk_dnnl_kind;

/* A layer to be made. Descriptions of gradients stand where their tensors do; bias may be none. */
typedef struct stk_dnnl_layer {
    stk_dnnl_kind         kind;
    stk_dnnl_pass         pass;
    dnnl_alg_kind_t       algorithm; /* this and those below: of convolutions */
    dnnl_dims_t           stride, dilation, pad_before, pad_after;
    stk_md                src, weights, bias, dst;
    dnnl_primitive_attr_t attr;
} stk_dnnl_layer;

/* Strides, and blocks from the outermost to the innermost: "aBcd16b". */
typedef struct stk_md_blocks {
    int         rank, count;
    dnnl_dims_t stride, block, axis;
} stk_md_blocks;

#if DNNL_VERSION_MAJOR >= 3

typedef const_dnnl_memory_desc_t stk_md_ref;

static inline stk_md_ref stk_md_get(const stk_md *md)
{
    return md->set ? md->desc : NULL;
}

static inline bool stk_md_by_tag(stk_md *md, int rank, const dnnl_dims_t dims,
                                 dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    md->set = dnnl_memory_desc_create_with_tag(&md->desc, rank, dims, type, tag) == dnnl_success;
    return md->set;
}

static inline bool stk_md_by_strides(stk_md *md, int rank, const dnnl_dims_t dims,
                                     dnnl_data_type_t type, const dnnl_dims_t strides)
{
    md->set =
        dnnl_memory_desc_create_with_strides(&md->desc, rank, dims, type, strides) == dnnl_success;
    return md->set;
}

static inline bool stk_md_copy(stk_md *md, stk_md_ref from)
{
    md->set = dnnl_memory_desc_clone(&md->desc, from) == dnnl_success;
    return md->set;
}

static inline void stk_md_release(stk_md *md)
{
    if (md->set) dnnl_memory_desc_destroy(md->desc);
    *md = (stk_md){0};
}

static inline bool stk_md_blocks_of(stk_md_ref md, stk_md_blocks *out)
{
    dnnl_format_kind_t kind;
    dnnl_dims_t       *stride;
    if (dnnl_memory_desc_query(md, dnnl_query_format_kind, &kind) || kind != dnnl_blocked ||
        dnnl_memory_desc_query(md, dnnl_query_ndims_s32, &out->rank) ||
        dnnl_memory_desc_query(md, dnnl_query_strides, &stride) ||
        dnnl_memory_desc_query(md, dnnl_query_inner_nblks_s32, &out->count))
        return false;
    memcpy(out->stride, *stride, sizeof out->stride);
    dnnl_dims_t *block, *axis;
    if (dnnl_memory_desc_query(md, dnnl_query_inner_blks, &block) ||
        dnnl_memory_desc_query(md, dnnl_query_inner_idxs, &axis))
        return false;
    memcpy(out->block, *block, sizeof out->block);
    memcpy(out->axis, *axis, sizeof out->axis);
    return true;
}

static inline dnnl_status_t stk_dnnl_forward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                             const stk_dnnl_layer *l, dnnl_primitive_attr_t attr)
{
    stk_md_ref src = stk_md_get(&l->src), weights = stk_md_get(&l->weights),
               bias = stk_md_get(&l->bias), dst = stk_md_get(&l->dst);
    if (l->kind == STK_DNNL_MATMUL)
        return dnnl_matmul_primitive_desc_create(pd, engine, src, weights, bias, dst, attr);
    if (l->kind == STK_DNNL_INNER_PRODUCT)
        return dnnl_inner_product_forward_primitive_desc_create(pd, engine, dnnl_forward_training,
                                                                src, weights, bias, dst, attr);
    return dnnl_convolution_forward_primitive_desc_create(
        pd, engine, dnnl_forward_training, l->algorithm, src, weights, bias, dst, l->stride,
        l->dilation, l->pad_before, l->pad_after, attr);
}

static inline dnnl_status_t stk_dnnl_backward(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                              const stk_dnnl_layer *l, dnnl_primitive_desc_t hint)
{
    stk_md_ref src = stk_md_get(&l->src), weights = stk_md_get(&l->weights),
               bias = stk_md_get(&l->bias), dst = stk_md_get(&l->dst);
    if (l->kind == STK_DNNL_INNER_PRODUCT)
        return l->pass == STK_DNNL_GRAD_INPUT
                   ? dnnl_inner_product_backward_data_primitive_desc_create(
                         pd, engine, src, weights, dst, hint, l->attr)
                   : dnnl_inner_product_backward_weights_primitive_desc_create(
                         pd, engine, src, weights, bias, dst, hint, l->attr);
    return l->pass == STK_DNNL_GRAD_INPUT
               ? dnnl_convolution_backward_data_primitive_desc_create(
                     pd, engine, l->algorithm, src, weights, dst, l->stride, l->dilation,
                     l->pad_before, l->pad_after, hint, l->attr)
               : dnnl_convolution_backward_weights_primitive_desc_create(
                     pd, engine, l->algorithm, src, weights, bias, dst, l->stride, l->dilation,
                     l->pad_before, l->pad_after, hint, l->attr);
}

/* Gradients are made from the description of their forward layer. */
static inline dnnl_status_t stk_dnnl_layer_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                  const stk_dnnl_layer *l)
{
    if (l->pass == STK_DNNL_FORWARD) return stk_dnnl_forward(pd, engine, l, l->attr);
    dnnl_primitive_desc_t hint;
    dnnl_status_t         st = stk_dnnl_forward(&hint, engine, l, NULL);
    if (st) return st;
    st = stk_dnnl_backward(pd, engine, l, hint);
    dnnl_primitive_desc_destroy(hint);
    return st;
}

static inline dnnl_status_t stk_post_ops_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t algorithm,
                                                 float a, float b)
{
    return dnnl_post_ops_append_eltwise(ops, algorithm, a, b);
}

#else

typedef const dnnl_memory_desc_t *stk_md_ref;

static inline stk_md_ref stk_md_get(const stk_md *md)
{
    return md->set ? &md->desc : NULL;
}

static inline bool stk_md_by_tag(stk_md *md, int rank, const dnnl_dims_t dims,
                                 dnnl_data_type_t type, dnnl_format_tag_t tag)
{
    md->set = dnnl_memory_desc_init_by_tag(&md->desc, rank, dims, type, tag) == dnnl_success;
    return md->set;
}

static inline bool stk_md_by_strides(stk_md *md, int rank, const dnnl_dims_t dims,
                                     dnnl_data_type_t type, const dnnl_dims_t strides)
{
    md->set =
        dnnl_memory_desc_init_by_strides(&md->desc, rank, dims, type, strides) == dnnl_success;
    return md->set;
}

static inline bool stk_md_copy(stk_md *md, stk_md_ref from)
{
    *md = (stk_md){*from, true};
    return true;
}

static inline void stk_md_release(stk_md *md)
{
    *md = (stk_md){0};
}

static inline bool stk_md_blocks_of(stk_md_ref md, stk_md_blocks *out)
{
    const dnnl_blocking_desc_t *from = &md->format_desc.blocking;
    if (md->format_kind != dnnl_blocked) return false;
    out->rank = md->ndims;
    out->count = from->inner_nblks;
    memcpy(out->stride, from->strides, sizeof out->stride);
    memcpy(out->block, from->inner_blks, sizeof out->block);
    memcpy(out->axis, from->inner_idxs, sizeof out->axis);
    return true;
}

static inline dnnl_status_t stk_dnnl_convolution(dnnl_convolution_desc_t *desc,
                                                 const stk_dnnl_layer    *l)
{
    stk_md_ref src = stk_md_get(&l->src), weights = stk_md_get(&l->weights),
               bias = stk_md_get(&l->bias), dst = stk_md_get(&l->dst);
    if (l->pass == STK_DNNL_FORWARD)
        return dnnl_dilated_convolution_forward_desc_init(desc, dnnl_forward_training, l->algorithm,
                                                          src, weights, bias, dst, l->stride,
                                                          l->dilation, l->pad_before, l->pad_after);
    if (l->pass == STK_DNNL_GRAD_INPUT)
        return dnnl_dilated_convolution_backward_data_desc_init(desc, l->algorithm, src, weights,
                                                                dst, l->stride, l->dilation,
                                                                l->pad_before, l->pad_after);
    return dnnl_dilated_convolution_backward_weights_desc_init(desc, l->algorithm, src, weights,
                                                               bias, dst, l->stride, l->dilation,
                                                               l->pad_before, l->pad_after);
}

static inline dnnl_status_t stk_dnnl_inner_product(dnnl_inner_product_desc_t *desc,
                                                   const stk_dnnl_layer      *l)
{
    stk_md_ref src = stk_md_get(&l->src), weights = stk_md_get(&l->weights),
               bias = stk_md_get(&l->bias), dst = stk_md_get(&l->dst);
    if (l->pass == STK_DNNL_FORWARD)
        return dnnl_inner_product_forward_desc_init(desc, dnnl_forward_training, src, weights, bias,
                                                    dst);
    if (l->pass == STK_DNNL_GRAD_INPUT)
        return dnnl_inner_product_backward_data_desc_init(desc, src, weights, dst);
    return dnnl_inner_product_backward_weights_desc_init(desc, src, weights, bias, dst);
}

static inline dnnl_status_t stk_dnnl_layer_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                                  const stk_dnnl_layer *l)
{
    union {
        dnnl_convolution_desc_t   convolution;
        dnnl_inner_product_desc_t inner_product;
        dnnl_matmul_desc_t        matmul;
    } desc;
    dnnl_status_t st;
    if (l->kind == STK_DNNL_CONVOLUTION)
        st = stk_dnnl_convolution(&desc.convolution, l);
    else if (l->kind == STK_DNNL_INNER_PRODUCT)
        st = stk_dnnl_inner_product(&desc.inner_product, l);
    else
        st = dnnl_matmul_desc_init(&desc.matmul, stk_md_get(&l->src), stk_md_get(&l->weights),
                                   stk_md_get(&l->bias), stk_md_get(&l->dst));
    return st ? st : dnnl_primitive_desc_create(pd, &desc, l->attr, engine, NULL);
}

static inline dnnl_status_t stk_post_ops_eltwise(dnnl_post_ops_t ops, dnnl_alg_kind_t algorithm,
                                                 float a, float b)
{
    return dnnl_post_ops_append_eltwise(ops, 1, algorithm, a, b);
}

#endif
#endif
