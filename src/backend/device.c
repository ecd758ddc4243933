/* Where programs run: a backend, opened. */
#include "backend/device.h"
#include "base/limits.h"
#include <stdlib.h>
#include <string.h>

static const stk_backend *const backends[] = {
#ifdef STOKER_HAS_CPU
    &stk_backend_cpu,
#endif
    &stk_backend_ref,
};

enum { BACKENDS = sizeof backends / sizeof *backends };

const char *stk_backend_name_at(size_t index)
{
    return index < BACKENDS ? backends[index]->name : NULL;
}

static stk_status find(const char *name, const stk_backend **out, stk_error *err)
{
    char all[128] = "";
    *out = backends[0];
    if (!name) return STK_OK;
    for (size_t i = 0; i < BACKENDS; i++) {
        *out = backends[i];
        if (strcmp(backends[i]->name, name) == 0) return STK_OK;
        if (i) strncat(all, ", ", sizeof all - strlen(all) - 1);
        strncat(all, backends[i]->name, sizeof all - strlen(all) - 1);
    }
    *out = NULL;
    if (strcmp(name, "cpu") == 0)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", name,
                        "this build has no oneDNN; install libdnnl-dev and build again, or use "
                        "\"ref\", which is plain C and slow");
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", name,
                    "there is no such backend here; have %s", all);
}

stk_status stk_device_open(stk_device **out, const char *backend, const stk_device_options *options,
                           stk_error *err)
{
    *out = NULL;
    const stk_backend *found;
    STK_TRY(find(backend, &found, err));
    stk_device *device = calloc(1, sizeof *device);
    if (!device)
        return stk_fail(err, STK_E_NOMEM, "backend", found->name, "no memory for a device");
    device->backend = found;
    if (options) device->options = *options;
    if (device->options.threads <= 0) {
        int cores = stk_limits_cores();
        device->options.threads = cores;
    }
    stk_status st = found->open(device, err);
    if (st) {
        free(device);
        return st;
    }
    stk_ledger_ref(device->options.ledger);
    *out = device;
    return STK_OK;
}

void stk_device_free(stk_device *device)
{
    if (!device) return;
    device->backend->close(device);
    stk_ledger_unref(device->options.ledger);
    free(device);
}

const char *stk_device_name(const stk_device *device)
{
    return device->backend->name;
}

int stk_device_threads(const stk_device *device)
{
    return device->options.threads;
}

stk_status stk_device_take(stk_device *device, size_t bytes, const char *what, void **out,
                           stk_error *err)
{
    *out = NULL;
    if (bytes == 0) bytes = 1;
    STK_TRY(stk_ledger_reserve(device->options.ledger, STK_MEMORY_DEVICE, bytes, err));
    *out = device->backend->alloc(device, bytes);
    if (*out) return STK_OK;
    stk_ledger_release(device->options.ledger, STK_MEMORY_DEVICE, bytes);
    return stk_fail(err, STK_E_NOMEM, device->backend->name, what,
                    "no memory for %.1f MB; a smaller batch needs less", (double)bytes / 1e6);
}

void stk_device_give(stk_device *device, void *data, size_t bytes)
{
    if (!data) return;
    if (bytes == 0) bytes = 1;
    device->backend->free(device, data, bytes);
    stk_ledger_release(device->options.ledger, STK_MEMORY_DEVICE, bytes);
}
