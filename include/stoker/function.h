/* stoker/function.h - functions that pipelines call on elements.
 * A function is a callback with a context, a name and traits. Passes look at the traits, explain
 * and error messages at the name, checkpoints and caches at name and version. Built-in functions
 * are made by the calls at the end; their names are known to recipes. */
#ifndef STOKER_FUNCTION_H
#define STOKER_FUNCTION_H

#include <stoker/blob.h>
#include <stoker/cancel.h>
#include <stoker/decode_device.h>
#include <stoker/element.h>

STK_BEGIN_DECLS

/* Where a value of the result may be put at once, so that batching need not copy it. */
typedef struct stk_output_row {
    int         value; /* index in the resulting element */
    stk_dtype   dtype;
    stk_shape   shape;
    void       *data;
    stk_buffer *storage; /* what data is a part of */
} stk_output_row;

/* What a function may use while it runs. */
typedef struct stk_call {
    stk_ledger           *ledger; /* where its memory must be reserved */
    const stk_cancel     *cancel; /* long functions look at it */
    uint64_t              seed;   /* of this function in this pipeline */
    uint64_t              epoch;  /* how often this stage was begun before, in this iterator */
    uint64_t              index;  /* number of the element in the stage's input */
    const uint64_t       *seeds;  /* of each of several functions that a pass made one; else NULL */
    const stk_output_row *output_rows; /* used through stk_call_output */
    size_t                output_row_count;
    uint64_t *ticks; /* where parts of built-in functions are timed; NULL: nobody asks */
} stk_call;

/* As stk_value_dense, for value index of the result: in its place in the batch where there is one
 * of this type and shape. All of it must be written. Ask once for a value: the place is one. */
STK_API STK_NODISCARD stk_status stk_call_output(const stk_call *call, int index, stk_value *value,
                                                 stk_dtype dtype, const stk_shape *shape,
                                                 void **data, stk_error *err);

/* Random numbers of this call: a function of (seed, epoch, index, stream, position), so that they
 * are the same on any number of threads. Uniform in [0, 1) and in [0, bound). */
STK_API double   stk_call_uniform(const stk_call *call, uint32_t stream, uint32_t position);
STK_API uint64_t stk_call_below(const stk_call *call, uint32_t stream, uint32_t position,
                                uint64_t bound);

/* The callbacks. *element is owned by the function while it runs: it may change it when it has one
 * reference (stk_element_make_unique), or unref it and put another in its place. On failure the
 * element it leaves in *element (or NULL) is freed by the caller. */
typedef stk_status (*stk_map_fn)(void *context, const stk_call *call, stk_element **element,
                                 stk_error *err);
typedef stk_status (*stk_predicate_fn)(void *context, const stk_call *call,
                                       const stk_element *element, bool *keep, stk_error *err);
typedef stk_status (*stk_key_fn)(void *context, const stk_call *call, const stk_element *element,
                                 int64_t *key, stk_error *err);
/* Makes a dataset of an element: flat_map, interleave, group_by_window. The element is lent; what
 * keeps it takes a reference (stk_element_ref, stk_dataset_slices). */
typedef stk_status (*stk_expand_fn)(void *context, const stk_call *call, const stk_element *element,
                                    stk_dataset **out, stk_error *err);
/* Changes *state and *element, as map does each. */
typedef stk_status (*stk_scan_fn)(void *context, const stk_call *call, stk_element **state,
                                  stk_element **element, stk_error *err);

/* One of many elements that are mapped at once. */
typedef struct stk_many_item {
    stk_call      call;
    stk_element **element;   /* as map has it */
    bool          by_device; /* set: the device did its part */
    stk_status    status;    /* set, with err */
    stk_error     err;
} stk_many_item;

/* Maps count elements with the help of a device: what map gives, as closely as the device does it.
 * An error is the device's, which is then not asked again; the items were mapped all the same. */
typedef stk_status (*stk_map_many_fn)(void *context, const stk_decode_device *images,
                                      stk_many_item *items, size_t count, stk_error *err);

typedef enum stk_function_traits {
    STK_FUNCTION_PURE = 0,
    STK_FUNCTION_STATEFUL = 1,  /* called one at a time, in order; never fused away or cached */
    STK_FUNCTION_BLOCKING = 2,  /* waits for something: runs on the I/O engine, many at once */
    STK_FUNCTION_RANDOM = 4,    /* uses the call's random numbers: not to be cached */
    STK_FUNCTION_SAFE = 8,      /* cannot fail on any element of its input's spec */
    STK_FUNCTION_ONE_VALUE = 16 /* changes no value but the one at info.value */
} stk_function_traits;

typedef struct stk_function stk_function; /* immutable, shared by count */

/* Exactly one of the callbacks is set, or map with map_many. All is copied. */
typedef struct stk_function_info {
    const char *name;    /* for people and fingerprints: "decode" */
    const char *details; /* parameters, for explain and fingerprints; NULL is fine */
    uint64_t    version; /* change it when the function's results change */
    unsigned    traits;
    int         value; /* of STK_FUNCTION_ONE_VALUE */
    void       *context;
    void (*release)(void *context); /* with the last reference; NULL is fine */
    const stk_element_spec *output; /* NULL: not known; ignored where output_of is set */
    /* The spec of the results for an input of spec; *out must stay valid as long as context does
     * or be input itself. A wrong input is an error. NULL is fine. */
    stk_status (*output_of)(void *context, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err);
    /* The same for functions that say no spec: tests, keys, and datasets of which nothing is known.
     * Refuses an input that it cannot work on, when the stage is made. NULL is fine. */
    stk_status (*check)(void *context, const stk_element_spec *input, stk_error *err);
    /* Of a scan, after check: refuses a first state that it cannot go on from. NULL is fine. */
    stk_status (*check_state)(void *context, const stk_element *state,
                              const stk_element_spec *input, stk_error *err);
    /* STATEFUL functions whose state belongs into checkpoints; NULL is fine. */
    stk_status (*save)(void *context, stk_blob *out, stk_error *err);
    stk_status (*restore)(void *context, stk_bytes saved, stk_error *err);
    stk_map_fn       map;
    stk_predicate_fn test;
    stk_key_fn       key;
    stk_expand_fn    expand;
    stk_scan_fn      scan;

    stk_map_many_fn map_many;
} stk_function_info;

/* On failure *out is NULL and the context is still the caller's. */
STK_API STK_NODISCARD stk_status stk_function_new(stk_function **out, const stk_function_info *info,
                                                  stk_error *err);
STK_API stk_function            *stk_function_ref(stk_function *function);
STK_API void                     stk_function_unref(stk_function *function);
STK_API const stk_function_info *stk_function_info_of(const stk_function *function);
/* That it can work on elements of input, as far as it says so: stages ask when they are made. */
STK_API STK_NODISCARD stk_status stk_function_accepts(const stk_function     *function,
                                                      const stk_element_spec *input,
                                                      stk_error              *err);
/* The same of a scan, with the state that it begins with. */
STK_API STK_NODISCARD stk_status stk_function_accepts_state(const stk_function     *function,
                                                            const stk_element      *state,
                                                            const stk_element_spec *input,
                                                            stk_error              *err);

STK_END_DECLS
#endif
