/* Device memory, counted in the device's ledger. */
#ifndef STK_COMPUTE_RUNTIME_DEVICE_H
#define STK_COMPUTE_RUNTIME_DEVICE_H

#include "compute/runtime/backend.h"

STK_NODISCARD stk_status stk_device_alloc(stk_device *device, size_t bytes, const char *what,
                                          void **out, stk_error *err);
/* bytes must equal those of the allocation. NULL is fine. */
void stk_device_dealloc(stk_device *device, void *data, size_t bytes);
/* Waits until the device is idle; returns the first error of asynchronous work. */
STK_NODISCARD stk_status stk_device_sync(stk_device *device, stk_error *err);

#endif
