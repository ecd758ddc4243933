/* Beta from two gammas (Marsaglia and Tsang, "A simple method for generating gamma variables",
 * 2000), by their logarithms: with a small alpha the gammas themselves would be 0 in a double. */
#include "image/batch/beta.h"

#include <math.h>

/* Not 0, so that it has a logarithm. */
static double draw_open(stk_random *random)
{
    return 1 - stk_random_double(random);
}

/* Marsaglia's polar method; the second of its two numbers is not kept, which would be state. */
static double draw_normal(stk_random *random)
{
    double x, square;
    do {
        const double y = 2 * stk_random_double(random) - 1;
        x = 2 * stk_random_double(random) - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    return x * sqrt(-2 * log(square) / square);
}

/* The logarithm of Gamma(shape) for a shape of 1 or more. */
static double draw_large(stk_random *random, double shape)
{
    const double d = shape - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double x = draw_normal(random), root = 1 + c * x;
        if (root <= 0) continue;
        const double v = root * root * root;
        if (log(draw_open(random)) < 0.5 * x * x + d * (1 - v + log(v))) return log(d * v);
    }
}

/* Gamma(a) is Gamma(a + 1) times a uniform number to the power 1 / a. */
static double draw_log_gamma(stk_random *random, double shape)
{
    if (shape >= 1) return draw_large(random, shape);
    return draw_large(random, shape + 1) + log(draw_open(random)) / shape;
}

double stk_beta_draw(stk_random *random, double alpha)
{
    const double first = draw_log_gamma(random, alpha), second = draw_log_gamma(random, alpha);
    return 1 / (1 + exp(second - first));
}
