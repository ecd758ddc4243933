/* Archive members as samples. */
#include "storage/source/webdataset.h"

#include "storage/file/paths.h"

#include <string.h>

/* Characters of name up to the first dot of its last component. */
static size_t key_length(const char *name)
{
    const char *base = stk_path_base(name);
    return (size_t)(base - name) + strcspn(base, ".");
}

static const char *suffix_of(const char *name)
{
    const char *rest = name + key_length(name);
    return *rest ? rest + 1 : rest;
}

static bool same_sample(const stk_tar_entry *a, const stk_tar_entry *b)
{
    const size_t length = key_length(a->name);
    return a->archive == b->archive && length == key_length(b->name) &&
           !memcmp(a->name, b->name, length);
}

/* "seg.png" is a field of its own; only a plain image extension is the image. */
static bool is_plain_image(const char *name)
{
    return !strchr(suffix_of(name), '.') && stk_path_is_image(name);
}

bool stk_webdataset_is(const stk_tar_entry *entries, size_t count)
{
    bool images = false;
    for (size_t i = 0; i < count; i++) {
        /* The same member twice is no sample of two members. */
        if (i && same_sample(&entries[i - 1], &entries[i]) &&
            strcmp(entries[i - 1].name, entries[i].name) != 0)
            return true;
        images |= is_plain_image(entries[i].name);
    }
    return !images;
}

static stk_status find_field(stk_webdataset *web, const char *name, const char *member,
                             const char *path, uint32_t *field, stk_error *err)
{
    for (size_t i = 0; i < web->count; i++)
        if (!strcmp(web->names[i], name)) {
            *field = (uint32_t)i;
            return STK_OK;
        }
    if (web->count == STK_WEBDATASET_FIELDS)
        return stk_fail(err, STK_E_LIMIT, "tar", path,
                        "'%s': more than %d kinds of members; the rest of the name after the first "
                        "dot is the kind",
                        member, (int)STK_WEBDATASET_FIELDS);
    *field = (uint32_t)web->count;
    strcpy(web->names[web->count++], name);
    return STK_OK;
}

/* The field that a member is, by the rest of its name. taken says whether the sample has an image
 * already: a second one is a field by its extension. */
static stk_status name_field(stk_webdataset *web, stk_tar_entry *entry, bool taken,
                             const char *path, stk_error *err)
{
    char        text[sizeof web->names[0]];
    const char *suffix = suffix_of(entry->name);
    if (!*suffix || strlen(suffix) >= sizeof text)
        return stk_fail(err, STK_E_FORMAT, "tar", path,
                        "'%s': what follows the first dot names the field, and has to be 1 to %d "
                        "characters long",
                        entry->name, (int)sizeof text - 1);
    for (size_t i = 0; i <= strlen(suffix); i++)
        text[i] = stk_path_lower(suffix[i]);
    const bool image = !taken && is_plain_image(entry->name);
    STK_TRY(find_field(web, image ? "image" : text, entry->name, path, &entry->field, err));
    if (image) web->image = (int)entry->field;
    if (!strcmp(text, "cls")) web->cls = (int)entry->field;
    return STK_OK;
}

/* Adds the sample that begins at entries[first]; *next is where the following one begins. */
static stk_status add_sample(stk_webdataset *web, stk_tar_entry *entries, size_t first,
                             size_t count, uint32_t record, stk_blob *samples, const char *path,
                             size_t *next, stk_error *err)
{
    bool     image = false;
    uint64_t seen = 0;
    size_t   end = first;
    uint64_t bytes = 0;
    do {
        STK_TRY(name_field(web, &entries[end], image, path, err));
        image |= (int)entries[end].field == web->image;
        if (seen >> entries[end].field & 1)
            return stk_fail(err, STK_E_FORMAT, "tar", path,
                            "'%s': the sample has two members of this kind", entries[end].name);
        seen |= (uint64_t)1 << entries[end].field;
        bytes += entries[end].bytes;
        end++;
    } while (end < count && same_sample(&entries[first], &entries[end]));
    const stk_tar_sample sample = {.at = {entries[first].name, -1, 0},
                                   .bytes = bytes,
                                   .first = (uint32_t)first,
                                   .count = (uint32_t)(end - first),
                                   .archive = entries[first].archive,
                                   .record = record};
    *next = end;
    return stk_blob_append(samples, &sample, sizeof sample, err);
}

static stk_status check_fields(const stk_webdataset *web, const stk_tar_entry *entries,
                               const stk_blob *samples, const char *path, stk_error *err)
{
    const stk_tar_sample *all = (const stk_tar_sample *)(const void *)samples->data;
    for (size_t i = 0; i < samples->size / sizeof *all; i++) {
        uint64_t seen = 0;
        size_t   missing = 0;
        if (all[i].count == web->count) continue; /* no field twice, so all are there */
        for (uint32_t j = 0; j < all[i].count; j++)
            seen |= (uint64_t)1 << entries[all[i].first + j].field;
        while (seen >> missing & 1)
            missing++;
        return stk_fail(err, STK_E_FORMAT, "tar", path,
                        "the sample '%.*s' has no '%s', but others have; all samples need the same "
                        "members",
                        (int)key_length(all[i].at.path), all[i].at.path, web->names[missing]);
    }
    return STK_OK;
}

stk_status stk_webdataset_group(stk_webdataset *web, stk_tar_entry *entries, size_t count,
                                stk_blob *samples, const char *path, stk_error *err)
{
    uint32_t record = 0;
    *web = (stk_webdataset){.image = -1, .cls = -1};
    for (size_t i = 0, next = 0; i < count; i = next) {
        if (i && entries[i].archive != entries[i - 1].archive) record = 0;
        STK_TRY(add_sample(web, entries, i, count, record++, samples, path, &next, err));
    }
    return check_fields(web, entries, samples, path, err);
}
