/* Limits of the machine and the cgroup for this process. */
#ifndef STK_BASE_LIMITS_H
#define STK_BASE_LIMITS_H

#include <stdint.h>

/* Bytes of memory: the smallest limit of the cgroups above this process, or the machine's memory
 * where there is none. At least 64 MiB. */
uint64_t stk_limits_memory_bytes(void);

/* Cores by affinity and cgroup quota (rounded up), at least 1. */
int stk_limits_cores(void);

/* The same with /proc and /sys below the folder root. */
uint64_t stk_limits_memory_bytes_below(const char *root);
int      stk_limits_cores_below(const char *root);

#endif
