/* OUT.partial: made, locked, continued or refused, and renamed at the end. A mark in the folder
 * says which plan it belongs to. Files get their final names only when complete (see stk_output),
 * so finished shards need no other bookkeeping. */
#include "storage/pack/pack_folder.h"

#include "storage/dataset/dataset_info_check.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <stoker/json.h>
#include <string.h>

static const char mark_name[] = STK_PACK_MARK;
enum { MARK_LIMIT = 1 << 16 };

static char *join(const char *a, const char *between, const char *b, stk_error *err)
{
    const size_t size = strlen(a) + strlen(between) + strlen(b) + 1;
    char        *text = malloc(size);
    if (!text) {
        stk_fail(err, STK_E_NOMEM, "pack", a, "no memory for a path");
        return NULL;
    }
    snprintf(text, size, "%s%s%s", a, between, b);
    return text;
}

char *stk_pack_folder_path(const stk_pack_folder *folder, const char *name, stk_error *err)
{
    return join(folder->partial, "/", name, err);
}

static stk_status write_mark(const stk_pack_folder *folder, const stk_pack_plan *plan,
                             const stk_pack_options *options, stk_error *err)
{
    char            fingerprint[24];
    stk_json_writer json;
    stk_blob        text;
    stk_output     *output = NULL;
    char           *path = stk_pack_folder_path(folder, mark_name, err);
    if (!path) return err->status;
    snprintf(fingerprint, sizeof fingerprint, "%016" PRIx64, plan->fingerprint);
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_json_begin(&json, &text, 2);
    stk_json_object(&json);
    stk_json_pair_string(&json, "fingerprint", fingerprint);
    stk_json_pair_uint(&json, "items", plan->count);
    stk_json_pair_uint(&json, "shards", plan->shard_count);
    stk_json_pair_uint(&json, "shard_bytes", options->shard_bytes);
    stk_json_pair_bool(&json, "shuffled", !options->keep_order);
    stk_json_pair_uint(&json, "seed", options->seed);
    stk_json_object_end(&json);
    stk_status st = stk_json_end(&json, err);
    if (!st) st = stk_output_create(&output, folder->fs, path, err);
    if (!st) st = stk_output_write(output, text.data, text.size, err);
    if (!st) st = stk_output_commit(output, err);
    stk_output_close(output);
    stk_blob_release(&text);
    free(path);
    return st;
}

/* Whether directory carries a mark, and whether it is this plan's. An unreadable mark is an error,
 * not "no mark": what is under it must not be thrown away by mistake. */
static stk_status read_mark(const stk_pack_folder *folder, const char *directory,
                            const stk_pack_plan *plan, bool *marked, bool *ours, stk_error *err)
{
    *marked = *ours = false;
    stk_json_document *json = NULL;
    stk_blob           text;
    char              *path = join(directory, "/", mark_name, err);
    if (!path) return err->status;
    stk_blob_init(&text, NULL, STK_MEMORY_READ);
    stk_status st = stk_file_read_all(folder->fs, path, 0, MARK_LIMIT, &text, err);
    if (!st) st = stk_json_parse(&json, stk_blob_bytes(&text), path, err);
    if (!st) {
        const char *found = stk_json_text(stk_json_get(stk_json_root(json), "fingerprint"), "");
        *marked = true;
        *ours = strtoull(found, NULL, 16) == plan->fingerprint;
    }
    if (st == STK_E_NOTFOUND) st = STK_OK;
    if (st == STK_E_FORMAT)
        st = stk_fail(err, STK_E_FORMAT, "pack", path,
                      "is damaged, so that nobody knows which pack this folder belongs to; remove "
                      "the folder");
    stk_json_document_free(json);
    stk_blob_release(&text);
    free(path);
    return st;
}

/* A listing whose entries may be removed while it is walked. */
typedef struct name_list {
    stk_blob text; /* names, each with its terminating zero */
} name_list;

static stk_status add_name(void *context, const char *name, const stk_file_info *info,
                           stk_error *err)
{
    (void)info;
    name_list *names = context;
    return stk_blob_append(&names->text, name, strlen(name) + 1, err);
}

static bool is_temporary(const char *name)
{
    const size_t length = strlen(name);
    return name[0] == '.' && length > 4 && !strcmp(name + length - 4, ".tmp");
}

/* Removes the temporaries of a killed run or, when all, everything but the mark: the next mark
 * replaces it, and until then it says what the rest is. */
static stk_status sweep(const stk_pack_folder *folder, bool all, stk_error *err)
{
    name_list names;
    stk_blob_init(&names.text, NULL, STK_MEMORY_INDEX);
    stk_status st =
        stk_path_list(folder->fs, folder->partial, STK_LIST_KINDS, add_name, &names, err);
    for (size_t at = 0; !st && at < names.text.size;) {
        const char *name = (const char *)names.text.data + at;
        at += strlen(name) + 1;
        if (all ? !strcmp(name, mark_name) : !is_temporary(name)) continue;
        char *path = stk_pack_folder_path(folder, name, err);
        st = path ? stk_path_remove(folder->fs, path, err) : err->status;
        free(path);
    }
    stk_blob_release(&names.text);
    return st;
}

static stk_status count_entry(void *context, const char *name, const stk_file_info *info,
                              stk_error *err)
{
    (void)info;
    (void)err;
    if (!is_temporary(name)) ++*(uint64_t *)context;
    return STK_OK;
}

static stk_status count_entries(const stk_pack_folder *folder, const char *directory,
                                uint64_t *entries, stk_error *err)
{
    *entries = 0;
    return stk_path_list(folder->fs, directory, STK_LIST_KINDS, count_entry, entries, err);
}

/* OUT itself: absent or empty is fine, this very pack is done, anything else is refused. */
static stk_status look_at_out(stk_pack_folder *folder, const stk_pack_plan *plan, stk_error *err)
{
    stk_file_info info;
    bool          marked, ours;
    uint64_t      entries;
    stk_status    st = stk_path_info(folder->fs, folder->out, &info, err);
    if (st == STK_E_NOTFOUND) return STK_OK;
    if (st) return st;
    if (info.kind != STK_FILE_DIRECTORY)
        return stk_fail(err, STK_E_EXISTS, "pack", folder->out,
                        "is a file; name a new folder to pack into");
    STK_TRY(read_mark(folder, folder->out, plan, &marked, &ours, err));
    folder->done = ours;
    if (ours) return STK_OK;
    STK_TRY(count_entries(folder, folder->out, &entries, err));
    folder->replaces = !entries;
    if (!entries) return STK_OK;
    return stk_fail(err, STK_E_EXISTS, "pack", folder->out,
                    marked ? "holds a pack of other content or options (the source may have "
                             "changed); remove it or name another folder"
                           : "the folder is not empty; name a new folder to pack into");
}

/* Makes the partial folder. An empty OUT becomes it: a failing rename (a mount point) shows before
 * the work, and links keep their target. */
static stk_status make_partial(const stk_pack_folder *folder, stk_error *err)
{
    stk_file_info info;
    stk_error     reason = {0};
    if (!folder->replaces || !stk_path_info(folder->fs, folder->partial, &info, err))
        return stk_path_make_directory(folder->fs, folder->partial, err);
    const stk_status st = stk_path_rename(folder->fs, folder->out, folder->partial, &reason);
    if (!st) return STK_OK;
    return stk_fail(err, st, "pack", folder->out,
                    "the folder cannot be replaced by the finished pack (%.120s); if something is "
                    "mounted there, name a new folder inside of it",
                    reason.message);
}

static stk_status make_parents(const stk_pack_folder *folder, stk_error *err)
{
    char *path = strdup(folder->partial);
    if (!path) return stk_fail(err, STK_E_NOMEM, "pack", folder->out, "no memory for a path");
    stk_status st = STK_OK;
    for (char *slash = strchr(path + 1, '/'); !st && slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        stk_file_info info;
        if (stk_path_info(folder->fs, path, &info, err) != STK_OK)
            st = stk_path_make_directory(folder->fs, path, err);
        *slash = '/';
    }
    free(path);
    return st ? st : make_partial(folder, err);
}

/* Only what a pack made is ever thrown away, and only what is worth keeping is asked about. */
static stk_status check_partial(const stk_pack_folder *folder, bool marked, bool ours,
                                const stk_pack_options *options, stk_error *err)
{
    uint64_t entries;
    STK_TRY(count_entries(folder, folder->partial, &entries, err));
    if (ours || entries == marked) return STK_OK;
    if (!marked)
        return stk_fail(err, STK_E_EXISTS, "pack", folder->partial,
                        "the work would happen here, but the folder holds other things; move it "
                        "away or name another folder to pack into");
    if (options->restart) return STK_OK;
    return stk_fail(err, STK_E_EXISTS, "pack", folder->partial,
                    "holds an unfinished pack of other content or options (the source may "
                    "have changed); pass --restart to throw it away and begin anew");
}

static stk_status take_partial(stk_pack_folder *folder, const stk_pack_plan *plan,
                               const stk_pack_options *options, stk_error *err)
{
    bool marked, ours;
    STK_TRY(make_parents(folder, err));
    stk_status st = stk_path_lock(&folder->lock, folder->fs, folder->partial, err);
    if (st == STK_E_BUSY)
        return stk_fail(err, STK_E_BUSY, "pack", folder->partial,
                        "another process is packing into this folder");
    if (st) return st;
    STK_TRY(read_mark(folder, folder->partial, plan, &marked, &ours, err));
    STK_TRY(check_partial(folder, marked, ours, options, err));
    STK_TRY(sweep(folder, !ours, err));
    return ours ? STK_OK : write_mark(folder, plan, options, err);
}

/* At the end a folder is renamed to OUT, so OUT has to end in a name. */
static stk_status check_out(const char *out, stk_error *err)
{
    const char *slash = strrchr(out, '/');
    const char *last = slash ? slash + 1 : out;
    if (*last && strcmp(last, ".") != 0 && strcmp(last, "..") != 0) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "pack", out,
                    "is no name for a new folder; name one, such as 'packed'");
}

stk_status stk_pack_folder_open(stk_pack_folder *folder, const char *out_path,
                                const stk_pack_plan *plan, const stk_pack_options *options,
                                stk_error *err)
{
    *folder = (stk_pack_folder){.fs = options->filesystem};
    folder->out = strdup(out_path);
    if (!folder->out) return stk_fail(err, STK_E_NOMEM, "pack", out_path, "no memory for a path");
    for (size_t end = strlen(folder->out); end > 1 && folder->out[end - 1] == '/'; end--)
        folder->out[end - 1] = '\0';
    STK_TRY(check_out(folder->out, err));
    folder->partial = join(folder->out, ".partial", "", err);
    if (!folder->partial) return err->status;
    STK_TRY(look_at_out(folder, plan, err));
    return folder->done ? STK_OK : take_partial(folder, plan, options, err);
}

stk_status stk_pack_folder_finish(stk_pack_folder *folder, stk_error *err)
{
    return stk_path_rename(folder->fs, folder->partial, folder->out, err);
}

void stk_pack_folder_release(stk_pack_folder *folder)
{
    stk_lock_release(folder->lock);
    free(folder->partial);
    free(folder->out);
    *folder = (stk_pack_folder){0};
}
