/* Classes and splits from paths. */
#include "storage/source/class_path.h"

#include "storage/file/paths.h"
#include "storage/file/split_name.h"
#include "storage/source/stray.h"

#include <stdlib.h>
#include <string.h>

typedef struct part {
    const char *text;
    size_t      length;
} part;

/* How the paths of one listing are to be read. */
typedef struct plan {
    char  *items;
    size_t item_bytes;
    size_t count;
    size_t skip;   /* characters of wrapping folders before what matters */
    bool   splits; /* the first folder is a split */
    bool   inner;  /* the folder in each class is a split: cat/train/1.jpg */
} plan;

static stk_path_class *item_at(const plan *p, size_t index)
{
    return (stk_path_class *)(p->items + index * p->item_bytes);
}

/* The first folder of path; length 0 when it lies in none. */
static part first_folder(const char *path)
{
    const char *slash = strchr(path, '/');
    return (part){path, slash ? (size_t)(slash - path) : 0};
}

static bool same(part a, part b)
{
    return a.length == b.length && !memcmp(a.text, b.text, a.length);
}

static int compare_parts(const void *left, const void *right)
{
    const part  *a = left, *b = right;
    const size_t shorter = a->length < b->length ? a->length : b->length;
    const int    order = memcmp(a->text, b->text, shorter);
    if (order) return order;
    return a->length < b->length ? -1 : a->length > b->length;
}

/* Skips single top folders that contain everything. */
static void skip_wrappers(plan *p, bool unwrap)
{
    while (p->count) {
        const part first = first_folder(item_at(p, 0)->path + p->skip);
        if (!first.length || stk_path_is_split(first.text, first.length)) return;
        bool holds_files = false;
        for (size_t i = 0; i < p->count; i++) {
            const char *path = item_at(p, i)->path + p->skip;
            if (!same(first, first_folder(path))) return;
            if (!strchr(path + first.length + 1, '/')) holds_files = true;
        }
        if (holds_files && !unwrap) return;
        p->skip += first.length + 1;
    }
}

static void find_splits(plan *p)
{
    p->splits = p->count > 0;
    for (size_t i = 0; i < p->count && p->splits; i++) {
        const part first = first_folder(item_at(p, i)->path + p->skip);
        p->splits = stk_path_is_split(first.text, first.length);
    }
}

/* The folder after the first; length 0: there is none. */
static part second_folder(const char *path)
{
    const part first = first_folder(path);
    return first.length ? first_folder(path + first.length + 1) : first;
}

static void find_inner_splits(plan *p)
{
    bool trains = false;
    p->inner = p->count > 0 && !p->splits;
    for (size_t i = 0; i < p->count && p->inner; i++) {
        const part           second = second_folder(item_at(p, i)->path + p->skip);
        const stk_split_role role = stk_split_role_of(second.text, second.length);
        p->inner = role != STK_SPLIT_OTHER;
        trains = trains || role == STK_SPLIT_TRAIN;
    }
    p->inner = p->inner && trains;
}

/* "train/cat/1.jpg" beside "extra/2.jpg": taking train and extra for classes would pack wrong
 * labels without a word. A class that is called train (of vehicles) holds its images itself. */
static stk_status refuse_half_splits(const stk_source *source, const plan *p, stk_error *err)
{
    part split = {0}, other = {0};
    for (size_t i = 0; i < p->count && !p->splits; i++) {
        const part first = first_folder(item_at(p, i)->path + p->skip);
        if (!first.length) continue;
        if (!stk_path_is_split(first.text, first.length))
            other = first;
        else if (strchr(first.text + first.length + 1, '/'))
            split = first;
    }
    if (!split.length || !other.length) return STK_OK;
    return stk_fail(err, STK_E_FORMAT, "source", source->path,
                    "'%.*s' is named as a split and holds classes, but '%.*s' beside it is not; "
                    "move it away, or take the folders one by one",
                    (int)split.length, split.text, (int)other.length, other.text);
}

static part split_of(const plan *p, size_t index)
{
    const char *path = item_at(p, index)->path + p->skip;
    return p->inner ? second_folder(path) : first_folder(path);
}

/* The path after the split's folder. Kaggle's archives repeat it, as in
 * "seg_train/seg_train/forest/1.jpg"; a class of that name contains its images directly. */
static const char *below_split(const char *path)
{
    const part           split = first_folder(path);
    const stk_split_role role = stk_split_role_of(split.text, split.length);
    const char          *below = path + split.length + 1;
    const part           again = first_folder(below);
    const bool           repeats = again.length && strchr(below + again.length + 1, '/') &&
                         stk_split_role_of(again.text, again.length) == role;
    return repeats ? below + again.length + 1 : below;
}

static part class_of(const plan *p, size_t index)
{
    const char *path = item_at(p, index)->path + p->skip;
    return first_folder(p->splits ? below_split(path) : path);
}

/* The distinct parts that get gives for all items, sorted, in parts. Neighbours mostly agree, so
 * few are kept before sorting. */
static stk_status collect(const plan *p, part (*get)(const plan *, size_t), stk_blob *parts,
                          stk_error *err)
{
    for (size_t i = 0; i < p->count; i++) {
        const part here = get(p, i);
        if (i && same(here, get(p, i - 1))) continue;
        STK_TRY(stk_blob_append(parts, &here, sizeof here, err));
    }
    part  *all = (part *)(void *)parts->data;
    size_t count = parts->size / sizeof *all, kept = 0;
    if (!count) return STK_OK;
    qsort(all, count, sizeof *all, compare_parts);
    for (size_t i = 0; i < count; i++)
        if (!kept || !same(all[kept - 1], all[i])) all[kept++] = all[i];
    parts->size = kept * sizeof *all;
    return STK_OK;
}

static size_t find_part(const stk_blob *parts, part wanted)
{
    const part *all = (const part *)(const void *)parts->data;
    const part *found =
        bsearch(&wanted, all, parts->size / sizeof *all, sizeof *all, compare_parts);
    return found ? (size_t)(found - all) : 0;
}

static stk_status copy_parts(stk_source *source, const stk_blob *parts, char ***out, size_t *count,
                             stk_error *err)
{
    const part *all = (const part *)(const void *)parts->data;
    *count = parts->size / sizeof *all;
    *out = stk_arena_array(&source->arena, *count, sizeof **out, err);
    if (!*out) return err->status;
    for (size_t i = 0; i < *count; i++) {
        (*out)[i] = stk_arena_text(&source->arena, all[i].text, all[i].length, err);
        if (!(*out)[i]) return err->status;
    }
    return STK_OK;
}

static stk_status assign_splits(stk_source *source, const plan *p, stk_blob *parts, stk_error *err)
{
    static const char *const only[] = {"train"};
    for (size_t i = 0; i < p->count; i++)
        item_at(p, i)->split = 0;
    if (!p->splits && !p->inner) return stk_source_set_splits(source, only, 1, err);
    STK_TRY(collect(p, split_of, parts, err));
    for (size_t i = 0; i < p->count; i++)
        item_at(p, i)->split = (uint32_t)find_part(parts, split_of(p, i));
    return copy_parts(source, parts, &source->splits, &source->split_count, err);
}

static stk_status refuse_mixture(const stk_source *source, const plan *p, stk_error *err)
{
    size_t with = 0, without = 0;
    while (!class_of(p, with).length)
        with++;
    while (class_of(p, without).length)
        without++;
    return stk_fail(err, STK_E_FORMAT, "source", source->path,
                    "'%s' lies in no class folder, but '%s' does; move it into a class folder or "
                    "away, or take the folders one by one",
                    item_at(p, without)->path, item_at(p, with)->path);
}

static stk_status assign_classes(stk_source *source, const plan *p, stk_blob *parts,
                                 stk_classes *classes, stk_error *err)
{
    *classes = (stk_classes){0};
    STK_TRY(collect(p, class_of, parts, err));
    const part  *all = (const part *)(const void *)parts->data;
    const size_t count = parts->size / sizeof *all;
    const bool   unclassed = count && !all[0].length; /* the empty name sorts first */
    if (unclassed && count > 1) return refuse_mixture(source, p, err);
    if (unclassed || !count) {
        for (size_t i = 0; i < p->count; i++)
            item_at(p, i)->label = -1;
        return STK_OK;
    }
    if (count > INT32_MAX)
        return stk_fail(err, STK_E_LIMIT, "source", source->path, "%zu classes are too many",
                        count);
    for (size_t i = 0; i < p->count; i++) {
        const bool repeats = i && same(class_of(p, i), class_of(p, i - 1));
        item_at(p, i)->label =
            repeats ? item_at(p, i - 1)->label : (int32_t)find_part(parts, class_of(p, i));
    }
    return copy_parts(source, parts, &classes->names, &classes->count, err);
}

stk_status stk_classes_from_paths(stk_source *source, void *items, size_t item_bytes, size_t *count,
                                  bool unwrap, stk_classes *classes, stk_error *err)
{
    plan     p = {.items = items, .item_bytes = item_bytes, .count = *count};
    stk_blob parts;
    stk_blob_init(&parts, source->arena.ledger, STK_MEMORY_INDEX);
    skip_wrappers(&p, unwrap);
    stk_status st = stk_strays_leave_out(source, items, item_bytes, &p.count, p.skip, err);
    *count = p.count;
    find_splits(&p);
    find_inner_splits(&p);
    if (!st) st = refuse_half_splits(source, &p, err);
    if (!st) st = assign_splits(source, &p, &parts, err);
    parts.size = 0;
    if (!st) st = assign_classes(source, &p, &parts, classes, err);
    stk_blob_release(&parts);
    return st;
}
