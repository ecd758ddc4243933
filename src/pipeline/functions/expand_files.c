/* Expand functions of a path: the records or lines of the file. */
#include "pipeline/functions/path_value.h"
#include "pipeline/plan/operator.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct context {
    const char           *component; /* a literal */
    const stk_value_spec *output;    /* a constant */
    int                   value;
    const stk_filesystem *fs;
    char                 *folder; /* NULL: none */
    stk_records_options   options;
} context;

typedef stk_status (*open_fn)(stk_dataset **out, const stk_filesystem *fs, const char *const *paths,
                              size_t count, const stk_records_options *options, stk_error *err);

static stk_status expand(const context *c, const char *component, open_fn open,
                         const stk_element *element, stk_dataset **out, stk_error *err)
{
    stk_blob path;
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_path_of_value(&path, component, element, c->value, c->folder, err);
    if (!st) st = open(out, c->fs, &(const char *){(const char *)path.data}, 1, &c->options, err);
    stk_blob_release(&path);
    return st;
}

static stk_status tfrecord(void *untyped, const stk_call *call, const stk_element *element,
                           stk_dataset **out, stk_error *err)
{
    (void)call;
    return expand(stk_builtin_context(untyped), "tfrecord", stk_dataset_tfrecord_files, element,
                  out, err);
}

static stk_status text(void *untyped, const stk_call *call, const stk_element *element,
                       stk_dataset **out, stk_error *err)
{
    (void)call;
    return expand(stk_builtin_context(untyped), "text", stk_dataset_text, element, out, err);
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    *out = (stk_element_spec){.known = true, .count = 1, .values = c->output};
    return stk_check_scalar(c->component, input, c->value, 1 << STK_DTYPE_BYTES, err);
}

static void release(void *untyped)
{
    free(((context *)untyped)->folder);
}

static stk_status make(stk_function **out, const char *name, stk_expand_fn expand_with, context *c,
                       const char *folder, stk_error *err)
{
    *out = NULL;
    c->component = name;
    if (folder && !(c->folder = strdup(folder)))
        return stk_fail(err, STK_E_NOMEM, name, NULL, "no memory for a function");
    stk_blob details;
    stk_blob_init(&details, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_describe(&details, err, "value %d, %s, buffer %zu, at most %" PRIu64 "%s",
                                 c->value, stk_compression_name(c->options.compression),
                                 c->options.buffer_bytes, c->options.max_record_bytes,
                                 c->options.damage == STK_DAMAGE_RESYNC ? ", resync" : "");
    if (!st) st = stk_folder_describe(&details, folder, err);
    const stk_function_info info = {.name = name,
                                    .details = (const char *)details.data,
                                    .output_of = output_of,
                                    .expand = expand_with};
    if (!st)
        st = stk_builtin_new(out, &info, c, sizeof *c, release, err);
    else
        release(c);
    stk_blob_release(&details);
    return st;
}

stk_status stk_function_tfrecord(stk_function **out, int value, const stk_filesystem *fs,
                                 const char *folder, const stk_records_options *options,
                                 stk_error *err)
{
    static const stk_value_spec record = {
        .name = "record", .dtype = STK_DTYPE_BYTES, .rank_known = true};
    context c = {.value = value, .output = &record, .fs = fs};
    if (options) c.options = *options;
    return make(out, "tfrecord", tfrecord, &c, folder, err);
}

stk_status stk_function_text(stk_function **out, int value, const stk_filesystem *fs,
                             const char *folder, const stk_records_options *options, stk_error *err)
{
    static const stk_value_spec line = {
        .name = "line", .dtype = STK_DTYPE_BYTES, .rank_known = true};
    context c = {.value = value, .output = &line, .fs = fs};
    if (options) c.options = *options;
    return make(out, "text", text, &c, folder, err);
}
