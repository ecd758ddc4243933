/* The focal loss of one class by the log of its probability p, times 1 for gamma 0: what the
 * kernels of weighted_cross_entropy on the host share. */
#ifndef STK_COMPUTE_OPS_FOCAL_H
#define STK_COMPUTE_OPS_FOCAL_H

#include <math.h>

/* -(1 - p)^gamma log p */
static inline double stk_focal_loss(double log_p, double gamma)
{
    return gamma == 0 ? -log_p : -pow(-expm1(log_p), gamma) * log_p;
}

/* p times the derivative of the loss by p: gamma (1 - p)^(gamma - 1) p log p - (1 - p)^gamma. Near
 * p = 1 log p / (1 - p) is -1, and no power below 0 is taken; p log p is 0 at p = 0. */
static inline double stk_focal_slope(double log_p, double gamma)
{
    if (gamma == 0) return -1;
    const double p = exp(log_p), rest = -expm1(log_p), power = pow(rest, gamma);
    if (p == 0) return -power;
    return power * (gamma * p * (rest > 0 ? log_p / rest : -1) - 1);
}

#endif
