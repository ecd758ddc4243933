/* All calls to oneDNN, with one set of names for versions 2 and 3. oneDNN is C++ and throws if
 * memory is short; these functions catch exceptions and return a status. No other file calls it,
 * which tests/cli/border.sh checks. */
#ifndef STK_COMPUTE_CPU_DNNL_ABI_H
#define STK_COMPUTE_CPU_DNNL_ABI_H

#include <oneapi/dnnl/dnnl.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
#define STK_NOTHROW noexcept
extern "C" {
#else
#define STK_NOTHROW
#endif

/* Memory descriptor, held by value; must be released. All zeros is none. */
typedef struct stk_md {
    dnnl_memory_desc_t desc;
    bool               set;
} stk_md;

/* The three directions of a layer, for convolutions and inner products. */
typedef enum stk_dnnl_direction {
    STK_DNNL_FORWARD,
    STK_DNNL_GRAD_INPUT,
    STK_DNNL_GRAD_WEIGHT
} stk_dnnl_direction;

typedef enum stk_dnnl_kind {
    STK_DNNL_CONVOLUTION,
    STK_DNNL_INNER_PRODUCT,
    STK_DNNL_MATMUL /* forward only */
} stk_dnnl_kind;

/* A layer to create. For gradients each descriptor is that of the tensor's gradient. bias may be
 * none. */
typedef struct stk_dnnl_layer {
    stk_dnnl_kind         kind;
    stk_dnnl_direction    pass;
    dnnl_alg_kind_t       algorithm; /* this and the following: convolutions only */
    dnnl_dims_t           stride, dilation, pad_before, pad_after;
    stk_md                src, weights, bias, dst;
    dnnl_primitive_attr_t attr;
} stk_dnnl_layer;

/* Strides, and blocks from outermost to innermost: "aBcd16b". */
typedef struct stk_md_blocks {
    int         rank, count;
    dnnl_dims_t stride, block, axis;
} stk_md_blocks;

/* An elementwise post-op. */
typedef struct stk_dnnl_eltwise {
    dnnl_alg_kind_t algorithm;
    float           a, b;
} stk_dnnl_eltwise;

#if DNNL_VERSION_MAJOR >= 3
typedef const_dnnl_memory_desc_t stk_md_ref;
#else
typedef const dnnl_memory_desc_t *stk_md_ref;
#endif

/* Memory descriptors: dnnl_descriptions.cpp. On failure md is none. */
stk_md_ref    stk_md_get(const stk_md *md) STK_NOTHROW;
dnnl_status_t stk_md_by_tag(stk_md *md, int rank, const dnnl_dims_t dims, dnnl_data_type_t type,
                            dnnl_format_tag_t tag) STK_NOTHROW;
dnnl_status_t stk_md_by_strides(stk_md *md, int rank, const dnnl_dims_t dims, dnnl_data_type_t type,
                                const dnnl_dims_t strides) STK_NOTHROW;
dnnl_status_t stk_md_copy(stk_md *md, stk_md_ref from) STK_NOTHROW;
void          stk_md_release(stk_md *md) STK_NOTHROW;
bool          stk_md_equal(stk_md_ref a, stk_md_ref b) STK_NOTHROW;
/* SIZE_MAX if oneDNN cannot tell, so that allocation fails. */
size_t stk_md_bytes(stk_md_ref md) STK_NOTHROW;
bool   stk_md_blocks_of(stk_md_ref md, stk_md_blocks *out) STK_NOTHROW;

/* Layers: dnnl_layers.cpp. */
dnnl_status_t stk_onednn_layer_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                      const stk_dnnl_layer *layer) STK_NOTHROW;

/* Other objects: dnnl_objects.cpp. On failure the output is NULL; destroying NULL is fine. */
int           stk_onednn_major(void) STK_NOTHROW;
bool          stk_onednn_has_isa(dnnl_cpu_isa_t isa) STK_NOTHROW;
void          stk_onednn_limit_isa(dnnl_cpu_isa_t isa) STK_NOTHROW;
dnnl_status_t stk_onednn_engine_create(dnnl_engine_t *engine) STK_NOTHROW;
void          stk_onednn_engine_destroy(dnnl_engine_t engine) STK_NOTHROW;
dnnl_status_t stk_onednn_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine) STK_NOTHROW;
void          stk_onednn_stream_destroy(dnnl_stream_t stream) STK_NOTHROW;
/* Attributes with a user scratchpad and count post-ops. */
dnnl_status_t stk_onednn_attr_create(dnnl_primitive_attr_t *attr, const stk_dnnl_eltwise *after,
                                     int count) STK_NOTHROW;
void          stk_onednn_attr_destroy(dnnl_primitive_attr_t attr) STK_NOTHROW;
dnnl_status_t stk_onednn_reorder_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                        stk_md_ref from, stk_md_ref to,
                                        dnnl_primitive_attr_t attr) STK_NOTHROW;
void          stk_onednn_pd_destroy(dnnl_primitive_desc_t pd) STK_NOTHROW;
/* Name of the implementation, "" if there is none; valid as long as pd. */
const char *stk_onednn_pd_name(dnnl_primitive_desc_t pd) STK_NOTHROW;
/* A descriptor valid as long as pd, or NULL. */
stk_md_ref    stk_onednn_pd_md(dnnl_primitive_desc_t pd, dnnl_query_t query, int index) STK_NOTHROW;
dnnl_status_t stk_onednn_primitive_create(dnnl_primitive_t     *primitive,
                                          dnnl_primitive_desc_t pd) STK_NOTHROW;
void          stk_onednn_primitive_destroy(dnnl_primitive_t primitive) STK_NOTHROW;
dnnl_status_t stk_onednn_execute(dnnl_primitive_t primitive, dnnl_stream_t stream, int count,
                                 const dnnl_exec_arg_t *args) STK_NOTHROW;
dnnl_status_t stk_onednn_memory_create(dnnl_memory_t *memory, stk_md_ref md,
                                       dnnl_engine_t engine) STK_NOTHROW;
dnnl_status_t stk_onednn_memory_point(dnnl_memory_t memory, const void *at) STK_NOTHROW;
void          stk_onednn_memory_destroy(dnnl_memory_t memory) STK_NOTHROW;

/* Whether there is memory for the largest allocation of one oneDNN call, and stacks for the
 * threads. libgomp stops threads that a small layer does not need, restarts them later, and aborts
 * the process if it cannot. */
bool stk_dnnl_has_capacity(int threads) STK_NOTHROW;

/* Memory reserved for failures that cannot be caught: dnnl_reserve.cpp. Held from open to close of
 * a device. restore refills it, cheaply if it is full. False: no memory. */
bool stk_dnnl_reserve_open(void) STK_NOTHROW;
bool stk_dnnl_reserve_restore(void) STK_NOTHROW;
void stk_dnnl_reserve_close(void) STK_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
