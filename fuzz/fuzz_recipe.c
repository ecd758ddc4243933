/* A recipe: any text is a pipeline or a message. Files are not there: a file system of one file in
 * memory. Building reads no data, so nothing is run. */
#include "memory_filesystem.h"

#include <stoker/recipe.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    memory_filesystem        fs = memory_filesystem_of("f/x", stk_bytes_of("abc", 3));
    const stk_recipe_options options = {.fs = &fs.fs, .folder = "f"};
    stk_error                err = {0};
    stk_dataset             *made;
    if (stk_recipe_read(&made, stk_bytes_of(data, size), "fuzz.yaml", &options, &err)) {
        if (!err.message[0] || made) abort();
        return 0;
    }
    if (stk_dataset_cardinality(made) < STK_CARDINALITY_UNKNOWN) abort();
    stk_dataset_unref(made);
    return 0;
}
