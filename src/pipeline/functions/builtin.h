/* Shared by the built-in functions: contexts, checked access to values, and output specs that live
 * as long as the function. */
#ifndef STK_PIPELINE_FUNCTIONS_BUILTIN_H
#define STK_PIPELINE_FUNCTIONS_BUILTIN_H

#include "base/arena.h"

#include <pthread.h>
#include <stoker/functions.h>

/* Interned output specs of one function: equal ones share memory. */
typedef struct stk_spec_keep {
    pthread_mutex_t       lock;
    stk_arena             arena;
    struct stk_kept_spec *list;
} stk_spec_keep;

void stk_spec_keep_init(stk_spec_keep *keep);
void stk_spec_keep_release(stk_spec_keep *keep);

/* *out := a copy of spec that lives as long as keep. */
STK_NODISCARD stk_status stk_spec_keep_copy(stk_spec_keep *keep, const stk_element_spec *spec,
                                            stk_element_spec *out, stk_error *err);

/* A mutable copy of input's value specs, with capacity for extra more; free or keep it. */
STK_NODISCARD stk_status stk_spec_draft(stk_value_spec **out, const stk_element_spec *input,
                                        size_t extra, stk_error *err);
/* Interns and frees draft; *out is borrowed from keep. */
STK_NODISCARD stk_status stk_spec_keep_draft(stk_spec_keep *keep, stk_value_spec *draft,
                                             size_t count, stk_element_spec *out, stk_error *err);
/* input with one value replaced by a dense one of dtype and shape (NULL: unchanged). An unknown
 * input stays unknown. */
STK_NODISCARD stk_status stk_spec_keep_value(stk_spec_keep *keep, const stk_element_spec *input,
                                             int value, stk_dtype dtype, const stk_shape *shape,
                                             stk_element_spec *out, stk_error *err);

/* Makes a function with a copy of context. release (may be NULL) frees what the context owns. On
 * failure it is called as well. */
STK_NODISCARD stk_status stk_builtin_new(stk_function **out, const stk_function_info *info,
                                         const void *context, size_t                context_bytes,
                                         void (*release)(void *context), stk_error *err);
/* The context that was given to stk_builtin_new. */
void *stk_builtin_context(void *context);

enum {
    STK_TYPES_INTEGER = 1 << STK_DTYPE_U8 | 1 << STK_DTYPE_I32 | 1 << STK_DTYPE_I64,
    STK_TYPES_FLOAT = 1 << STK_DTYPE_F32 | 1 << STK_DTYPE_F64,
    STK_TYPES_NUMERIC = STK_TYPES_INTEGER | STK_TYPES_FLOAT,
    STK_TYPES_ANY = (1 << STK_DTYPE_COUNT) - 2
};

/* Checks that a known input has this value (STK_ALL_VALUES: all), dense, of one of types. */
STK_NODISCARD stk_status stk_check_value(const char *component, const stk_element_spec *input,
                                         int value, int types, stk_error *err);
/* The same for one value, not STK_ALL_VALUES. */
STK_NODISCARD stk_status stk_check_one(const char *component, const stk_element_spec *input,
                                       int value, int types, stk_error *err);
/* The same, and a scalar if the rank is known. */
STK_NODISCARD stk_status stk_check_scalar(const char *component, const stk_element_spec *input,
                                          int value, int types, stk_error *err);

/* Reads a value of an element: dense and of one of types, else an error. */
STK_NODISCARD stk_status stk_need_value(const char *component, const stk_element *element,
                                        int value, int types, const stk_value **out,
                                        stk_error *err);
STK_NODISCARD stk_status stk_need_scalar(const char *component, const stk_element *element,
                                         int value, int types, const stk_value **out,
                                         stk_error *err);
/* A scalar of uint8, int32 or int64. */
STK_NODISCARD stk_status stk_need_integer(const char *component, const stk_element *element,
                                          int value, int64_t *out, stk_error *err);

/* Makes the numbers of a value writable: in place if nothing else shares its storage, else in a
 * copy. The element is unshared. */
STK_NODISCARD stk_status stk_value_write(stk_value *value, stk_ledger *ledger, void **data,
                                         stk_error *err);

/* Replaces a value of *element by made. Takes ownership of made, also on failure. */
STK_NODISCARD stk_status stk_replace_value(stk_element **element, int value, stk_value *made,
                                           stk_error *err);

/* Whether function casts one value; which, and to what type. */
bool stk_cast_of(const stk_function *function, int *value, stk_dtype *dtype);

/* "3" or "0.5", exact; returns text. */
char *stk_number_text(stk_number number, char *text, int capacity);

/* The remainder with the divisor's sign; divisor is not 0. */
int64_t stk_floor_modulo(int64_t number, int64_t divisor);
double  stk_floor_modulo_real(double number, double divisor);

#endif
