/* The table of importers, finding out which one a path is for, and what all sources share. */
#include "storage/source/source_internal.h"

#include "storage/file/paths.h"
#include "storage/source/inside.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One line per importer, in display order. */
#define IMPORTERS(X)                                                                               \
    X(folder, "images in folders, one folder per class, below train/ test/ val/ where there are "  \
              "splits")                                                                            \
    X(csv, "a table whose rows name images, labels and splits, or are samples themselves")         \
    X(idx, "MNIST's IDX files, plain or gzip: a folder of images and labels, or one file")         \
    X(cifar, "CIFAR-10 or CIFAR-100 in binary form: a folder of .bin files")                       \
    X(tar, "tar archives: WebDataset's, or images in class folders; plain or gzip")                \
    X(tfrecord, "TFRecord files of Examples: one, a folder, a pattern, or a TFDS data set")

#define DECLARE(name, description) extern const stk_importer stk_importer_##name;
IMPORTERS(DECLARE)

#define DESCRIBE(name, description) {#name, description},
static const stk_source_kind kinds[] = {IMPORTERS(DESCRIBE)};

#define POINT_AT(name, description) &stk_importer_##name,
static const stk_importer *const importers[] = {IMPORTERS(POINT_AT)};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

const stk_source_kind *stk_source_kinds(size_t *count)
{
    *count = KINDS;
    return kinds;
}

/* All kinds whose flag is set, for messages: "folder, tar". */
static const char *list_kinds(const bool *wanted, char *text, size_t capacity)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < KINDS; i++) {
        if (wanted && !wanted[i]) continue;
        const int wrote =
            snprintf(text + used, capacity - used, "%s%s", used ? ", " : "", kinds[i].name);
        if (wrote < 0 || (size_t)wrote >= capacity - used) break;
        used += (size_t)wrote;
    }
    return text;
}

static stk_status find_named(const char *name, size_t *kind, stk_error *err)
{
    char text[256];
    for (*kind = 0; *kind < KINDS; ++*kind)
        if (!strcmp(kinds[*kind].name, name)) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "source", name, "is no kind of source; there are: %s",
                    list_kinds(NULL, text, sizeof text));
}

typedef struct folder_claims {
    bool by[KINDS];
} folder_claims;

static stk_status claim_entry(void *context, const char *name, const stk_file_info *info,
                              stk_error *err)
{
    folder_claims *claims = context;
    (void)err;
    if (name[0] == '.') return STK_OK;
    for (size_t i = 0; i < KINDS; i++)
        if (!claims->by[i] && importers[i]->claims_entry)
            claims->by[i] = importers[i]->claims_entry(name, info->kind);
    return STK_OK;
}

/* A folder that several kinds could be made of is not guessed at: the wrong guess would pack the
 * wrong data without a word. */
static stk_status find_for_folder(const stk_filesystem *fs, const char *path, size_t *kind,
                                  stk_error *err)
{
    folder_claims claims = {0};
    size_t        claimed = 0;
    char          text[256];
    STK_TRY(stk_path_list(fs, path, STK_LIST_KINDS, claim_entry, &claims, err));
    *kind = 0; /* nothing claimed: the image folder says best what is missing */
    for (size_t i = KINDS; i-- > 0;)
        if (claims.by[i]) {
            *kind = i;
            claimed++;
        }
    if (claimed < 2) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "source", path,
                    "the folder could be read as any of: %s; say which kind it is",
                    list_kinds(claims.by, text, sizeof text));
}

/* Forms in which data is often handed on, but which cannot be read in any order. */
static const char *find_packing(stk_bytes head)
{
    static const struct {
        const char *magic, *name;
    } known[] = {{"\xfd"
                  "7zXZ",
                  "xz"},
                 {"BZh", "bzip2"},
                 {"\x28\xb5\x2f\xfd", "zstd"},
                 {"PK\3\4", "zip"},
                 {"7z\xbc\xaf", "7z"},
                 {"Rar!", "rar"},
                 {"\x1f\x8b", "gzip"}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        const size_t length = strlen(known[i].magic);
        if (head.size >= length && !memcmp(head.data, known[i].magic, length)) return known[i].name;
    }
    return NULL;
}

static stk_status find_for_file(const stk_filesystem *fs, const char *path, size_t *kind,
                                stk_error *err)
{
    uint8_t   head[STK_SOURCE_HEAD];
    char      text[256];
    size_t    got;
    stk_file *file;
    bool      tried[KINDS];
    STK_TRY(stk_file_open(&file, fs, path, STK_ACCESS_RANDOM, err));
    const stk_status st = stk_file_read_at(file, head, sizeof head, 0, &got, err);
    stk_file_close(file);
    if (st) return st;
    for (*kind = 0; *kind < KINDS; ++*kind) {
        const stk_importer *importer = importers[*kind];
        tried[*kind] = importer->claims_file != NULL;
        if (tried[*kind] && importer->claims_file(stk_path_base(path), stk_bytes_of(head, got)))
            return STK_OK;
    }
    const char *packing = find_packing(stk_bytes_of(head, got));
    if (packing)
        return stk_fail(err, STK_E_UNSUPPORTED, "source", path,
                        "is packed as %s, which is not read here; unpack it first", packing);
    return stk_fail(err, STK_E_FORMAT, "source", path,
                    "neither its name nor its first %zu bytes are those of a known file; tried: %s",
                    got, list_kinds(tried, text, sizeof text));
}

static size_t find_for_pattern(void)
{
    size_t kind = 0;
    while (kind < KINDS && !importers[kind]->patterns)
        kind++;
    return kind;
}

/* Which kind path is, and what the file system says of it. */
static stk_status find_kind(const stk_filesystem *fs, const char *path, const char *wanted,
                            size_t *kind, stk_file_info *info, stk_error *err)
{
    const stk_status st = stk_path_info(fs, path, info, err);
    const bool       pattern = st == STK_E_NOTFOUND && stk_path_is_pattern(stk_path_base(path)) &&
                         find_for_pattern() < KINDS;
    if (st && !pattern) return st;
    if (pattern) *info = (stk_file_info){.kind = STK_FILE_OTHER};
    if (wanted) return find_named(wanted, kind, err);
    if (pattern) {
        *kind = find_for_pattern();
        return STK_OK;
    }
    if (info->kind == STK_FILE_DIRECTORY) return find_for_folder(fs, path, kind, err);
    return find_for_file(fs, path, kind, err);
}

static stk_status refuse_form(const stk_source *source, stk_error *err)
{
    const stk_importer *importer = source->importer;
    const bool          folder = source->info.kind == STK_FILE_DIRECTORY;
    if (folder ? importer->claims_entry != NULL : importer->claims_file != NULL) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "source", source->path,
                    "is a %s, but a source of kind %s is a %s", folder ? "folder" : "file",
                    source->kind, folder ? "file" : "folder");
}

/* Kinds with all files in one folder are read completely: nothing to skip. */
static stk_status check_flat(stk_source *source, stk_error *err)
{
    if (source->info.kind != STK_FILE_DIRECTORY || source->importer->walks) return STK_OK;
    if (!source->follow_outside)
        return stk_inside_check(source->fs, source->path, source->arena.ledger, err);
    char example[256];
    STK_TRY(stk_inside_count(source->fs, source->path, source->arena.ledger, &source->followed,
                             example, sizeof example, err));
    if (!source->followed) return STK_OK;
    return stk_source_note(source, err, STK_OUTSIDE_NOTE, source->followed, example);
}

static stk_status open_source(stk_source *source, const char *path, stk_error *err)
{
    source->path = stk_arena_text(&source->arena, path, strlen(path), err);
    if (!source->path) return err->status;
    STK_TRY(refuse_form(source, err));
    STK_TRY(check_flat(source, err));
    STK_TRY(source->importer->open(source, err));
    if (!source->count)
        return stk_fail(err, STK_E_NOTFOUND, "source", path, "there are no items in it");
    STK_TRY(stk_source_check_names(source, err));
    stk_source_hash_names(source);
    return STK_OK;
}

stk_status stk_source_open(stk_source **out, const stk_filesystem *fs, const char *path,
                           const stk_source_options *options, stk_error *err)
{
    static const stk_source_options defaults;
    stk_error                       unasked;
    stk_file_info                   info;
    size_t                          kind;
    *out = NULL;
    if (!options) options = &defaults;
    if (!err) err = &unasked; /* so that helpers may pass on the status it holds */
    STK_TRY(find_kind(fs, path, options->kind, &kind, &info, err));
    stk_source *source = calloc(1, importers[kind]->source_bytes);
    if (!source) return stk_fail(err, STK_E_NOMEM, "source", path, "no memory for a source");
    atomic_init(&source->references, 1);
    source->importer = importers[kind];
    source->kind = kinds[kind].name;
    source->fs = fs;
    source->cancel = options->cancel;
    source->skip_bad = options->skip_bad;
    source->follow_outside = options->follow_outside;
    source->info = info;
    stk_arena_init(&source->arena, options->ledger, STK_MEMORY_INDEX);
    stk_blob_init(&source->left_out.items, options->ledger, STK_MEMORY_INDEX);
    stk_blob_init(&source->notes, options->ledger, STK_MEMORY_INDEX);
    const stk_status st = open_source(source, path, err);
    source->cancel = NULL;
    if (st) {
        stk_source_free(source);
        return st;
    }
    *out = source;
    return STK_OK;
}

stk_source *stk_source_ref(stk_source *source)
{
    atomic_fetch_add_explicit(&source->references, 1, memory_order_relaxed);
    return source;
}

void stk_source_free(stk_source *source)
{
    if (!source || atomic_fetch_sub_explicit(&source->references, 1, memory_order_acq_rel) > 1)
        return;
    if (source->importer->close) source->importer->close(source);
    stk_blob_release(&source->left_out.items);
    stk_arena_release(&source->arena);
    stk_blob_release(&source->notes);
    free(source);
}

bool stk_source_is_image_name(const char *name)
{
    return stk_path_is_image(name);
}

const stk_source_left_out *stk_source_left_outs(const stk_source *source, size_t *count)
{
    *count = source->left_out.items.size / sizeof(stk_source_left_out);
    return (const stk_source_left_out *)(const void *)source->left_out.items.data;
}

const char *stk_source_kind_name(const stk_source *source)
{
    return source->kind;
}

uint64_t stk_source_count(const stk_source *source)
{
    return source->count;
}

void stk_source_item_at(const stk_source *source, uint64_t index, stk_source_item *item)
{
    source->importer->item(source, index, item);
}

size_t stk_source_split_count(const stk_source *source)
{
    return source->split_count;
}

const char *stk_source_split_name(const stk_source *source, size_t split)
{
    return source->splits[split];
}

const stk_feature_info *stk_source_features(const stk_source *source, size_t *count)
{
    *count = source->feature_count;
    return source->features;
}
