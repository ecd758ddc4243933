/* Opening devices: finds a backend by name, built in or as a plug-in. */
#include "compute/runtime/device.h"
#include "base/limits.h"
#include "compute/runtime/device_profiler.h"
#include "compute/runtime/pinned_pool.h"
#include "compute/runtime/plugin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Backends in order of speed, built in or loaded on demand. */
static const struct {
    const char        *name;
    const stk_backend *table; /* NULL: a plug-in */
} backends[] = {
#ifdef STOKER_HAS_CUDA
    {"cuda", NULL},
#endif
#ifdef STOKER_HAS_CPU
    {"cpu", &stk_backend_cpu},
#endif
    {"ref", &stk_backend_ref},
};

enum { BACKENDS = sizeof backends / sizeof *backends };

const char *stk_backend_name_at(size_t index)
{
    return index < BACKENDS ? backends[index].name : NULL;
}

const char *stk_backend_fastest(void)
{
    size_t i = 0;
    while (!backends[i].table && !stk_plugin_has_device(backends[i].name))
        i++; /* terminates: the last backend is built in */
    return backends[i].name;
}

static stk_status unknown(const char *name, stk_error *err)
{
    char all[128] = "";
    for (size_t i = 0; i < BACKENDS; i++) {
        if (i) strncat(all, ", ", sizeof all - strlen(all) - 1);
        strncat(all, backends[i].name, sizeof all - strlen(all) - 1);
    }
    if (strcmp(name, "cpu") == 0)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", name,
                        "this build has no oneDNN; install libdnnl-dev and build again, or use "
                        "\"ref\", which is plain C and slow");
    if (strcmp(name, "cuda") == 0)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", name,
                        "this build has no CUDA: nvcc or cuDNN was not found when it was built; "
                        "install the CUDA toolkit and cuDNN and build again, or use %s",
                        backends[0].name);
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", name,
                    "there is no such backend here; have %s", all);
}

static stk_status find(const char *name, const stk_backend **out, stk_error *err)
{
    *out = NULL;
    if (!name) name = stk_backend_fastest(); /* a failing GPU is an error, not a silent fallback */
    for (size_t i = 0; i < BACKENDS; i++) {
        if (strcmp(backends[i].name, name) != 0) continue;
        *out = backends[i].table;
        return *out ? STK_OK : stk_plugin_load(name, out, err);
    }
    return unknown(name, err);
}

static stk_status check_options(const stk_backend *backend, const stk_device_options *options,
                                stk_error *err)
{
    if (!options || !options->tf32 || backend->tf32) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", backend->name,
                    "tf32 is of NVIDIA GPUs: use precision fp32 here, or the backend cuda");
}

stk_status stk_device_open(stk_device **out, const char *backend, const stk_device_options *options,
                           stk_error *err)
{
    *out = NULL;
    const stk_backend *found;
    STK_TRY(find(backend, &found, err));
    STK_TRY(check_options(found, options, err));
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
    if (!st && (st = stk_device_profiler_new(device, err))) found->close(device);
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
    stk_device_synchronize(device);
    stk_device_profiler_free(device);
    stk_pinned_pool_free(device->pinned_pool);
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

void stk_device_read_info(const stk_device *device, stk_device_info *info)
{
    *info = (stk_device_info){0};
    if (device->backend->info) device->backend->info(device, info);
}

stk_status stk_device_decoder(stk_device *device, const stk_decode_device **out, stk_error *err)
{
    *out = NULL;
    if (device->backend->decode_device) return device->backend->decode_device(device, out, err);
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", device->backend->name,
                    "decodes no images; that is of NVIDIA GPUs: use knobs.decode=cpu here");
}

const char *stk_device_describe(const stk_device *device, char *text, size_t capacity)
{
    int length = snprintf(text, capacity, "%s", device->backend->name);
    if (!device->backend->describe || length < 0 || (size_t)length + 2 >= capacity) return text;
    strcpy(text + length, ": ");
    device->backend->describe(device, text + length + 2, capacity - (size_t)length - 2);
    return text;
}

bool stk_device_is_asynchronous(const stk_device *device)
{
    return device->backend->event_record != NULL;
}

stk_status stk_device_computes_in(const stk_device *device, stk_dtype dtype, stk_error *err)
{
    bool half = dtype == STK_DTYPE_F16 || dtype == STK_DTYPE_BF16;
    return half ? device->backend->precision(device, dtype, err) : STK_OK;
}

stk_status stk_device_alloc(stk_device *device, size_t bytes, const char *what, void **out,
                            stk_error *err)
{
    *out = NULL;
    if (bytes == 0) bytes = 1;
    STK_TRY(stk_ledger_reserve(device->options.ledger, STK_MEMORY_DEVICE, bytes, err));
    *out = device->backend->alloc(device, bytes);
    if (*out) {
        device->held += bytes;
        return STK_OK;
    }
    stk_ledger_release(device->options.ledger, STK_MEMORY_DEVICE, bytes);
    return stk_fail(err, STK_E_NOMEM, device->backend->name, what,
                    "no memory for %.1f MB; a smaller batch needs less", (double)bytes / 1e6);
}

void stk_device_dealloc(stk_device *device, void *data, size_t bytes)
{
    if (!data) return;
    if (bytes == 0) bytes = 1;
    device->backend->free(device, data, bytes);
    device->held -= bytes;
    stk_ledger_release(device->options.ledger, STK_MEMORY_DEVICE, bytes);
}

stk_status stk_device_sync(stk_device *device, stk_error *err)
{
    return device->backend->sync ? device->backend->sync(device, err) : STK_OK;
}
