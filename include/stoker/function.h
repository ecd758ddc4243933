/* stoker/function.h - functions that pipelines call on elements. A function is a callback with a
 * context, a name and traits. Passes read the traits; explain and messages use the name;
 * checkpoints and caches use name and version. functions.h has the built-in ones. */
#ifndef STOKER_FUNCTION_H
#define STOKER_FUNCTION_H

#include <stoker/blob.h>
#include <stoker/cancel.h>
#include <stoker/decode_device.h>
#include <stoker/element.h>

STK_BEGIN_DECLS

/* A row of the output batch. A function that writes its result here saves batch a copy. */
typedef struct stk_output_row {
    int         value; /* index in the resulting element */
    stk_dtype   dtype;
    stk_shape   shape;
    void       *data;
    stk_buffer *storage; /* owner of data */
} stk_output_row;

/* Context of one call. */
typedef struct stk_call {
    stk_ledger           *ledger; /* accounts for the memory it allocates */
    const stk_cancel     *cancel; /* polled by long functions */
    uint64_t              seed;   /* of this function in this pipeline */
    uint64_t              epoch;  /* epochs that this operator began before, in this iterator */
    uint64_t              index;  /* of the element in the operator's input */
    const uint64_t       *seeds;  /* one per function that a pass fused; else NULL */
    const stk_output_row *output_rows; /* read by stk_call_output */
    size_t                output_row_count;
    uint64_t             *ticks; /* timers of the parts of built-in functions; NULL: off */
} stk_call;

/* As stk_value_dense, for value index of the result; writes straight into the output batch if it
 * has a row of this type and shape. The caller writes all of *data. Call it once for a value. */
STK_API STK_NODISCARD stk_status stk_call_output(const stk_call *call, int index, stk_value *value,
                                                 stk_dtype dtype, const stk_shape *shape,
                                                 void **data, stk_error *err);

/* Random numbers of this call, a function of (seed, epoch, index, stream, position): equal on any
 * number of threads. Uniform in [0, 1) and in [0, bound). */
STK_API double   stk_call_uniform(const stk_call *call, uint32_t stream, uint32_t position);
STK_API uint64_t stk_call_below(const stk_call *call, uint32_t stream, uint32_t position,
                                uint64_t bound);

/* The callbacks. The function owns *element while it runs: it may change it if it has one reference
 * (stk_element_make_unique), or unref and replace it. On failure the caller frees the element left
 * in *element, if any. */
typedef stk_status (*stk_map_fn)(void *context, const stk_call *call, stk_element **element,
                                 stk_error *err);
typedef stk_status (*stk_predicate_fn)(void *context, const stk_call *call,
                                       const stk_element *element, bool *keep, stk_error *err);
typedef stk_status (*stk_key_fn)(void *context, const stk_call *call, const stk_element *element,
                                 int64_t *key, stk_error *err);
/* Makes a dataset from an element: for flat_map, interleave, group_by_window. */
typedef stk_status (*stk_expand_fn)(void *context, const stk_call *call, const stk_element *element,
                                    stk_dataset **out, stk_error *err);
/* Updates *state and *element; both are owned as in map. */
typedef stk_status (*stk_scan_fn)(void *context, const stk_call *call, stk_element **state,
                                  stk_element **element, stk_error *err);

/* One element of a call that maps many. */
typedef struct stk_many_item {
    stk_call      call;
    stk_element **element;   /* as in map */
    bool          by_device; /* set: the decode device did its part */
    stk_status    status;    /* set, with err */
    stk_error     err;
} stk_many_item;

/* Maps count elements with a decode device: the results of map, up to the device's rounding. A
 * returned error is the device's, which is then not used again; the items are mapped all the same.
 */
typedef stk_status (*stk_map_many_fn)(void *context, const stk_decode_device *images,
                                      stk_many_item *items, size_t count, stk_error *err);

typedef enum stk_function_traits {
    STK_FUNCTION_PURE = 0,
    STK_FUNCTION_STATEFUL = 1,  /* called one at a time, in order; never fused away or cached */
    STK_FUNCTION_BLOCKING = 2,  /* waits for I/O: runs on the I/O engine, many at once */
    STK_FUNCTION_RANDOM = 4,    /* uses random numbers of the call: not cached */
    STK_FUNCTION_SAFE = 8,      /* cannot fail on any element of its input's spec */
    STK_FUNCTION_ONE_VALUE = 16 /* changes only the value at info.value */
} stk_function_traits;

typedef struct stk_function stk_function; /* immutable, reference-counted */

/* Exactly one callback is set, or map together with map_many. Everything is copied. */
typedef struct stk_function_info {
    const char *name;    /* in messages and fingerprints: "decode" */
    const char *details; /* parameters, for explain and fingerprints; NULL is fine */
    uint64_t    version; /* increase it when the results change */
    unsigned    traits;
    int         value; /* of STK_FUNCTION_ONE_VALUE */
    void       *context;
    void (*release)(void *context); /* with the last reference; NULL is fine */
    const stk_element_spec *output; /* NULL: unknown; ignored if output_of is set */
    /* Computes the spec of the results from that of the input. *out is input itself or valid as
     * long as context. Refuses a wrong input. NULL is fine. */
    stk_status (*output_of)(void *context, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err);
    /* Refuses a wrong input when the operator is made; for functions without output_of: predicates,
     * keys, expand. NULL is fine. */
    stk_status (*check)(void *context, const stk_element_spec *input, stk_error *err);
    /* Of a scan, after check: refuses a wrong initial state. NULL is fine. */
    stk_status (*check_state)(void *context, const stk_element *state,
                              const stk_element_spec *input, stk_error *err);
    /* State of a STATEFUL function in checkpoints. NULL is fine. */
    stk_status (*save)(void *context, stk_blob *out, stk_error *err);
    stk_status (*restore)(void *context, stk_bytes saved, stk_error *err);
    stk_map_fn       map;
    stk_predicate_fn test;
    stk_key_fn       key;
    stk_expand_fn    expand;
    stk_scan_fn      scan;

    stk_map_many_fn map_many;
} stk_function_info;

/* On failure *out is NULL and the caller still owns the context. */
STK_API STK_NODISCARD stk_status stk_function_new(stk_function **out, const stk_function_info *info,
                                                  stk_error *err);
STK_API stk_function            *stk_function_ref(stk_function *function);
STK_API void                     stk_function_unref(stk_function *function);
STK_API const stk_function_info *stk_function_info_of(const stk_function *function);
/* Checks that function accepts elements of input; operators call it when they are made. */
STK_API STK_NODISCARD stk_status stk_function_accepts(const stk_function     *function,
                                                      const stk_element_spec *input,
                                                      stk_error              *err);
/* The same for a scan and its initial state. */
STK_API STK_NODISCARD stk_status stk_function_accepts_state(const stk_function     *function,
                                                            const stk_element      *state,
                                                            const stk_element_spec *input,
                                                            stk_error              *err);

STK_END_DECLS
#endif
