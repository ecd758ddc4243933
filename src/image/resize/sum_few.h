/* The end of the vertical pass, the same for every instruction set: included by each behind its
 * sum_rows, with SUM and SUM_INLINE (attributes), SUM_INTEGER and SUM_STEPS (names) defined. No
 * include guard: a file is one instruction set. */

enum { FEW_MAX = 4 };

/* With few taps the rows and weights are copied here, where no store to dst can change them, and so
 * stay in registers. */
SUM_INLINE void sum_few(const stk_sum *sum, uint8_t *dst, int32_t taps, bool steps)
{
    const stk_sample32 *rows[FEW_MAX];
    stk_sample32        weights[FEW_MAX];
    for (int32_t k = 0; k < taps; k++) {
        rows[k] = sum->rows[k];
        weights[k] = sum->weights[k];
    }
    const stk_sum local = {.rows = rows, .weights = weights, .taps = taps, .count = sum->count};
    sum_rows(&local, dst, taps, steps);
}

SUM void SUM_INTEGER(const stk_sum *sum, uint8_t *dst)
{
    switch (sum->taps) {
    case 2:
        sum_few(sum, dst, 2, false);
        break;
    case 3:
        sum_few(sum, dst, 3, false);
        break;
    case 4:
        sum_few(sum, dst, 4, false);
        break;
    default:
        sum_rows(sum, dst, sum->taps, false);
    }
}

SUM void SUM_STEPS(const stk_sum *sum, uint8_t *dst)
{
    if (sum->taps == 2)
        sum_few(sum, dst, 2, true);
    else
        sum_rows(sum, dst, sum->taps, true);
}
