/* Variables as compilers see them: device memory and formats. */
#ifndef STK_COMPUTE_RUNTIME_DEVICE_VARIABLES_H
#define STK_COMPUTE_RUNTIME_DEVICE_VARIABLES_H

#include "compute/runtime/backend.h"

typedef struct stk_variable {
    char                *name;
    stk_tensor_type      type;
    stk_variable_options options;
    stk_format           format; /* STK_FORMAT_ANY until a program has chosen one */
    void                *data;   /* device memory; plain while format is ANY */
    size_t               bytes;
} stk_variable;

struct stk_variables {
    stk_device   *device;
    uint64_t      seed;
    stk_variable *list;
    size_t        count, capacity;
};

/* Finds a variable, or creates it with its initial value. STK_E_SHAPE if it exists with another
 * type or shape. */
STK_NODISCARD stk_status stk_variables_add(stk_variables *variables, const char *name,
                                           const stk_tensor_type      *type,
                                           const stk_variable_options *options, size_t *index,
                                           stk_error *err);
/* Sets the format of a variable without one and reorders its value. */
STK_NODISCARD stk_status stk_variables_set_format(stk_variables *variables, size_t index,
                                                  stk_format format, stk_error *err);

/* Fills count elements with initial values, a function of seed, name and init only. */
void stk_init_values(const stk_init *init, uint64_t seed, const char *name, const stk_shape *shape,
                     float *values);

#endif
