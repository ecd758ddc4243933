/* One graph of the table: prepared, timed, checked. */
#ifndef STK_BENCH_COMPUTE_CUDA_CONV_CASE_H
#define STK_BENCH_COMPUTE_CUDA_CONV_CASE_H

#include "compute/cuda/cudnn_tune.h"
#include "conv_patterns.h"

enum { CONV_NAME = 96 };

/* Memory of the device that cases share, one after the other. */
typedef struct conv_memory {
    cudnnHandle_t handle;
    cudaStream_t  stream;
    char         *arena, *workspace;
    size_t        arena_bytes, workspace_bytes;
    size_t        used;
    double       *sums; /* two */
} conv_memory;

typedef struct conv_case {
    const char         *section;
    const conv_pattern *pattern; /* NULL: a product by cuBLASLt */
    int                 pass;    /* of a product: 0 forward, 1 dgrad, 2 wgrad */
    const conv_shape   *conv;
    cudnnDataType_t     type;
    int                 compiled; /* plans compiled at run time, at most */
    char                name[CONV_NAME];
    stk_cudnn_spec      spec, small_spec;
    stk_cudnn_graph    *graph, *small_graph;
    stk_cudnn_search   *search, *small_search; /* the small one: for the check; may be missing */
    stk_status          status;                /* of what came last */
    stk_error           err;
    double              us, error; /* error: relative, of the worst output; negative: not checked */
    char                engine[STK_CUDNN_CHOICE_TEXT];
    size_t              workspace;
    int                 timed;
} conv_case;

/* Graph and proposals; fills in status. */
void conv_case_prepare(conv_case *c, int64_t batch, const stk_cudnn_target *target,
                       size_t workspace);
/* Times what was built; STK_E_IO: the context is broken. */
void conv_case_time(conv_case *c, conv_memory *memory);
/* Compares outputs on a small batch with the reference. */
void conv_case_check(conv_case *c, conv_memory *memory);
void conv_case_release(conv_case *c);

/* Addresses of `sets` copies of the tensors, filled with noise; NULL: no memory. The caller frees
 * it.
 */
void **conv_memory_sets(conv_memory *memory, const stk_cudnn_spec *spec, int sets);
/* So many that their tensors are several times the cache. */
int conv_memory_set_count(const stk_cudnn_spec *spec);

#endif
