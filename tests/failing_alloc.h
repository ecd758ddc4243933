/* Allocation that fails on demand: the linker sends malloc and its kin here (--wrap). */
#ifndef STK_TESTS_FAILING_ALLOC_H
#define STK_TESTS_FAILING_ALLOC_H

#include <stdbool.h>
#include <stdint.h>

/* The allocation after `after` more successful ones fails, once. */
void stk_alloc_fail_after(int64_t after);
/* Stops failing; true when an allocation was failed since the last call to fail_after. */
bool stk_alloc_fail_stop(void);
/* Allocations not yet freed. */
int64_t stk_alloc_live(void);

#endif
