/* Real folders hold more than the data: a folder of images to try a model on beside train/ and
 * test/, a test set without labels, a title image. Refusing everything would not help, and silently
 * taking it for classes would be wrong: it is skipped and reported. */
#include "storage/source/stray.h"

#include "storage/file/split_name.h"

#include <string.h>

enum { FEW = 10 /* one of so many may be loose */, FOLDERS_MAX = 16 };

typedef struct listing {
    stk_source *source;
    char       *items;
    size_t      item_bytes, count, skip;
    const char *split; /* of the current predicate */
    size_t      split_length;
} listing;

typedef bool (*predicate)(const listing *l, const char *path);

static const char *path_at(const listing *l, size_t index)
{
    return ((const stk_path_class *)(l->items + index * l->item_bytes))->path + l->skip;
}

static size_t folder_length(const char *path)
{
    const char *slash = strchr(path, '/');
    return slash ? (size_t)(slash - path) : 0;
}

static bool is_below_split(const char *path)
{
    const size_t length = folder_length(path);
    return length && stk_path_is_split(path, length);
}

/* train/cat/1.jpg */
static bool has_split_and_class(const char *path)
{
    return is_below_split(path) && strchr(path + folder_length(path) + 1, '/');
}

static bool is_beside_splits(const listing *l, const char *path)
{
    (void)l;
    return !is_below_split(path);
}

static bool is_of_split(const listing *l, const char *path)
{
    return folder_length(path) == l->split_length && !memcmp(path, l->split, l->split_length);
}

static bool is_loose(const listing *l, const char *path)
{
    (void)l;
    return !folder_length(path);
}

static bool is_loose_in_split(const listing *l, const char *path)
{
    (void)l;
    return is_below_split(path) && !has_split_and_class(path);
}

static size_t count_of(const listing *l, predicate is)
{
    size_t found = 0;
    for (size_t i = 0; i < l->count; i++)
        found += is(l, path_at(l, i));
    return found;
}

/* Keeps the order of the rest. Returns the first path that went. */
static const char *take_out(listing *l, predicate is)
{
    const char *first = NULL;
    size_t      kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const char *path = path_at(l, i);
        if (is(l, path)) {
            if (!first) first = path;
            continue;
        }
        if (kept != i)
            memcpy(l->items + kept * l->item_bytes, l->items + i * l->item_bytes, l->item_bytes);
        kept++;
    }
    l->count = kept;
    return first;
}

/* A path of each folder that is a split; their number. */
static size_t list_splits(const listing *l, const char *names[FOLDERS_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < l->count && count < FOLDERS_MAX; i++) {
        const char *path = path_at(l, i);
        size_t      k = 0;
        if (!is_below_split(path)) continue;
        while (k < count && (folder_length(names[k]) != folder_length(path) ||
                             memcmp(names[k], path, folder_length(path)) != 0))
            k++;
        if (k == count) names[count++] = path;
    }
    return count;
}

static stk_status leave_beside_splits(listing *l, size_t with_classes, stk_error *err)
{
    const size_t beside = count_of(l, is_beside_splits);
    if (with_classes < 2 || !beside || 2 * beside >= l->count) return STK_OK;
    const char *first = take_out(l, is_beside_splits);
    return stk_source_note(l->source, err,
                           "%zu image%s beside the splits %s left out, such as %s: by its name its "
                           "folder is no split",
                           beside, beside == 1 ? "" : "s", beside == 1 ? "is" : "are", first);
}

static bool has_classes(listing *l, const char *split)
{
    l->split = split;
    l->split_length = folder_length(split);
    for (size_t i = 0; i < l->count; i++)
        if (is_of_split(l, path_at(l, i)) && has_split_and_class(path_at(l, i))) return true;
    return false;
}

static stk_status leave_unlabelled(listing *l, const char *const *splits, size_t count,
                                   stk_error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (has_classes(l, splits[i]) ||
            stk_split_role_of(l->split, l->split_length) == STK_SPLIT_TRAIN)
            continue;
        const size_t removed = count_of(l, is_of_split);
        (void)take_out(l, is_of_split);
        STK_TRY(stk_source_note(l->source, err,
                                "the split %.*s has no folders of classes, so its %zu image%s no "
                                "labels and %s left out",
                                (int)l->split_length, l->split, removed,
                                removed == 1 ? " has" : "s have", removed == 1 ? "is" : "are"));
    }
    return STK_OK;
}

static stk_status leave_loose(listing *l, predicate is, stk_error *err)
{
    const size_t loose = count_of(l, is);
    if (!loose || FEW * loose > l->count) return STK_OK;
    const char *first = take_out(l, is);
    return stk_source_note(l->source, err,
                           "%zu image%s beside the folders of classes %s left out, such as %s",
                           loose, loose == 1 ? "" : "s", loose == 1 ? "is" : "are", first);
}

static size_t count_with_classes(listing *l, const char *const *splits, size_t count)
{
    size_t with = 0;
    for (size_t i = 0; i < count; i++)
        with += has_classes(l, splits[i]);
    return with;
}

stk_status stk_strays_leave_out(stk_source *source, void *items, size_t item_bytes, size_t *count,
                                size_t skip, stk_error *err)
{
    listing l = {
        .source = source, .items = items, .item_bytes = item_bytes, .count = *count, .skip = skip};
    const char  *splits[FOLDERS_MAX];
    const size_t split_count = list_splits(&l, splits);
    const size_t with_classes = count_with_classes(&l, splits, split_count);
    STK_TRY(leave_beside_splits(&l, with_classes, err));
    const bool all_splits = with_classes && count_of(&l, is_beside_splits) == 0;
    if (all_splits) STK_TRY(leave_unlabelled(&l, splits, split_count, err));
    STK_TRY(leave_loose(&l, all_splits ? is_loose_in_split : is_loose, err));
    *count = l.count;
    return STK_OK;
}
