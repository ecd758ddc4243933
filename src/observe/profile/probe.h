/* Measuring what a machine gives. */
#ifndef STK_OBSERVE_PROFILE_PROBE_H
#define STK_OBSERVE_PROFILE_PROBE_H

#include <stddef.h>

/* Some million multiplications with additions in registers; gives how many operations of floating
 * point that were. The loops of each instruction set are in a file of their own. */
double stk_probe_fma_plain(void);
#ifdef __x86_64__
double stk_probe_fma_avx2(void);
double stk_probe_fma_avx512(void);
#endif

/* Bytes a second that the file gives past the page cache: the first of data that is large enough;
 * -1 where that cannot be had. */
double stk_probe_disk(const char *data);

#endif
