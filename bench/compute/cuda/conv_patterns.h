/* The convolutions of ResNet-50, and graphs around one of them that a training step could be made
 * of. */
#ifndef STK_BENCH_COMPUTE_CUDA_CONV_PATTERNS_H
#define STK_BENCH_COMPUTE_CUDA_CONV_PATTERNS_H

#include "compute/cuda/cudnn_graph.h"

typedef struct conv_shape {
    int64_t cin, cout, kernel, stride, size; /* size: height and width of the input */
    int64_t pad;
    int     count; /* how often in the network */
} conv_shape;

enum { CONV_SHAPES = 23 };
extern const conv_shape conv_shapes[CONV_SHAPES];

enum { CONV_STEMS = 5 };
/* The stem with 3, 4 and 8 channels, and after 2x2 pixels became channels, with 12 and 16. */
extern const conv_shape conv_stems[CONV_STEMS];

typedef struct conv_pattern {
    const char *name, *what;
    void (*build)(stk_cudnn_spec *spec, const conv_shape *conv, int64_t batch, cudnnDataType_t t);
    bool (*applies)(const conv_shape *conv); /* NULL: always */
} conv_pattern;

extern const conv_pattern conv_plain[3]; /* forward, dgrad, wgrad */
extern const conv_pattern conv_fused[];
extern const int          conv_fused_count;

int64_t  conv_out_size(const conv_shape *conv);
uint64_t conv_flops(const conv_shape *conv, int64_t batch);
bool     conv_is_gemm(const conv_shape *conv);

#endif
