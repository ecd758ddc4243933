/* The interface of a backend: a table of functions, and kernels by op. Kernels know nothing of the
 * graph: they get types, formats and addresses.
 *
 * A format is the memory layout of a tensor. STK_FORMAT_PLAIN is row-major; all other values are
 * private to the backend. Kernels choose formats of inputs and outputs; layout assignment inserts
 * reorders where they differ (layout_assignment.c). */
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
    void                   *state;       /* private to the backend */
    uint64_t                held;        /* allocated bytes of device memory */
    struct stk_pinned_pool *pinned_pool; /* pinned host memory; NULL until first used */
    stk_device_profiler    *profiler;    /* NULL if the backend reports no activity */
};

/* Kind of asynchronous device activity. */
typedef enum stk_device_activity_kind {
    STK_ACTIVITY_TAGGED_WORK, /* all work enqueued under one tag */
    STK_ACTIVITY_KERNEL,      /* one kernel of it */
    STK_ACTIVITY_COPY_IN,
    STK_ACTIVITY_COPY_OUT,
    STK_ACTIVITY_COPY, /* within the device */
    STK_ACTIVITY_FILL
} stk_device_activity_kind;

typedef struct stk_device_activity {
    stk_device_activity_kind kind;
    uint64_t                 tag;              /* tag that it was enqueued under; 0: none */
    uint64_t                 begin_ns, end_ns; /* on the clock of stk_clock_ns */
    bool                     on_copy_stream;   /* a copy that is not ordered with compute */
    const char              *name; /* kernel name, borrowed during the call; else NULL */
    uint32_t kernels_of_tag;       /* kernels reported under its tag in this poll; 0: unknown */
    uint64_t bytes;                /* of copies and fills */
} stk_device_activity;

typedef void (*stk_device_activity_fn)(void *context, const stk_device_activity *activity);

/* One instruction of a program, as its kernel sees it. The struct does not move between prepare and
 * release. Addresses are valid from the first run only. */
typedef struct stk_kernel_call {
    stk_device         *device;
    const stk_graph_op *op;
    stk_op_instance     instance;
    const stk_format   *in_format, *out_format;
    const void *const  *in;
    void *const        *out; /* NULL for outputs that are not used */
    void               *scratch;
    void               *state; /* made by prepare */
} stk_kernel_call;

typedef struct stk_kernel {
    const stk_graph_op *op;
    const char         *name; /* "reference", "native", "onednn" */
    /* Whether it supports this instance; NULL: always. */
    bool (*can)(const stk_device *device, const stk_op_instance *instance);
    /* Chooses formats of inputs and outputs. have holds the formats of the inputs; STK_FORMAT_ANY
     * marks a variable without a format. NULL: all are plain. */
    stk_status (*formats)(stk_device *device, const stk_op_instance *instance,
                          const stk_format *have, stk_format *in, stk_format *out, stk_error *err);
    bool requires_formats; /* formats is called even if layout assignment is off */
    /* Makes call->state and sets the bytes of scratch that run needs. NULL: neither. */
    stk_status (*prepare)(stk_kernel_call *call, size_t *scratch, stk_error *err);
    /* Enqueues or computes the result. Allocates nothing. */
    stk_status (*run)(const stk_kernel_call *call, stk_error *err);
    bool deferred; /* run only records the call; the backend's flush launches it */
    void (*release)(stk_kernel_call *call); /* NULL: nothing to release */
    /* Details of the implementation ("jit:avx512_core"), or NULL. Owned by state, or a literal. */
    const char *(*detail)(const stk_kernel_call *call);
} stk_kernel;

enum { STK_FORMAT_ANY = UINT32_MAX };

struct stk_backend {
    const char *name, *help;
    /* Makes device->state. The error names what is missing and a remedy. */
    stk_status (*open)(stk_device *device, stk_error *err);
    void (*close)(stk_device *device);
    /* Describes the machine in a few words; NULL: the name suffices. */
    void (*describe)(const stk_device *device, char *text, size_t capacity);
    /* The kernel for an instance; NULL: there is none. */
    const stk_kernel *(*kernel)(const stk_device *device, const stk_graph_op *op,
                                const stk_op_instance *instance);
    /* Whether convolutions and GEMMs can be computed in dtype (F16, BF16). The error gives the
     * reason. */
    stk_status (*precision)(const stk_device *device, stk_dtype dtype, stk_error *err);
    bool tf32;            /* supports float32 GEMMs with 10-bit fractions */
    bool half_gemm_only;  /* half precision pays off in convolutions and GEMMs only */
    bool group_small_ops; /* casts of variables and updates are cheaper in one group */
    /* The stk_fusion bits that it has kernels for if GEMMs compute in precision. NULL: none. */
    unsigned (*fusions)(const stk_device *device, stk_dtype precision);
    /* Allocates device memory, aligned to 64 bytes; NULL if there is not enough. */
    void *(*alloc)(stk_device *device, size_t size);
    uint64_t (*memory)(const stk_device *device); /* total bytes; NULL: unknown */
    /* Free bytes; other processes may use the device too. NULL: unknown. */
    uint64_t (*memory_free)(const stk_device *device);
    void (*free)(stk_device *device, void *data, size_t size);
    /* Ordered after all enqueued work. Errors are returned by the next sync. */
    void (*upload)(stk_device *device, void *dst, const void *src, size_t size);
    void (*download)(stk_device *device, void *dst, const void *src, size_t size);
    void (*clear)(stk_device *device, void *dst, size_t size);
    /* As upload, for inputs of runs: does not disturb a run in flight and does not wait for it. If
     * borrowed, src must stay valid until an event recorded later has completed. NULL: upload is
     * used. */
    stk_status (*upload_async)(stk_device *device, void *dst, const void *src, size_t size,
                               bool borrowed, stk_error *err);
    /* As download, into memory of host_alloc. dst is valid once an event recorded later has
     * completed. NULL: download is used. */
    stk_status (*download_async)(stk_device *device, void *dst, const void *src, size_t size,
                                 stk_error *err);
    /* Events on the compute stream. All NULL: the device is synchronous. event_record creates
     * *event if it is NULL. */
    stk_status (*event_record)(stk_device *device, void **event, stk_error *err);
    stk_status (*event_query)(stk_device *device, void *event, bool wait, bool *done,
                              stk_error *err);
    uint64_t (*event_elapsed)(stk_device *device, void *from,
                              void *to); /* nanoseconds between two completed events */
    void (*event_free)(stk_device *device, void *event); /* NULL is fine */
    /* Pinned host memory, aligned to 64 bytes; NULL if there is not enough. Any thread may call
     * both. Both NULL: any host memory is as fast. */
    void *(*host_alloc)(stk_device *device, size_t size);
    void (*host_free)(stk_device *device, void *data, size_t size);
    /* Bytes of a tensor in a format, with padding. */
    size_t (*format_bytes)(const stk_device *device, const stk_tensor_type *type,
                           stk_format format);
    void (*format_name)(const stk_device *device, stk_format format, char *text, size_t capacity);
    /* Converts between formats outside of a program; src and dst are on the device. */
    stk_status (*reorder)(stk_device *device, const stk_tensor_type *type, stk_format from,
                          const void *src, stk_format to, void *dst, stk_error *err);
    /* Whether all elements are finite. Synchronizes. */
    bool (*finite)(stk_device *device, const stk_tensor_type *type, const void *data, size_t bytes);
    /* Waits for all enqueued work and returns its first error. NULL: the device is synchronous. */
    stk_status (*sync)(stk_device *device, stk_error *err);
    /* Launches the calls that deferred kernels recorded. Called before any other kernel runs, and
     * at the end of a run. NULL: no kernel is deferred. */
    stk_status (*flush)(stk_device *device, stk_error *err);
    /* Stream capture (CUDA graphs). Launches between capture_begin and capture_end are recorded,
     * not executed; capture_launch runs them as one. All NULL: not supported. */
    stk_status (*capture_begin)(stk_device *device, stk_error *err);
    stk_status (*capture_end)(stk_device *device, void **capture, stk_error *err);
    stk_status (*capture_launch)(stk_device *device, void *capture, stk_error *err);
    void (*capture_free)(stk_device *device, void *capture); /* NULL is fine */
    /* Number of device operations in the open capture. */
    size_t (*capture_size)(stk_device *device);
    /* Correlation tags. Work enqueued between push_tag and pop_tag is reported under tag, which is
     * not 0. Tags do not nest, and neither call blocks. All NULL: the device is synchronous. */
    void (*push_tag)(stk_device *device, uint64_t tag);
    void (*pop_tag)(stk_device *device);
    /* Reports completed activity in order of completion; all: waits for the rest and reports it
     * too. */
    void (*poll_activity)(stk_device *device, bool all, stk_device_activity_fn listener,
                          void *context);
    /* Starts or stops reports of single kernels and copies. The error names what is missing. NULL:
     * not supported. */
    stk_status (*trace_kernels)(stk_device *device, bool on, stk_error *err);
    /* Properties of the device. NULL: it is the host's processor. */
    void (*info)(const stk_device *device, stk_device_info *info);
    /* The image decoder, created on first use and owned by the device. NULL: there is none. */
    stk_status (*decode_device)(stk_device *device, const stk_decode_device **out, stk_error *err);
};

extern const stk_backend stk_backend_ref, stk_backend_cpu;

#endif
