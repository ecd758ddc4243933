/* stoker/models.h - the built-in networks, by name.
 * Variables have torchvision's names and shapes where it has the network (resnet18, resnet34,
 * resnet50, mobilenet_v2, efficientnet_b0). Other networks follow its scheme. num_batches_tracked
 * does not exist. */
#ifndef STOKER_MODELS_H
#define STOKER_MODELS_H

#include <stoker/graph.h>

STK_BEGIN_DECLS

typedef struct stk_model_options {
    int64_t    batch;           /* for stk_model_input; 0: 1 */
    int        size, channels;  /* for stk_model_input; 0: the model's default */
    int        classes;         /* 0: the model's default */
    double     width;           /* factor of the channels, rounded to multiples of 8; 0: 1 */
    bool       training;        /* use batch statistics and dropout */
    double     dropout;         /* before the classifier; 0: the model's default; below 0: none */
    stk_symbol step;            /* int64 scalar; needed for dropout in training */
    bool       zero_last_gamma; /* residual blocks start as identity; resnets only */
} stk_model_options;

typedef struct stk_model {
    const char *name;
    const char *help;                    /* one line */
    int         size, channels, classes; /* defaults */
    double      dropout;                 /* default */
    /* options are complete: no 0 stands for a default. */
    stk_symbol (*build)(stk_graph *g, stk_symbol x, const stk_model_options *options);
} stk_model;

/* NULL past the end. */
STK_API const stk_model *stk_model_at(size_t index);
/* Finds a model by name. STK_E_NOTFOUND suggests the nearest name. */
STK_API STK_NODISCARD stk_status stk_model_find(const stk_model **out, const char *name,
                                                stk_error *err);

/* Adds an input "x" of float images in the graph's layout. options may be NULL, here and below. */
STK_API stk_symbol stk_model_input(stk_graph *g, const stk_model *model,
                                   const stk_model_options *options);
/* Logits [N,classes] of float images x, which determine batch, size and channels. */
STK_API stk_symbol stk_model_build(stk_graph *g, const stk_model *model, stk_symbol x,
                                   const stk_model_options *options);

/* Initial values of airbench's whitening filters, variable "whiten.weight" [2K,C,2,2], K = 4C. The
 * first K filters are eigenvectors of the covariance of all 2x2 patches, largest eigenvalue first.
 * Each is divided by the root of its eigenvalue plus epsilon (0: 5e-4). The other K are their
 * negatives. images[N,H,W,C] are normalized by mean and deviation per channel. 1 to 4 channels. */
STK_API STK_NODISCARD stk_status stk_model_whiten(const uint8_t *images, const stk_shape *shape,
                                                  const float *mean, const float *deviation,
                                                  double epsilon, float *weights, stk_error *err);

STK_END_DECLS
#endif
