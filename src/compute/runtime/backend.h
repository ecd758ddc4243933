/* What a backend is: a table of functions, and kernels by op. A kernel knows nothing of the graph:
 * it gets types, formats and addresses.
 *
 * A format is how a tensor lies in memory. STK_FORMAT_PLAIN is row-major; other numbers are the
 * backend's own. Kernels say which formats they want and give; whatever differs is reordered in
 * between (layout_assignment.c). */
#ifndef STK_COMPUTE_RUNTIME_BACKEND_H
#define STK_COMPUTE_RUNTIME_BACKEND_H

#include "compute/graph/graph_op.h"
#include <stoker/program.h>

typedef uint32_t stk_format;
enum { STK_FORMAT_PLAIN = 0 };

typedef struct stk_backend         stk_backend;
typedef struct stk_device_profiler stk_device_profiler;

struct stk_device {
    const stk_backend      *backend;
    stk_device_options      options;     /* threads is at least 1 */
    void                   *state;       /* the backend's own */
    uint64_t                held;        /* bytes of the device that were taken */
    struct stk_pinned_pool *pinned_pool; /* memory of the host for copies; NULL: not yet */
    stk_device_profiler    *profiler;    /* of what it does behind the caller; NULL: nothing */
};

/* One thing that a device did behind the caller's back. */
typedef enum stk_device_activity_kind {
    STK_ACTIVITY_TAGGED_WORK, /* all that was begun under a tag */
    STK_ACTIVITY_KERNEL,      /* one kernel of it */
    STK_ACTIVITY_COPY_IN,
    STK_ACTIVITY_COPY_OUT,
    STK_ACTIVITY_COPY, /* within the device */
    STK_ACTIVITY_FILL
} stk_device_activity_kind;

typedef struct stk_device_activity {
    stk_device_activity_kind kind;
    uint64_t                 tag;              /* that it was begun under; 0: none */
    uint64_t                 begin_ns, end_ns; /* as stk_clock_ns has it */
    bool                     on_copy_stream;   /* not in the order of what is computed: a copy */
    const char              *name; /* of a kernel, as long as the call lasts; else NULL */
    uint32_t kernels_of_tag;       /* so many kernels were told under its tag now; 0: not known */
    uint64_t bytes;                /* of copies and fills */
} stk_device_activity;

typedef void (*stk_device_activity_fn)(void *context, const stk_device_activity *activity);

/* One operation of a program, as its kernel sees it. All of it stays where it is from prepare to
 * release; only addresses are filled in after prepare. */
typedef struct stk_kernel_call {
    stk_device         *device;
    const stk_graph_op *op;
    stk_op_instance     instance;
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
    bool (*can)(const stk_device *device, const stk_op_instance *instance);
    /* Given the formats that inputs come in (STK_FORMAT_ANY: a variable that has none yet), the
     * formats it wants them in and gives its outputs in. NULL: plain, all of them. */
    stk_status (*formats)(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err);
    bool requires_formats; /* it cannot do with plain: formats is asked with the pass off, too */
    /* Makes call->state and says how many bytes of scratch run wants. NULL: neither. */
    stk_status (*prepare)(stk_kernel_call *call, size_t *scratch, stk_error *err);
    /* Allocates nothing. */
    stk_status (*run)(const stk_kernel_call *call, stk_error *err);
    bool deferred; /* run only notes what is to be done: the backend's flush begins it */
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
    /* The machine it is, in a few words; NULL: its name says all. */
    void (*describe)(const stk_device *device, char *text, size_t capacity);
    /* The kernel for this use; NULL: there is none. */
    const stk_kernel *(*kernel)(const stk_device *device, const stk_graph_op *op,
                                const stk_op_instance *instance);
    /* Whether convolutions and products can be computed in dtype (F16, BF16); an error says why
     * not. */
    stk_status (*precision)(const stk_device *device, stk_dtype dtype, stk_error *err);
    bool tf32;            /* products of float32 can be computed with shorter fractions */
    bool half_gemm_only;  /* 16 bits pay in convolutions and products, and nowhere else */
    bool group_small_ops; /* casts of variables and updates cost less one after the other */
    /* stk_fusion that it has kernels for, where products are computed in precision. NULL: none. */
    unsigned (*fusions)(const stk_device *device, stk_dtype precision);
    /* Memory of the device, aligned to 64 bytes; NULL without. */
    void *(*alloc)(stk_device *device, size_t size);
    uint64_t (*memory)(const stk_device *device); /* bytes there are, in all; NULL: not known */
    /* Bytes of it that are free now: others may use the device, too. NULL: not known. */
    uint64_t (*memory_free)(const stk_device *device);
    void (*free)(stk_device *device, void *data, size_t size);
    /* After all that was begun before. What fails here is told by the next sync. */
    void (*upload)(stk_device *device, void *dst, const void *src, size_t size);
    void (*download)(stk_device *device, void *dst, const void *src, size_t size);
    void (*clear)(stk_device *device, void *dst, size_t size);
    /* As upload, for what runs begin with: a run that is under way goes on with what it had, and is
     * not waited for. lent: src stays as it is until a mark that is set later has passed, so that
     * the copy need not be waited for either. NULL: upload does. */
    stk_status (*upload_async)(stk_device *device, void *dst, const void *src, size_t size,
                               bool borrowed, stk_error *err);
    /* As download, into memory of host_alloc, where it is when a mark that is set later has passed.
     * NULL: download does. */
    stk_status (*download_async)(stk_device *device, void *dst, const void *src, size_t size,
                                 stk_error *err);
    /* Marks are places in the order of what is begun. NULL, all four: nothing runs behind the
     * caller's back. mark sets *mark to here, and makes it where it is NULL. */
    stk_status (*event_record)(stk_device *device, void **event, stk_error *err);
    stk_status (*event_query)(stk_device *device, void *event, bool wait, bool *done,
                              stk_error *err);
    uint64_t (*event_elapsed)(stk_device *device, void *from,
                              void *to);                 /* ns, of two that have passed */
    void (*event_free)(stk_device *device, void *event); /* NULL is fine */
    /* Memory of the host that the device copies from and to beside what it computes, aligned to 64
     * bytes; NULL without. From any thread. NULL, both: any memory is as good. */
    void *(*host_alloc)(stk_device *device, size_t size);
    void (*host_free)(stk_device *device, void *data, size_t size);
    /* Bytes that a tensor takes in a format, padding included. */
    size_t (*format_bytes)(const stk_device *device, const stk_tensor_type *type,
                           stk_format format);
    void (*format_name)(const stk_device *device, stk_format format, char *text, size_t capacity);
    /* From one format to another, outside of a program; both on the device. */
    stk_status (*reorder)(stk_device *device, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst, stk_error *err);
    /* Whether every element is finite. */
    bool (*finite)(stk_device *device, const stk_tensor_type *type, const void *data, size_t bytes);
    /* Waits for all that was begun, and says what of it failed. NULL: nothing runs behind the
     * caller's back. */
    stk_status (*sync)(stk_device *device, stk_error *err);
    /* Begins what kernels that gather have noted: called before any other kernel runs, and at the
     * end of a run. NULL: none gathers. */
    stk_status (*flush)(stk_device *device, stk_error *err);
    /* Recording: what kernels begin between record and recorded is not done but kept, to be played
     * as one any number of times. NULL, all four: runs call every kernel. */
    stk_status (*capture_begin)(stk_device *device, stk_error *err);
    stk_status (*capture_end)(stk_device *device, void **capture, stk_error *err);
    stk_status (*capture_launch)(stk_device *device, void *capture, stk_error *err);
    void (*capture_free)(stk_device *device, void *capture); /* NULL is fine */
    /* How many things the device will do for what was recorded so far; while recording. */
    size_t (*capture_size)(stk_device *device);
    /* Watching. What is begun between enter and leave is told under tag, which is not 0; they do
     * not nest, and neither waits. NULL, all three: nothing runs behind the caller's back. */
    void (*push_tag)(stk_device *device, uint64_t tag);
    void (*pop_tag)(stk_device *device);
    /* Tells what is done, in the order in which it was; all: waits for the rest of it. */
    void (*poll_activity)(stk_device *device, bool all, stk_device_activity_fn listener,
                          void *context);
    /* From now on kernels and copies are told, too, or no more. An error says what is missing.
     * NULL: never. */
    stk_status (*trace_kernels)(stk_device *device, bool on, stk_error *err);
    /* What the device is, for people and profiles. NULL: the machine's processor. */
    void (*info)(const stk_device *device, stk_device_info *info);
    /* What decodes images, made when it is first asked for; the device's. NULL: nothing does. */
    stk_status (*decode_device)(stk_device *device, const stk_decode_device **out, stk_error *err);
};

extern const stk_backend stk_backend_ref, stk_backend_cpu;

#endif
