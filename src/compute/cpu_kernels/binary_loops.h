/* Rows of sums, differences and products, for widths.h. */
#define ROWS(id, result)                                                                           \
    TARGET static void FN(id)(const float *a_, const float *b_, float *y, int64_t count)           \
    {                                                                                              \
        OVER(count, V a = FN(load)(a_ + i, n); V b = FN(load)(b_ + i, n);                          \
             FN(store)(y + i, n, result));                                                         \
    }

ROWS(add, a + b)
ROWS(sub, a - b)
ROWS(mul, a *b)

#undef ROWS
