/* What a backend is: a table of functions, and kernels by op. A kernel knows nothing of the graph:
 * it gets types, formats and addresses.
 *
 * A format is how a tensor lies in memory. STK_FORMAT_PLAIN is row-major; other numbers are the
 * backend's own. Kernels say which formats they want and give; whatever differs is reordered in
 * between (layout.c). */
#ifndef STK_BACKEND_BACKEND_H
#define STK_BACKEND_BACKEND_H

#include "graph/op.h"
#include <stoker/program.h>

typedef uint32_t stk_format;
enum { STK_FORMAT_PLAIN = 0 };

typedef struct stk_backend stk_backend;

struct stk_device {
    const stk_backend *backend;
    stk_device_options options; /* threads is at least 1 */
    void              *state;   /* the backend's own */
};

/* One operation of a program, as its kernel sees it. All of it stays where it is from prepare to
 * release; only addresses are filled in after prepare. */
typedef struct stk_kernel_call {
    stk_device         *device;
    const stk_graph_op *op;
    stk_op_use          use;
    const stk_format   *in_format, *out_format;
    const void *const  *in;
    void *const        *out; /* NULL for outputs that are not wanted */
    void               *scratch;
    void               *state; /* what prepare made */
} stk_kernel_call;

typedef struct stk_kernel {
    const stk_graph_op *op;
    const char         *name; /* "reference", "own", "onednn" */
    /* Whether it can do this; NULL: always. */
    bool (*can)(const stk_device *device, const stk_op_use *use);
    /* Given the formats that inputs come in (STK_FORMAT_ANY: a variable that has none yet), the
     * formats it wants them in and gives its outputs in. NULL: plain, all of them. */
    stk_status (*formats)(stk_device *device, const stk_op_use *use, const stk_format *have,
                          stk_format *in, stk_format *out, stk_error *err);
    bool only_own_formats; /* it cannot do with plain: formats is asked with the pass off, too */
    /* Makes call->state and says how many bytes of scratch run wants. NULL: neither. */
    stk_status (*prepare)(stk_kernel_call *call, size_t *scratch, stk_error *err);
    /* Allocates nothing. */
    stk_status (*run)(const stk_kernel_call *call, stk_error *err);
    void (*release)(stk_kernel_call *call); /* NULL: nothing to release */
    /* More about how it is computed ("jit:avx512_core"), or NULL. A literal or text in state. */
    const char *(*detail)(const stk_kernel_call *call);
} stk_kernel;

enum { STK_FORMAT_ANY = UINT32_MAX };

struct stk_backend {
    const char *name, *help;
    /* Makes device->state, or says what is missing and what to do. */
    stk_status (*open)(stk_device *device, stk_error *err);
    void (*close)(stk_device *device);
    /* The kernel for this use; NULL: there is none. */
    const stk_kernel *(*kernel)(const stk_device *device, const stk_graph_op *op,
                                const stk_op_use *use);
    /* Whether convolutions and products can be computed in dtype (F16, BF16); an error says why
     * not. */
    stk_status (*precision)(const stk_device *device, stk_dtype dtype, stk_error *err);
    bool products_only; /* 16 bits pay in convolutions and products, and nowhere else */
    /* Memory of the device, aligned to 64 bytes; NULL without. */
    void *(*alloc)(stk_device *device, size_t size);
    uint64_t (*memory)(const stk_device *device); /* bytes there are, in all; NULL: not known */
    void (*free)(stk_device *device, void *data, size_t size);
    void (*upload)(stk_device *device, void *dst, const void *src, size_t size);
    void (*download)(stk_device *device, void *dst, const void *src, size_t size);
    void (*clear)(stk_device *device, void *dst, size_t size);
    /* Bytes that a tensor takes in a format, padding included. */
    size_t (*format_bytes)(const stk_device *device, const stk_tensor_type *type,
                           stk_format format);
    void (*format_name)(const stk_device *device, stk_format format, char *text, size_t capacity);
    /* From one format to another, outside of a program; both on the device. */
    stk_status (*reorder)(stk_device *device, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst, stk_error *err);
    /* Whether every element is finite. */
    bool (*finite)(stk_device *device, const stk_tensor_type *type, const void *data, size_t bytes);
    void (*sync)(stk_device *device); /* NULL: nothing runs behind the caller's back */
};

extern const stk_backend stk_backend_ref, stk_backend_cpu;

#endif
