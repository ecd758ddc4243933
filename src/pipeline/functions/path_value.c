/* Values that are paths. */
#include "pipeline/functions/path_value.h"

#include "pipeline/plan/operator.h"
#include "storage/file/paths.h"

stk_status stk_path_of_value(stk_blob *text, const char *component, const stk_element *element,
                             int value, const char *folder, stk_error *err)
{
    const stk_value *found;
    stk_blob         name;
    STK_TRY(stk_need_scalar(component, element, value, 1 << STK_DTYPE_BYTES, &found, err));
    const stk_bytes path = *(const stk_bytes *)stk_value_data(found);
    if (!path.size || memchr(path.data, 0, path.size))
        return stk_fail(err, STK_E_INVALID, component, NULL, "value %d is no path: it %s", value,
                        path.size ? "holds a zero byte" : "is empty");
    stk_blob_init(&name, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_blob_append(&name, path.data, path.size, err);
    if (!st) st = stk_blob_append(&name, "", 1, err);
    if (!st) st = stk_path_join(text, folder ? folder : "", (const char *)name.data, err);
    stk_blob_release(&name);
    return st;
}

stk_status stk_folder_describe(stk_blob *details, const char *folder, stk_error *err)
{
    if (folder) STK_TRY(stk_blob_append(details, ", ", 2, err));
    if (folder) STK_TRY(stk_describe_location(details, folder, err));
    return stk_blob_append(details, "", 1, err);
}
