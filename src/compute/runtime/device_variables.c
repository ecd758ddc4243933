/* Variables: tensors that keep their values between runs. */
#include "compute/runtime/device_variables.h"
#include "compute/runtime/device.h"
#include <stdlib.h>
#include <string.h>

stk_status stk_variables_new(stk_variables **out, stk_device *device, uint64_t seed, stk_error *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return stk_fail(err, STK_E_NOMEM, "variables", NULL, "no memory");
    (*out)->device = device;
    (*out)->seed = seed;
    return STK_OK;
}

void stk_variables_free(stk_variables *variables)
{
    if (!variables) return;
    for (size_t i = 0; i < variables->count; i++) {
        stk_device_dealloc(variables->device, variables->list[i].data, variables->list[i].bytes);
        free(variables->list[i].name);
    }
    free(variables->list);
    free(variables);
}

size_t stk_variables_count(const stk_variables *variables)
{
    return variables->count;
}

stk_variable_info stk_variables_at(const stk_variables *variables, size_t index)
{
    const stk_variable *v = &variables->list[index];
    return (stk_variable_info){v->name, v->type.dtype, v->type.shape, v->options.role};
}

size_t stk_variables_find(const stk_variables *variables, const char *name)
{
    for (size_t i = 0; i < variables->count; i++)
        if (strcmp(variables->list[i].name, name) == 0) return i;
    return SIZE_MAX;
}

static stk_format home(const stk_variable *v)
{
    return v->format == (stk_format)STK_FORMAT_ANY ? STK_FORMAT_PLAIN : v->format;
}

static stk_status check_size(const stk_variable *v, size_t size, stk_error *err)
{
    if (size == stk_type_bytes(&v->type)) return STK_OK;
    return stk_fail(err, STK_E_SHAPE, "variables", v->name, "%zu bytes given, it has %zu", size,
                    stk_type_bytes(&v->type));
}

/* read and write convert through a plain copy on the device if the format is not plain. */
stk_status stk_variables_read(stk_variables *variables, size_t index, void *data, size_t size,
                              stk_error *err)
{
    stk_device   *device = variables->device;
    stk_variable *v = &variables->list[index];
    void         *plain = NULL;
    STK_TRY(check_size(v, size, err));
    STK_TRY(stk_device_sync(device, err));
    if (home(v) == STK_FORMAT_PLAIN) {
        device->backend->download(device, data, v->data, size);
        return stk_device_sync(device, err);
    }
    STK_TRY(stk_device_alloc(device, size, v->name, &plain, err));
    stk_status st = device->backend->reorder(device, &v->type, v->format, v->data, STK_FORMAT_PLAIN,
                                             plain, err);
    if (!st) device->backend->download(device, data, plain, size);
    if (!st) st = stk_device_sync(device, err);
    stk_device_dealloc(device, plain, size);
    return st;
}

stk_status stk_variables_write(stk_variables *variables, size_t index, const void *data,
                               size_t size, stk_error *err)
{
    stk_device   *device = variables->device;
    stk_variable *v = &variables->list[index];
    void         *plain = NULL;
    STK_TRY(check_size(v, size, err));
    STK_TRY(stk_device_sync(device, err));
    if (home(v) == STK_FORMAT_PLAIN) {
        device->backend->upload(device, v->data, data, size);
        return STK_OK;
    }
    STK_TRY(stk_device_alloc(device, size, v->name, &plain, err));
    device->backend->upload(device, plain, data, size);
    stk_status st = device->backend->reorder(device, &v->type, STK_FORMAT_PLAIN, plain, v->format,
                                             v->data, err);
    stk_device_dealloc(device, plain, size);
    return st;
}

stk_status stk_variables_reset(stk_variables *variables, size_t index, stk_error *err)
{
    stk_variable *v = &variables->list[index];
    size_t        bytes = stk_type_bytes(&v->type);
    void         *values = calloc(1, bytes ? bytes : 1);
    if (!values)
        return stk_fail(err, STK_E_NOMEM, "variables", v->name, "no memory for %zu bytes", bytes);
    if (v->type.dtype == STK_DTYPE_F32)
        stk_init_values(&v->options.init, variables->seed, v->name, &v->type.shape, values);
    stk_status st = stk_variables_write(variables, index, values, bytes, err);
    free(values);
    return st;
}

void stk_variables_clear(stk_variables *variables, size_t index)
{
    stk_variable *v = &variables->list[index];
    variables->device->backend->clear(variables->device, v->data, v->bytes);
}

static stk_status same_type(const stk_variable *v, const stk_tensor_type *type, stk_error *err)
{
    char a[96], b[96];
    if (v->type.dtype == type->dtype && stk_shape_equal(&v->type.shape, &type->shape))
        return STK_OK;
    return stk_fail(err, STK_E_SHAPE, "variables", v->name,
                    "it is %s%s already but this graph has it as %s%s",
                    stk_dtype_name(v->type.dtype), stk_shape_text(&v->type.shape, a, sizeof a),
                    stk_dtype_name(type->dtype), stk_shape_text(&type->shape, b, sizeof b));
}

static stk_status append(stk_variables *variables, const stk_variable *v, stk_error *err)
{
    if (variables->count == variables->capacity) {
        size_t        capacity = variables->capacity ? variables->capacity * 2 : 64;
        stk_variable *grown = realloc(variables->list, capacity * sizeof *grown);
        if (!grown) return stk_fail(err, STK_E_NOMEM, "variables", v->name, "no memory");
        variables->list = grown;
        variables->capacity = capacity;
    }
    variables->list[variables->count] = *v;
    stk_variable *added = &variables->list[variables->count];
    added->name = strdup(v->name);
    if (!added->name) return stk_fail(err, STK_E_NOMEM, "variables", v->name, "no memory");
    stk_status st =
        stk_device_alloc(variables->device, added->bytes, added->name, &added->data, err);
    if (st)
        free(added->name);
    else
        variables->count++;
    return st;
}

stk_status stk_variables_add(stk_variables *variables, const char *name,
                             const stk_tensor_type *type, const stk_variable_options *options,
                             size_t *index, stk_error *err)
{
    *index = stk_variables_find(variables, name);
    if (*index != SIZE_MAX) return same_type(&variables->list[*index], type, err);
    if (type->dtype != STK_DTYPE_F32 && options->init.a != 0)
        return stk_fail(err, STK_E_TYPE, "variables", name, "only float32 can start as not zero");
    stk_variable v = {(char *)name, *type, *options, STK_FORMAT_ANY, NULL, stk_type_bytes(type)};
    STK_TRY(append(variables, &v, err));
    *index = variables->count - 1;
    stk_status st = stk_variables_reset(variables, *index, err);
    if (st) {
        stk_variable *last = &variables->list[--variables->count];
        stk_device_dealloc(variables->device, last->data, last->bytes);
        free(last->name);
    }
    return st;
}

stk_status stk_variables_set_format(stk_variables *variables, size_t index, stk_format format,
                                    stk_error *err)
{
    stk_device   *device = variables->device;
    stk_variable *v = &variables->list[index];
    if (v->format == format) return STK_OK;
    size_t bytes = device->backend->format_bytes(device, &v->type, format);
    void  *data;
    if (format == STK_FORMAT_PLAIN) {
        v->format = format;
        return STK_OK;
    }
    STK_TRY(stk_device_alloc(device, bytes, v->name, &data, err));
    stk_status st =
        device->backend->reorder(device, &v->type, STK_FORMAT_PLAIN, v->data, format, data, err);
    if (st) {
        stk_device_dealloc(device, data, bytes);
        return st;
    }
    stk_device_dealloc(device, v->data, v->bytes);
    v->data = data;
    v->bytes = bytes;
    v->format = format;
    return STK_OK;
}
