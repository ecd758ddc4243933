/* A costly operation that changes nothing. */
#ifndef STK_TRAIN_FAULTS_WIDE_CONV_H
#define STK_TRAIN_FAULTS_WIDE_CONV_H

#include <stoker/graph.h>

/* logits[N,K] again, by way of a convolution over times the area of size x size images. */
stk_symbol stk_wide_conv(stk_graph *g, stk_symbol logits, int64_t size, double times);

#endif
