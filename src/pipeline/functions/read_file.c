/* read_file: a path becomes the bytes of its file. */
#include "pipeline/functions/path_value.h"
#include "pipeline/plan/operator.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct context {
    int                   value;
    const stk_filesystem *fs;
    char                 *folder; /* NULL: none */
    uint64_t              limit_bytes;
} context;

/* Files without a size, as in /proc. */
static stk_status read_unsized(const context *c, const char *path, stk_ledger *ledger,
                               stk_value *made, stk_error *err)
{
    stk_blob bytes;
    stk_blob_init(&bytes, ledger, STK_MEMORY_RECORD);
    stk_status st = stk_file_read_all(c->fs, path, 0, c->limit_bytes, &bytes, err);
    if (!st) st = stk_value_bytes(made, ledger, stk_blob_bytes(&bytes), err);
    stk_blob_release(&bytes);
    return st;
}

/* Straight into the value's storage: an image is copied once, by the system. */
static stk_status read_sized(const context *c, stk_file *file, stk_ledger *ledger, stk_value *made,
                             stk_error *err)
{
    stk_buffer *storage;
    size_t      got = 0;
    if (file->info.bytes > c->limit_bytes)
        return stk_fail(err, STK_E_LIMIT, "read_file", file->path,
                        "the file has %" PRIu64 " bytes; the limit is %" PRIu64
                        " (limit_bytes changes it)",
                        file->info.bytes, c->limit_bytes);
    stk_status st =
        stk_buffer_new(&storage, ledger, STK_MEMORY_RECORD, (size_t)file->info.bytes, err);
    if (st) return stk_fail(err, st, "read_file", file->path, "%s", err->message);
    st = stk_file_read_at(file, stk_buffer_data(storage), (size_t)file->info.bytes, 0, &got, err);
    if (!st) stk_value_view(made, stk_bytes_of(stk_buffer_data(storage), got), storage);
    stk_buffer_unref(storage);
    return st;
}

static stk_status read_path(const context *c, const char *path, stk_ledger *ledger, stk_value *made,
                            stk_error *err)
{
    stk_file *file;
    STK_TRY(stk_file_open(&file, c->fs, path, STK_ACCESS_SEQUENTIAL, err));
    const bool sized = file->info.kind == STK_FILE_REGULAR && file->info.bytes;
    stk_status st = sized ? read_sized(c, file, ledger, made, err) : STK_OK;
    stk_file_close(file);
    return sized || st ? st : read_unsized(c, path, ledger, made, err);
}

/* So that what fails later, a decoder above all, names the file. */
static stk_status name_origin(stk_element *element, const char *path, stk_ledger *ledger,
                              stk_error *err)
{
    stk_origin from = *stk_element_origin(element);
    if (from.file) return STK_OK;
    stk_buffer *name;
    STK_TRY(stk_buffer_new(&name, ledger, STK_MEMORY_RECORD, strlen(path), err));
    memcpy(stk_buffer_data(name), path, strlen(path));
    from.file = name;
    from.record = from.offset = 0;
    stk_element_set_origin(element, &from);
    stk_buffer_unref(name);
    return STK_OK;
}

static stk_status read_into(const context *c, const char *path, const stk_call *call,
                            stk_element **element, stk_error *err)
{
    stk_value made = {0};
    STK_TRY(read_path(c, path, call->ledger, &made, err));
    STK_TRY(stk_replace_value(element, c->value, &made, err));
    return name_origin(*element, path, call->ledger, err);
}

static stk_status map(void *untyped, const stk_call *call, stk_element **element, stk_error *err)
{
    const context *c = stk_builtin_context(untyped);
    stk_blob       path;
    stk_blob_init(&path, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_path_of_value(&path, "read_file", *element, c->value, c->folder, err);
    if (!st) st = read_into(c, (const char *)path.data, call, element, err);
    stk_blob_release(&path);
    return st;
}

static stk_status output_of(void *untyped, const stk_element_spec *input, stk_element_spec *out,
                            stk_error *err)
{
    context *c = stk_builtin_context(untyped);
    STK_TRY(stk_check_scalar("read_file", input, c->value, 1 << STK_DTYPE_BYTES, err));
    *out = *input;
    return STK_OK;
}

static void release(void *untyped)
{
    free(((context *)untyped)->folder);
}

stk_status stk_function_read_file(stk_function **out, int value,
                                  const stk_read_file_options *options, stk_error *err)
{
    static const stk_read_file_options none;
    *out = NULL;
    if (!options) options = &none;
    context c = {.value = value,
                 .fs = options->fs,
                 .limit_bytes = options->limit_bytes ? options->limit_bytes : UINT64_C(1) << 30};
    if (options->folder && !(c.folder = strdup(options->folder)))
        return stk_fail(err, STK_E_NOMEM, "read_file", NULL, "no memory for a function");
    stk_blob details;
    stk_blob_init(&details, NULL, STK_MEMORY_INDEX);
    stk_status st = stk_describe(&details, err, "value %d, at most %" PRIu64, value, c.limit_bytes);
    if (!st) st = stk_folder_describe(&details, c.folder, err);
    const stk_function_info info = {.name = "read_file",
                                    .details = (const char *)details.data,
                                    .traits = STK_FUNCTION_BLOCKING,
                                    .output_of = output_of,
                                    .map = map};
    if (!st)
        st = stk_builtin_new(out, &info, &c, sizeof c, release, err);
    else
        release(&c);
    stk_blob_release(&details);
    return st;
}
