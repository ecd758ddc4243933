/* Notes and the list of bad items. The list is written before the notes are removed, and what it
 * says counts from then on, so that a run may be killed anywhere. */
#include "storage/pack/pack_bad.h"

#include "storage/file/paths.h"

#include <string.h>

enum { LIST_LIMIT = 1 << 30 };

/* The action, as lines begin. */
static const char *verb_of(stk_pack_on_bad on_bad)
{
    return on_bad == STK_PACK_BAD_KEPT ? "kept" : on_bad == STK_PACK_BAD_SKIPPED ? "skipped" : "";
}

bool stk_pack_is_bad(stk_status status)
{
    return status == STK_E_DATALOSS || status == STK_E_FORMAT || status == STK_E_UNSUPPORTED ||
           status == STK_E_LIMIT;
}

/* Text without tabs and line breaks. */
static stk_status add_text(stk_blob *lines, const char *text, char after, stk_error *err)
{
    const size_t begin = lines->size;
    STK_TRY(stk_blob_append(lines, text, strlen(text), err));
    for (size_t i = begin; i < lines->size; i++)
        if (lines->data[i] < ' ') lines->data[i] = '?';
    return stk_blob_append(lines, &after, 1, err);
}

stk_status stk_pack_bad_add(stk_blob *lines, stk_pack_on_bad on_bad, const char *shard_path,
                            const char *item, const char *reason, stk_error *err)
{
    STK_TRY(add_text(lines, verb_of(on_bad), '\t', err));
    STK_TRY(add_text(lines, stk_path_base(shard_path), '\t', err));
    STK_TRY(add_text(lines, item, '\t', err));
    return add_text(lines, reason, '\n', err);
}

/* "FOLDER/.SHARD.bad" */
static stk_status name_note(stk_blob *path, const char *shard_path, stk_error *err)
{
    const char *base = stk_path_base(shard_path);
    path->size = 0;
    STK_TRY(stk_blob_append(path, shard_path, (size_t)(base - shard_path), err));
    STK_TRY(stk_blob_append(path, ".", 1, err));
    STK_TRY(stk_blob_append(path, base, strlen(base), err));
    return stk_blob_append(path, ".bad", sizeof ".bad", err);
}

static stk_status write_file(const char *path, stk_bytes content, const stk_filesystem *fs,
                             stk_error *err)
{
    stk_output *out = NULL;
    stk_status  st = stk_output_create(&out, fs, path, err);
    if (!st) st = stk_output_write(out, content.data, content.size, err);
    if (!st) st = stk_output_commit(out, err);
    stk_output_close(out);
    return st;
}

stk_status stk_pack_bad_note(const char *shard_path, stk_bytes lines, const stk_filesystem *fs,
                             stk_error *err)
{
    stk_blob path;
    stk_blob_init(&path, NULL, STK_MEMORY_OUTPUT);
    stk_status st = name_note(&path, shard_path, err);
    if (!st) st = write_file((const char *)path.data, lines, fs, err);
    stk_blob_release(&path);
    return st;
}

/* Lines of path appended to text; nothing when there is no such file. */
static stk_status read_lines(stk_blob *text, const char *path, const stk_filesystem *fs,
                             stk_error *err)
{
    stk_blob content;
    stk_blob_init(&content, NULL, STK_MEMORY_READ);
    stk_status st = stk_file_read_all(fs, path, 0, LIST_LIMIT, &content, err);
    if (!st) st = stk_blob_append(text, content.data, content.size, err);
    stk_blob_release(&content);
    return st == STK_E_NOTFOUND ? STK_OK : st;
}

/* Everything that was noted: the list, or where there is none yet the notes. */
typedef struct noted {
    stk_blob text, path;
    bool     listed;
} noted;

static void init(noted *n, const stk_pack_options *options)
{
    *n = (noted){0};
    stk_blob_init(&n->text, options->ledger, STK_MEMORY_INDEX);
    stk_blob_init(&n->path, options->ledger, STK_MEMORY_INDEX);
}

static void release(noted *n)
{
    stk_blob_release(&n->text);
    stk_blob_release(&n->path);
}

static stk_status read_all(noted *n, const char *folder, char *const *shard_paths, size_t count,
                           const stk_filesystem *fs, stk_error *err)
{
    STK_TRY(stk_path_join(&n->path, folder, STK_BAD_ITEMS_FILE, err));
    STK_TRY(read_lines(&n->text, (const char *)n->path.data, fs, err));
    n->listed = n->text.size;
    for (size_t i = 0; !n->listed && i < count; i++) {
        STK_TRY(name_note(&n->path, shard_paths[i], err));
        STK_TRY(read_lines(&n->text, (const char *)n->path.data, fs, err));
    }
    return STK_OK;
}

/* All lines begin alike, so the first says it. */
static stk_status check_verb(const noted *n, const char *folder, stk_pack_on_bad on_bad,
                             stk_error *err)
{
    const char  *verb = verb_of(on_bad);
    const size_t length = strlen(verb);
    if (!n->text.size) return STK_OK;
    if (length && n->text.size > length && !memcmp(n->text.data, verb, length)) return STK_OK;
    const bool kept = n->text.data[0] == 'k';
    return stk_fail(err, STK_E_EXISTS, "pack", folder,
                    "here bad images were %s; pass --on-bad %s, or remove the folder and begin "
                    "anew",
                    kept ? "kept" : "skipped", kept ? "keep" : "skip");
}

stk_status stk_pack_bad_check(const char *folder, char *const *shard_paths, size_t count,
                              const stk_pack_options *options, stk_error *err)
{
    noted n;
    init(&n, options);
    stk_status st = read_all(&n, folder, shard_paths, count, options->filesystem, err);
    if (!st) st = check_verb(&n, folder, options->images.on_bad, err);
    release(&n);
    return st;
}

/* Lines stand in the order of the shards. */
static void count_lines(const noted *n, stk_pack_bad *bad, char *const *shard_paths, size_t count)
{
    const char *at = (const char *)n->text.data, *end = at + n->text.size;
    for (size_t shard = 0; at < end && shard < count;) {
        const char  *line_end = memchr(at, '\n', (size_t)(end - at));
        const char  *tab = memchr(at, '\t', (size_t)(end - at));
        const char  *base = stk_path_base(shard_paths[shard]);
        const size_t length = strlen(base);
        if (!line_end || !tab || tab > line_end) return;
        if ((size_t)(line_end - tab) <= length + 1 || memcmp(tab + 1, base, length) != 0 ||
            tab[1 + length] != '\t') {
            shard++;
            continue;
        }
        if (*at == 's')
            bad->skipped[shard]++;
        else
            bad->kept++;
        at = line_end + 1;
    }
}

static stk_status remove_notes(noted *n, char *const *shard_paths, size_t count,
                               const stk_filesystem *fs, stk_error *err)
{
    for (size_t i = 0; i < count; i++) {
        stk_file_info info;
        STK_TRY(name_note(&n->path, shard_paths[i], err));
        const char      *path = (const char *)n->path.data;
        const stk_status st = stk_path_info(fs, path, &info, err);
        if (st == STK_E_NOTFOUND) continue;
        if (st) return st;
        STK_TRY(stk_path_remove(fs, path, err));
    }
    return STK_OK;
}

static stk_status gather(noted *n, stk_pack_bad *bad, const char *folder, char *const *shard_paths,
                         size_t count, const stk_filesystem *fs, stk_error *err)
{
    STK_TRY(read_all(n, folder, shard_paths, count, fs, err));
    if (!n->text.size) return STK_OK;
    count_lines(n, bad, shard_paths, count);
    STK_TRY(stk_path_join(&n->path, folder, STK_BAD_ITEMS_FILE, err));
    if (!n->listed)
        STK_TRY(write_file((const char *)n->path.data, stk_blob_bytes(&n->text), fs, err));
    return remove_notes(n, shard_paths, count, fs, err);
}

stk_status stk_pack_bad_gather(stk_pack_bad *bad, const char *folder, char *const *shard_paths,
                               size_t count, const stk_pack_options *options, stk_error *err)
{
    noted n;
    init(&n, options);
    const stk_status st = gather(&n, bad, folder, shard_paths, count, options->filesystem, err);
    release(&n);
    return st;
}
