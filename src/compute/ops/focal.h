/* Focal loss of one class as a function of log p; cross-entropy for gamma 0. Shared by host kernels
 * of weighted_cross_entropy. */
#ifndef STK_COMPUTE_OPS_FOCAL_H
#define STK_COMPUTE_OPS_FOCAL_H

#include <math.h>

/* -(1 - p)^gamma log p */
static inline double stk_focal_loss(double log_p, double gamma)
{
    return gamma == 0 ? -log_p : -pow(-expm1(log_p), gamma) * log_p;
}

/* p times the derivative by p: gamma (1 - p)^(gamma - 1) p log p - (1 - p)^gamma. Near p = 1, log p
 * / (1 - p) tends to -1, which avoids negative powers; p log p is 0 at p = 0. */
static inline double stk_focal_slope(double log_p, double gamma)
{
    if (gamma == 0) return -1;
    const double p = exp(log_p), rest = -expm1(log_p), power = pow(rest, gamma);
    if (p == 0) return -power;
    return power * (gamma * p * (rest > 0 ? log_p / rest : -1) - 1);
}

#endif
