/* Measures peak rates of a machine. */
#ifndef STK_OBSERVE_PROFILE_PROBE_H
#define STK_OBSERVE_PROFILE_PROBE_H

#include <stddef.h>

/* Run some million fused multiply-adds in registers; return the number of floating-point
 * operations. Each instruction set has a file of its own. */
double stk_probe_fma_plain(void);
#ifdef __x86_64__
double stk_probe_fma_avx2(void);
double stk_probe_fma_avx512(void);
#endif

/* Bytes per second of the disk past the page cache, from the first large enough file of data; -1 if
 * not measurable. */
double stk_probe_disk(const char *data);

#endif
