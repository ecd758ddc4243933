/* Any bytes, as two traces to merge: what is written is JSON, and a trace again. The bytes are cut
 * in two at the first zero. */
#include "memory_filesystem.h"

#include <stdio.h>
#include <stoker/json.h>
#include <stoker/timeline_analysis.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST = 64 << 10 };

/* Two files to read and one to write, all in memory. */
typedef struct files {
    stk_filesystem    fs;
    memory_filesystem parts[2];
    stk_blob          written;
} files;

typedef struct output {
    stk_output out;
    stk_blob  *written;
} output;

static stk_status write_output(stk_output *out, const void *data, size_t size, stk_error *err)
{
    return stk_blob_append(((output *)out)->written, data, size, err);
}

static stk_status commit_output(stk_output *out, stk_error *err)
{
    (void)out, (void)err;
    return STK_OK;
}

static void close_output(stk_output *out)
{
    free(out);
}

static stk_status create_output(const stk_filesystem *fs, const char *path, stk_output **out,
                                stk_error *err)
{
    static const stk_output_ops ops = {
        .write = write_output, .commit = commit_output, .close = close_output};
    output *made = calloc(1, sizeof *made);
    if (!made) return stk_fail(err, STK_E_NOMEM, "fuzz", path, "no memory");
    made->out = (stk_output){.ops = &ops, .path = (char *)path};
    made->written = &((files *)(void *)fs)->written;
    *out = &made->out;
    return STK_OK;
}

static stk_status open_part(const stk_filesystem *fs, const char *path, stk_access access,
                            stk_file **out, stk_error *err)
{
    const files             *all = (const files *)(const void *)fs;
    const memory_filesystem *part = &all->parts[path[0] == 'b'];
    return part->fs.ops->open(&part->fs, path, access, out, err);
}

static void check_written(stk_bytes text)
{
    stk_error          err = {0};
    stk_json_document *doc;
    stk_timeline      *t;
    if (stk_json_parse(&doc, text, "merged", &err) && err.status != STK_E_LIMIT &&
        err.status != STK_E_RANGE)
        abort();
    stk_json_document_free(doc);
    memory_filesystem          fs = memory_filesystem_of("m", text);
    const stk_timeline_options options = {.fs = &fs.fs};
    if (stk_timeline_read(&t, "m", &options, &err) || stk_timeline_cut(t)) abort();
    stk_timeline_free(t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const stk_filesystem_ops ops = {.open = open_part, .create = create_output};
    static const char *const        paths[] = {"a", "b"};
    const int64_t                   offsets[] = {0, 1000};
    stk_error                       err = {0};
    if (size > LARGEST) return 0;
    const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
    const size_t   first = zero ? (size_t)(zero - data) : size, second = zero ? first + 1 : size;
    files          all = {.fs = {.ops = &ops, .name = "memory"}};
    all.parts[0] = memory_filesystem_of("a", stk_bytes_of(data, first));
    all.parts[1] = memory_filesystem_of("b", stk_bytes_of(data + second, size - second));
    stk_blob_init(&all.written, NULL, STK_MEMORY_OUTPUT);
    const stk_timeline_merge_options options = {.fs = &all.fs, .offsets = offsets};
    if (stk_timeline_merge("c", paths, 2, &options, &err)) {
        if (!err.message[0]) abort();
    } else {
        check_written(stk_blob_bytes(&all.written));
    }
    stk_blob_release(&all.written);
    return 0;
}
