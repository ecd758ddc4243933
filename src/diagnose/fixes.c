/* All fixes, the largest gain first; what is supposed only, last. */
#include "diagnose/case.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const stk_fix *x = a, *y = b;
    if (x->supposed != y->supposed) return x->supposed - y->supposed;
    return (x->gain < y->gain) - (x->gain > y->gain);
}

void stk_case_fixes(stk_case *c)
{
    stk_fixes_read(c);
    stk_fixes_preprocess(c);
    stk_fixes_compute(c);
    stk_fixes_output(c);
    stk_fixes_device(c);
    qsort(c->out->fixes, c->out->fix_count, sizeof *c->out->fixes, compare);
}
