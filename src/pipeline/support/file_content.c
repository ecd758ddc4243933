/* A content hash of a source's files from their sizes and the beginnings of some. */
#include "base/hash.h"
#include "pipeline/support/file_list.h"

enum { LOOKED_INTO = 8, HEAD_BYTES = 4096 };

/* Whether the failure says something about the file, not about the machine. */
static bool is_of_file(stk_status st)
{
    return st && !stk_status_is_environment(st);
}

static stk_status mix_head(const char *path, const stk_filesystem *fs, stk_content *content,
                           stk_error *err)
{
    uint8_t   head[HEAD_BYTES];
    size_t    got = 0;
    stk_file *file;
    STK_TRY(stk_file_open(&file, fs, path, STK_ACCESS_RANDOM, err));
    const stk_status st = stk_file_read_at(file, head, sizeof head, 0, &got, err);
    stk_file_close(file);
    if (!st) content->hash = stk_hash64(stk_hash64_number(content->hash, got), head, got);
    return st;
}

static stk_status mix_file(const char *path, const stk_filesystem *fs, bool look_into,
                           stk_content *content, stk_error *err)
{
    stk_file_info info;
    STK_TRY(stk_path_info(fs, path, &info, err));
    content->hash = stk_hash64_number(content->hash, info.bytes);
    return look_into && info.kind == STK_FILE_REGULAR ? mix_head(path, fs, content, err) : STK_OK;
}

stk_status stk_file_list_content(const stk_file_list *list, const stk_filesystem *fs,
                                 stk_content *content, stk_error *err)
{
    const size_t every = list->count / LOOKED_INTO + 1;
    for (size_t i = 0; i < list->count && !content->incomplete; i++) {
        const stk_status st = mix_file(list->paths[i], fs, i % every == 0, content, err);
        content->incomplete = is_of_file(st);
        if (st && !content->incomplete) return st;
    }
    return STK_OK;
}
