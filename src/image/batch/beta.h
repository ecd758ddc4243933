/* Numbers from 0 to 1 by the beta distribution. */
#ifndef STK_IMAGE_BATCH_BETA_H
#define STK_IMAGE_BATCH_BETA_H

#include "base/philox.h"

/* Beta(alpha, alpha): 1 is uniform, small ones stay near the ends, large ones near the middle.
 * alpha is above 0. */
double stk_beta_draw(stk_random *random, double alpha);

#endif
