#include "compute/cuda/cudnn_desc.h"
#include <stdio.h>

enum { TEXT = 400 };

static stk_status status_of(cudnnStatus_t status)
{
    if (status == CUDNN_STATUS_INTERNAL_ERROR_HOST_ALLOCATION_FAILED ||
        status == CUDNN_STATUS_INTERNAL_ERROR_DEVICE_ALLOCATION_FAILED)
        return STK_E_NOMEM;
    if (CUDNN_STATUS_CATEGORY(status) == CUDNN_STATUS_NOT_SUPPORTED) return STK_E_UNSUPPORTED;
    return STK_E_INVALID;
}

/* Reading cuDNN's last message clears it, so it is read once per failure. Its lines are joined to
 * one. */
stk_status stk_cudnn_check(cudnnStatus_t status, const char *where, const char *tried,
                           stk_error *err)
{
    if (status == CUDNN_STATUS_SUCCESS) return STK_OK;
    char text[TEXT] = "";
    cudnnGetLastErrorString(text, sizeof text);
    for (char *c = text; *c; c++)
        if (*c == '\n') *c = ' ';
    return stk_fail(err, status_of(status), "cudnn", where, "%s: %s (%s)", tried,
                    cudnnGetErrorString(status), text);
}

stk_cudnn_desc stk_cudnn_begin(cudnnBackendDescriptorType_t type)
{
    stk_cudnn_desc desc = {.type = type, .attribute = -1};
    desc.status = cudnnBackendCreateDescriptor(type, &desc.it);
    if (desc.status) desc.it = NULL;
    return desc;
}

void stk_cudnn_put(stk_cudnn_desc *desc, cudnnBackendAttributeName_t name,
                   cudnnBackendAttributeType_t type, int64_t count, const void *values)
{
    if (desc->status) return;
    desc->status = cudnnBackendSetAttribute(desc->it, name, type, count, values);
    if (desc->status) desc->attribute = (int)name;
}

void stk_cudnn_put_desc(stk_cudnn_desc *desc, cudnnBackendAttributeName_t name,
                        cudnnBackendDescriptor_t value)
{
    if (value) stk_cudnn_put(desc, name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value);
}

stk_status stk_cudnn_end(stk_cudnn_desc *desc, cudnnBackendDescriptor_t *out, const char *where,
                         stk_error *err)
{
    *out = NULL;
    if (!desc->status) desc->status = cudnnBackendFinalize(desc->it);
    if (!desc->status) {
        *out = desc->it;
        return STK_OK;
    }
    char tried[64];
    if (desc->attribute >= 0)
        snprintf(tried, sizeof tried, "attribute %d of descriptor %d", desc->attribute, desc->type);
    else
        snprintf(tried, sizeof tried, "descriptor %d", desc->type);
    const stk_status st = stk_cudnn_check(desc->status, where, tried, err);
    stk_cudnn_drop(&desc->it);
    return st;
}

void stk_cudnn_drop(cudnnBackendDescriptor_t *desc)
{
    if (*desc) cudnnBackendDestroyDescriptor(*desc);
    *desc = NULL;
}
