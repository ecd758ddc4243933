/* Quantiles of Student's t, by bisection of its distribution: degrees of freedom of Welch's test
 * are no whole numbers, and with 4 to 20 of them the usual expansions are off by more than a table
 * is. */
#include <math.h>
#include <stoker/rate_comparison.h>

/* The continued fraction of the incomplete beta function (Lentz): converges for x < (a + 1) /
 * (a + b + 2). */
static double beta_fraction(double a, double b, double x)
{
    enum { TERMS = 500 };
    const double least = 1e-300;
    double       c = 1, d = 1 - (a + b) * x / (a + 1);
    d = 1 / (fabs(d) < least ? least : d);
    double value = d;
    for (int m = 1; m <= TERMS; m++) {
        double change = 1;
        for (int odd = 0; odd < 2; odd++) {
            const double term = odd ? -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
                                    : m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
            d = 1 + term * d;
            c = 1 + term / c;
            d = 1 / (fabs(d) < least ? least : d);
            if (fabs(c) < least) c = least;
            change = c * d;
            value *= change;
        }
        if (fabs(change - 1) < 1e-15) break;
    }
    return value;
}

/* lgamma writes a global. */
static double log_gamma(double x)
{
    int sign;
    return lgamma_r(x, &sign);
}

static double incomplete_beta(double a, double b, double x)
{
    if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
    const double scale = log_gamma(a + b) - log_gamma(a) - log_gamma(b);
    const double front = exp(scale + a * log(x) + b * log1p(-x));
    if (x < (a + 1) / (a + b + 2)) return front * beta_fraction(a, b, x) / a;
    return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

/* Of t above 0. */
static double above(double t, double degrees)
{
    return 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + t * t));
}

double stk_student_quantile(double probability, double degrees)
{
    double low = 0, high = 1;
    if (!(probability > 0.5)) return 0;
    if (!(degrees > 0) || probability >= 1) return INFINITY;
    while (above(high, degrees) > 1 - probability && high < 1e300)
        high *= 2;
    for (int i = 0; i < 200 && high - low > 1e-13 * high; i++) {
        const double middle = low + (high - low) / 2;
        if (above(middle, degrees) > 1 - probability)
            low = middle;
        else
            high = middle;
    }
    return high;
}
