/* Interleaved blocks with and without a feature. */
#include <math.h>
#include <stdlib.h>
#include <stoker/overhead.h>
#include <string.h>

enum { BLOCK_STEPS = 10, ROUNDS_MIN = 6, ROUND = 4 };

void stk_overhead_init(stk_overhead *overhead, int block_steps)
{
    *overhead = (stk_overhead){.block_steps = block_steps ? block_steps : BLOCK_STEPS};
    if (overhead->block_steps < 2) overhead->block_steps = 2;
    if (overhead->block_steps > STK_OVERHEAD_BLOCK_MAX)
        overhead->block_steps = STK_OVERHEAD_BLOCK_MAX;
}

bool stk_overhead_on(const stk_overhead *overhead)
{
    return overhead->block == 1 || overhead->block == 2;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static void end_round(stk_overhead *o)
{
    const double without = o->blocks[0] + o->blocks[3], with = o->blocks[1] + o->blocks[2];
    o->block = 0;
    if (without > 0 && o->rounds < STK_OVERHEAD_ROUNDS)
        o->fractions[o->rounds++] = with / without - 1;
}

/* The first step of a block makes the change and may pay for it. */
void stk_overhead_add(stk_overhead *overhead, double nanoseconds)
{
    if (overhead->steps) overhead->times[overhead->steps - 1] = nanoseconds;
    if (++overhead->steps < overhead->block_steps) return;
    overhead->blocks[overhead->block] = median(overhead->times, overhead->steps - 1);
    overhead->steps = 0;
    if (++overhead->block == ROUND) end_round(overhead);
}

/* Ranks that bound the median with 95 %: of a binomial, by its normal approximation. */
stk_profile_overhead stk_overhead_result(const stk_overhead *overhead)
{
    const int n = overhead->rounds;
    double    sorted[STK_OVERHEAD_ROUNDS];
    if (n < ROUNDS_MIN) return (stk_profile_overhead){0};
    memcpy(sorted, overhead->fractions, (size_t)n * sizeof *sorted);
    const double middle = median(sorted, n), reach = 0.98 * sqrt((double)n);
    int          low = (int)floor(n / 2.0 - reach), high = (int)ceil(n / 2.0 + reach) - 1;
    if (low < 0) low = 0;
    if (high > n - 1) high = n - 1;
    return (stk_profile_overhead){
        .measured = true, .share = middle, .low = sorted[low], .high = sorted[high]};
}
