/* Tar archives: samples of several members each (WebDataset), or images in class folders. */
#include "base/hash.h"
#include "storage/file/paths.h"
#include "storage/file/split_name.h"
#include "storage/source/class_path.h"
#include "storage/source/source_internal.h"
#include "storage/source/tar.h"
#include "storage/source/webdataset.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANCEL_EVERY = 256, LABEL_TEXT = 32, CLASSES_MAX = 65536 };

typedef struct archive {
    const char *name; /* relative to the source */
    char       *path;
    stk_tar     tar;
} archive;

typedef struct tar_source {
    stk_source     source;
    stk_blob       archives; /* archive[] */
    stk_blob       entries;  /* stk_tar_entry[] */
    stk_blob       samples;  /* stk_tar_sample[] */
    stk_webdataset web;
    bool           grouped; /* as WebDataset; else each sample is one image */
    /* The sample's fields: -1 where there is none. */
    int image_field, label_field, name_field;
    int field_of[STK_WEBDATASET_FIELDS]; /* grouped: of each kind of member */
} tar_source;

static bool is_tar_name(const char *name)
{
    return stk_path_ends_in(name, ".tar") || stk_path_ends_in(name, ".tar.gz") ||
           stk_path_ends_in(name, ".tgz");
}

static bool claims_entry(const char *name, stk_file_kind kind)
{
    return kind == STK_FILE_REGULAR && is_tar_name(name);
}

static bool claims_file(const char *name, stk_bytes head)
{
    return is_tar_name(name) || stk_tar_is(head);
}

static archive *archives_of(const tar_source *tar, size_t *count)
{
    if (count) *count = tar->archives.size / sizeof(archive);
    return (archive *)(void *)tar->archives.data;
}

static stk_tar_entry *entries_of(const tar_source *tar, size_t *count)
{
    if (count) *count = tar->entries.size / sizeof(stk_tar_entry);
    return (stk_tar_entry *)(void *)tar->entries.data;
}

static stk_tar_sample *sample_at(const tar_source *tar, uint64_t index)
{
    return (stk_tar_sample *)(void *)tar->samples.data + index;
}

static stk_status add_archive(tar_source *tar, const char *folder, const char *name, stk_error *err)
{
    stk_source  *source = &tar->source;
    const size_t bytes = strlen(folder) + strlen(name) + 2;
    archive      found = {.name = stk_arena_text(&source->arena, name, strlen(name), err),
                          .path = stk_arena_alloc(&source->arena, bytes, err)};
    if (!found.name || !found.path) return err->status;
    snprintf(found.path, bytes, "%s%s%s", folder, *folder ? "/" : "", name);
    return stk_blob_append(&tar->archives, &found, sizeof found, err);
}

static stk_status take_entry(void *context, const char *name, const stk_file_info *info,
                             stk_error *err)
{
    tar_source *tar = context;
    if (name[0] == '.' || info->kind != STK_FILE_REGULAR || !is_tar_name(name)) return STK_OK;
    return add_archive(tar, tar->source.path, name, err);
}

static int compare_archives(const void *a, const void *b)
{
    return strcmp(((const archive *)a)->name, ((const archive *)b)->name);
}

static stk_status find_archives(tar_source *tar, stk_error *err)
{
    stk_source *source = &tar->source;
    size_t      count;
    if (source->info.kind != STK_FILE_DIRECTORY) {
        STK_TRY(add_archive(tar, "", source->path, err));
        archives_of(tar, NULL)->name = stk_path_base(source->path);
        return STK_OK;
    }
    STK_TRY(stk_path_list(source->fs, source->path, STK_LIST_KINDS, take_entry, tar, err));
    archive *all = archives_of(tar, &count);
    if (!count)
        return stk_fail(err, STK_E_NOTFOUND, "tar", source->path,
                        "no archives here: looked for .tar, .tar.gz and .tgz");
    qsort(all, count, sizeof *all, compare_archives);
    return STK_OK;
}

/* A link has no content here: passing over it would lose an item without a word. Links among other
 * files (a README) lose none. */
static stk_status refuse_link(const tar_source *tar, const stk_tar_member *member, uint32_t number,
                              stk_error *err)
{
    if (!member->hard && !stk_path_is_image(member->name)) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "tar", archives_of(tar, NULL)[number].path,
                    "'%.120s' is a link, so that its content is not in the archive under this "
                    "name; make the archive with %s",
                    member->name, member->hard ? "--hard-dereference" : "--dereference");
}

static stk_status leave_out(tar_source *tar, stk_left_out_reason reason, const char *name,
                            stk_error *err)
{
    return stk_left_out_add(&tar->source.left_out, &tar->source.arena, reason, "", name, err);
}

/* Names are kept as relative ones, without a leading "./" or "/"; hidden files, such as those of
 * macOS, are no data. */
static stk_status add_entry(tar_source *tar, const stk_tar_member *member, uint32_t number,
                            stk_error *err)
{
    const char *name = member->name;
    while (*name == '/' || !strncmp(name, "./", 2))
        name += *name == '/' ? 1 : 2;
    if (!*stk_path_base(name)) return STK_OK;
    if (stk_path_base(name)[0] == '.') return leave_out(tar, STK_LEFT_OUT_HIDDEN, name, err);
    if (member->link) return refuse_link(tar, member, number, err);
    const char *copy = stk_arena_text(&tar->source.arena, name, strlen(name), err);
    if (!copy) return err->status;
    if (tar->entries.size / sizeof(stk_tar_entry) >= UINT32_MAX)
        return stk_fail(err, STK_E_LIMIT, "tar", tar->source.path, "more than %u members",
                        UINT32_MAX);
    const stk_tar_entry entry = {copy, member->offset, member->bytes, number, 0};
    return stk_blob_append(&tar->entries, &entry, sizeof entry, err);
}

static stk_status list_members(tar_source *tar, uint32_t number, stk_error *err)
{
    stk_source    *source = &tar->source;
    archive       *a = archives_of(tar, NULL) + number;
    stk_tar_iter   walk;
    stk_tar_member member = {.name = ""};
    STK_TRY(stk_tar_open(&a->tar, source->fs, a->path, source->arena.ledger, err));
    stk_tar_iter_init(&walk, &a->tar, source->arena.ledger);
    stk_status st = STK_OK;
    for (uint64_t i = 0; !st && member.name; i++) {
        if (i % CANCEL_EVERY == 0) st = stk_cancel_check(source->cancel, "source", err);
        if (!st) st = stk_tar_iter_next(&walk, &member, err);
        if (!st && member.name) st = add_entry(tar, &member, number, err);
    }
    stk_tar_iter_release(&walk);
    return st;
}

static uint64_t hash_name(const stk_tar_entry *entry)
{
    return stk_hash64(entry->archive, entry->name, strlen(entry->name));
}

static int compare_hashes(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Whether the names with this hash are one name, or only look alike. */
static stk_status refuse_name(const tar_source *tar, uint64_t hash, stk_error *err)
{
    size_t               count;
    const stk_tar_entry *entries = entries_of(tar, &count), *first = NULL;
    for (size_t i = 0; i < count; i++) {
        if (hash_name(&entries[i]) != hash) continue;
        if (first && !strcmp(first->name, entries[i].name))
            return stk_fail(err, STK_E_FORMAT, "tar",
                            archives_of(tar, NULL)[entries[i].archive].path,
                            "'%.150s' is in the archive twice, and only the last would be left of "
                            "them by unpacking it; unpack it and take the folder",
                            entries[i].name);
        if (!first) first = &entries[i];
    }
    return STK_OK;
}

/* Entries added by `tar -r` and `tar -u` replace earlier ones, so only one is packed. Hashes are
 * sorted instead of names, since there may be millions. */
static stk_status check_names(const tar_source *tar, stk_error *err)
{
    size_t               count;
    const stk_tar_entry *entries = entries_of(tar, &count);
    stk_blob             scratch;
    stk_blob_init(&scratch, tar->source.arena.ledger, STK_MEMORY_INDEX);
    stk_status st = stk_blob_reserve(&scratch, count * sizeof(uint64_t), err);
    uint64_t  *hashes = (uint64_t *)(void *)scratch.data;
    for (size_t i = 0; !st && i < count; i++)
        hashes[i] = hash_name(&entries[i]);
    if (!st && count) qsort(hashes, count, sizeof *hashes, compare_hashes);
    for (size_t i = 1; !st && i < count; i++)
        if (hashes[i] == hashes[i - 1]) st = refuse_name(tar, hashes[i], err);
    stk_blob_release(&scratch);
    return st;
}

/* Without WebDataset's naming every image is a sample, and other files are skipped. */
static stk_status list_images(tar_source *tar, stk_error *err)
{
    size_t               count;
    const stk_tar_entry *entries = entries_of(tar, &count);
    uint32_t             record = 0;
    for (size_t i = 0; i < count; i++) {
        if (i && entries[i].archive != entries[i - 1].archive) record = 0;
        if (!stk_path_is_image(entries[i].name)) {
            STK_TRY(leave_out(tar, stk_left_out_reason_of(entries[i].name), entries[i].name, err));
            continue;
        }
        const stk_tar_sample sample = {.at = {entries[i].name, -1, 0},
                                       .bytes = entries[i].bytes,
                                       .first = (uint32_t)i,
                                       .count = 1,
                                       .archive = entries[i].archive,
                                       .record = record++};
        STK_TRY(stk_blob_append(&tar->samples, &sample, sizeof sample, err));
    }
    return STK_OK;
}

/* The split that an archive's name gives: the first of its words that is one. */
static const char *split_word(const char *name, size_t *length)
{
    for (const char *word = name; *word; word += *length + (word[*length] != '\0')) {
        *length = strcspn(word, "-_.");
        if (stk_path_is_split(word, *length)) return word;
    }
    *length = 0;
    return NULL;
}

static size_t find_split(char *const *names, size_t count, const char *word, size_t length)
{
    size_t i = 0;
    while (i < count && (strlen(names[i]) != length || memcmp(names[i], word, length)))
        i++;
    return i;
}

/* Splits by the archives' names if each gives one; else all is "train". */
static stk_status split_by_archive(tar_source *tar, stk_error *err)
{
    static const char *const only[] = {"train"};
    stk_source              *source = &tar->source;
    size_t                   count, length;
    const archive           *archives = archives_of(tar, &count);
    for (size_t i = 0; i < count; i++)
        if (!split_word(archives[i].name, &length))
            return stk_source_set_splits(source, only, 1, err);
    source->splits = stk_arena_array(&source->arena, count, sizeof *source->splits, err);
    if (!source->splits) return err->status;
    for (size_t i = 0; i < count; i++) {
        const char *word = split_word(archives[i].name, &length);
        if (find_split(source->splits, source->split_count, word, length) < source->split_count)
            continue;
        char *copy = stk_arena_text(&source->arena, word, length, err);
        if (!copy) return err->status;
        source->splits[source->split_count++] = copy;
    }
    for (uint64_t i = 0; i < source->count; i++) {
        const char *word = split_word(archives[sample_at(tar, i)->archive].name, &length);
        sample_at(tar, i)->at.split =
            (uint32_t)find_split(source->splits, source->split_count, word, length);
    }
    return STK_OK;
}

static const stk_tar_entry *member_of(const tar_source *tar, const stk_tar_sample *sample, int kind)
{
    const stk_tar_entry *entries = entries_of(tar, NULL) + sample->first;
    if (!tar->grouped) return entries;
    for (uint32_t i = 0; i < sample->count; i++)
        if ((int)entries[i].field == kind) return &entries[i];
    return NULL; /* not reached: every sample has every field */
}

/* A .cls member: one integer in ASCII. */
static stk_status read_label(const tar_source *tar, stk_tar_sample *sample, stk_error *err)
{
    const stk_tar_entry *entry = member_of(tar, sample, tar->web.cls);
    const archive       *a = archives_of(tar, NULL) + entry->archive;
    char                 text[LABEL_TEXT + 1] = "", *end;
    const size_t         bytes = entry->bytes < LABEL_TEXT ? (size_t)entry->bytes : LABEL_TEXT;
    STK_TRY(stk_tar_read(&a->tar, entry->offset, text, bytes, err));
    const long long label = strtoll(text, &end, 10);
    const bool      number = end != text && !end[strspn(end, " \t\r\n")];
    if (entry->bytes > LABEL_TEXT || !number || label < 0 || label > INT32_MAX)
        return stk_fail(err, STK_E_FORMAT, "tar", a->path, "'%s' holds '%.*s', not a class number",
                        entry->name, (int)strcspn(text, "\r\n"), text);
    sample->at.label = (int32_t)label;
    return STK_OK;
}

static stk_status read_labels(tar_source *tar, stk_feature_info *label, stk_error *err)
{
    int32_t largest = 0;
    for (uint64_t i = 0; i < tar->source.count; i++) {
        stk_tar_sample *sample = sample_at(tar, i);
        if (i % CANCEL_EVERY == 0) STK_TRY(stk_cancel_check(tar->source.cancel, "source", err));
        STK_TRY(read_label(tar, sample, err));
        if (sample->at.label > largest) largest = sample->at.label;
    }
    if (largest >= CLASSES_MAX) return STK_OK; /* numbers, but hardly classes with names */
    return stk_source_number_classes(&tar->source, label, (size_t)largest + 1, err);
}

static const char *common_encoding(const tar_source *tar)
{
    const char *encoding = NULL;
    for (uint64_t i = 0; i < tar->source.count; i++) {
        const char *name = member_of(tar, sample_at(tar, i), tar->web.image)->name;
        const char *here = stk_path_image_encoding(name);
        if (encoding && strcmp(encoding, here)) return "";
        encoding = here;
    }
    return encoding ? encoding : "";
}

static stk_status add_image(tar_source *tar, stk_error *err)
{
    stk_source       *source = &tar->source;
    stk_feature_info *image;
    tar->image_field = (int)source->feature_count;
    STK_TRY(
        stk_source_add_feature(source, "image", STK_MEANING_IMAGE, STK_DTYPE_BYTES, &image, err));
    strcpy(image->encoding, common_encoding(tar));
    return STK_OK;
}

static stk_status add_label(tar_source *tar, stk_feature_info **label, stk_error *err)
{
    tar->label_field = (int)tar->source.feature_count;
    return stk_source_add_feature(&tar->source, "label", STK_MEANING_LABEL, STK_DTYPE_I64, label,
                                  err);
}

static stk_status add_name(tar_source *tar, stk_error *err)
{
    tar->name_field = (int)tar->source.feature_count;
    return stk_source_add_feature(&tar->source, "image/filename", STK_MEANING_TEXT, STK_DTYPE_BYTES,
                                  NULL, err);
}

static stk_status describe_grouped(tar_source *tar, stk_error *err)
{
    stk_source       *source = &tar->source;
    stk_webdataset   *web = &tar->web;
    stk_feature_info *label;
    STK_TRY(stk_source_reserve_features(source, web->count + 1, err));
    if (web->image >= 0) STK_TRY(add_image(tar, err));
    if (web->cls >= 0) {
        STK_TRY(add_label(tar, &label, err));
        STK_TRY(read_labels(tar, label, err));
    }
    for (size_t i = 0; i < web->count; i++) {
        tar->field_of[i] = (int)i == web->image ? tar->image_field : (int)source->feature_count;
        if ((int)i == web->cls) tar->field_of[i] = -1;
        if ((int)i == web->image || (int)i == web->cls) continue;
        STK_TRY(stk_source_add_feature(source, web->names[i], STK_MEANING_TEXT, STK_DTYPE_BYTES,
                                       NULL, err));
    }
    if (web->image >= 0) STK_TRY(add_name(tar, err));
    return split_by_archive(tar, err);
}

static stk_status describe_images(tar_source *tar, stk_error *err)
{
    stk_source       *source = &tar->source;
    stk_classes       classes;
    stk_feature_info *label;
    size_t            count = (size_t)source->count;
    STK_TRY(stk_classes_from_paths(source, tar->samples.data, sizeof(stk_tar_sample), &count, true,
                                   &classes, err));
    source->count = count;
    STK_TRY(stk_source_reserve_features(source, 3, err));
    STK_TRY(add_image(tar, err));
    tar->field_of[0] = tar->image_field;
    if (classes.count) {
        STK_TRY(add_label(tar, &label, err));
        label->class_names = classes.names;
        label->class_count = classes.count;
    }
    return add_name(tar, err);
}

static stk_status make_samples(tar_source *tar, stk_error *err)
{
    size_t         count;
    stk_tar_entry *entries = entries_of(tar, &count);
    tar->grouped = stk_webdataset_is(entries, count);
    if (tar->grouped)
        return stk_webdataset_group(&tar->web, entries, count, &tar->samples, tar->source.path,
                                    err);
    STK_TRY(check_names(tar, err));
    return list_images(tar, err);
}

static stk_status open_tar(stk_source *source, stk_error *err)
{
    tar_source *tar = (tar_source *)source;
    stk_ledger *ledger = source->arena.ledger;
    size_t      count;
    stk_blob_init(&tar->archives, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&tar->entries, ledger, STK_MEMORY_INDEX);
    stk_blob_init(&tar->samples, ledger, STK_MEMORY_INDEX);
    tar->image_field = tar->label_field = tar->name_field = -1;
    STK_TRY(find_archives(tar, err));
    archives_of(tar, &count);
    for (uint32_t i = 0; i < count; i++)
        STK_TRY(list_members(tar, i, err));
    STK_TRY(make_samples(tar, err));
    source->count = tar->samples.size / sizeof(stk_tar_sample);
    if (!source->count) return STK_OK;
    return tar->grouped ? describe_grouped(tar, err) : describe_images(tar, err);
}

static void close_tar(stk_source *source)
{
    tar_source *tar = (tar_source *)source;
    size_t      count;
    archive    *all = archives_of(tar, &count);
    for (size_t i = 0; i < count; i++)
        stk_tar_close(&all[i].tar);
    stk_blob_release(&tar->archives);
    stk_blob_release(&tar->entries);
    stk_blob_release(&tar->samples);
}

static void describe_item(const stk_source *source, uint64_t index, stk_source_item *out)
{
    const tar_source     *tar = (const tar_source *)source;
    const stk_tar_sample *sample = sample_at(tar, index);
    const archive        *a = archives_of(tar, NULL) + sample->archive;
    *out = (stk_source_item){.name = a->name,
                             .record = sample->record,
                             .bytes = sample->bytes,
                             .modified_ns = a->tar.modified_ns,
                             .label = sample->at.label,
                             .split = sample->at.split};
}

/* Reads one member to dst and lets its field point there. */
static stk_status read_member(stk_source_cursor *cursor, const stk_tar_entry *entry, uint8_t *dst,
                              stk_error *err)
{
    const tar_source *tar = (const tar_source *)cursor->source;
    const archive    *a = archives_of(tar, NULL) + entry->archive;
    const int         field = tar->field_of[entry->field];
    if (field < 0) return STK_OK; /* the label, which is known */
    if (field == tar->image_field) {
        if (!entry->bytes)
            return stk_fail(err, STK_E_DATALOSS, "tar", a->path, "the image '%s' is empty",
                            entry->name);
        cursor->values[tar->name_field].bytes = stk_bytes_text(entry->name);
    }
    cursor->values[field].bytes = stk_bytes_of(dst, (size_t)entry->bytes);
    return stk_tar_read(&a->tar, entry->offset, dst, (size_t)entry->bytes, err);
}

static stk_status read_item(stk_source_cursor *cursor, uint64_t index, stk_error *err)
{
    const tar_source     *tar = (const tar_source *)cursor->source;
    const stk_tar_sample *sample = sample_at(tar, index);
    const stk_tar_entry  *entries = entries_of(tar, NULL) + sample->first;
    STK_TRY(stk_blob_reserve(&cursor->content, (size_t)sample->bytes + 1, err));
    uint8_t *dst = cursor->content.data;
    for (uint32_t i = 0; i < sample->count; dst += entries[i].bytes, i++)
        STK_TRY(read_member(cursor, &entries[i], dst, err));
    if (tar->label_field >= 0) cursor->values[tar->label_field].integer = sample->at.label;
    cursor->sample.from = (stk_sample_origin){.file = archives_of(tar, NULL)[sample->archive].path,
                                              .record = sample->record,
                                              .offset = entries[0].offset};
    return STK_OK;
}

const stk_importer stk_importer_tar = {
    .source_bytes = sizeof(tar_source),
    .cursor_bytes = sizeof(stk_source_cursor),
    .claims_entry = claims_entry,
    .claims_file = claims_file,
    .open = open_tar,
    .close = close_tar,
    .item = describe_item,
    .read = read_item,
};
