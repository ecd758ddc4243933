/* stoker/models.h - the networks there are, by name.
 * Names and shapes of variables are torchvision's where it has the network (resnet18, resnet34,
 * resnet50, mobilenet_v2, efficientnet_b0), and follow its scheme where it has not; but there is no
 * num_batches_tracked. */
#ifndef STOKER_MODELS_H
#define STOKER_MODELS_H

#include <stoker/graph.h>

STK_BEGIN_DECLS

typedef struct stk_model_options {
    int64_t    batch;           /* of stk_model_input; 0: 1 */
    int        size, channels;  /* of stk_model_input; 0: the model's */
    int        classes;         /* 0: the model's */
    double     width;           /* times the channels, made multiples of 8; 0: 1 */
    bool       training;        /* batch statistics and dropout */
    double     dropout;         /* before the classifier; 0: the model's; below 0: no dropout */
    stk_symbol step;            /* int64 scalar: where there is dropout in training */
    bool       zero_last_gamma; /* residual blocks begin as identity; resnets only */
} stk_model_options;

typedef struct stk_model {
    const char *name;
    const char *help;                    /* one line */
    int         size, channels, classes; /* the usual ones */
    double      dropout;                 /* the usual one */
    /* options are complete: no 0 stands for the model's own. */
    stk_symbol (*build)(stk_graph *g, stk_symbol x, const stk_model_options *options);
} stk_model;

/* NULL past the end. */
STK_API const stk_model *stk_model_at(size_t index);
/* The model of that name; STK_E_NOTFOUND suggests the nearest. */
STK_API STK_NODISCARD stk_status stk_model_find(const stk_model **out, const char *name,
                                                stk_error *err);

/* An input "x" of float images in the graph's layout. options may be NULL, here and below. */
STK_API stk_symbol stk_model_input(stk_graph *g, const stk_model *model,
                                   const stk_model_options *options);
/* Logits [N,classes] of the float images x, which decide batch, size and channels. */
STK_API stk_symbol stk_model_build(stk_graph *g, const stk_model *model, stk_symbol x,
                                   const stk_model_options *options);

/* The whitening filters that airbench begins with, for its variable "whiten.weight"
 * [2K,C,2,2], K = 4C: eigenvectors of the covariance of all 2x2 patches of images[N,H,W,C],
 * which are normalised by mean and deviation of each channel, each over the root of its eigenvalue
 * plus epsilon (0: 5e-4), largest first; then the same with the other sign. Channels: 1 to 4. */
STK_API STK_NODISCARD stk_status stk_model_whiten(const uint8_t *images, const stk_shape *shape,
                                                  const float *mean, const float *deviation,
                                                  double epsilon, float *weights, stk_error *err);

STK_END_DECLS
#endif
