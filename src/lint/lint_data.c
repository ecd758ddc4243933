/* Rules about the data: image size, number of files, repeated reads. */
#include "lint/lint_internal.h"
#include <stdio.h>
#include <stoker/dataset_info.h>
#include <stoker/source.h>
#include <stoker/text.h>
#include <string.h>

/* Packed images keep a margin for crops; files below this size cost more to open than to read. */
static const double   fits_crops = 256.0 / 224, small_bytes = 256e3;
static const uint64_t many_files = 1000;

static bool look_at_info(stk_lint_storage *out, const char *path)
{
    stk_dataset_info info;
    stk_error        unasked;
    if (stk_dataset_info_read(&info, NULL, path, &unasked)) return false;
    snprintf(out->kind, sizeof out->kind, "pack");
    for (size_t i = 0; i < info.split_count; i++) {
        out->files += info.splits[i].shard_count;
        out->bytes += info.splits[i].bytes;
    }
    stk_dataset_info_release(&info);
    return true;
}

void stk_lint_storage_read(stk_lint_storage *out, const stk_train_recipe *recipe)
{
    const stk_source_options options = {.kind = *recipe->data.kind ? recipe->data.kind : NULL,
                                        .skip_bad = true,
                                        .follow_outside = recipe->data.follow_outside};
    stk_source              *source;
    stk_error                unasked;
    *out = (stk_lint_storage){0};
    if (*recipe->data.pipeline || look_at_info(out, recipe->data.path)) return;
    if (stk_source_open(&source, NULL, recipe->data.path, &options, &unasked)) return;
    snprintf(out->kind, sizeof out->kind, "%s", stk_source_kind_name(source));
    for (uint64_t i = 0; i < stk_source_count(source); i++) {
        stk_source_item item;
        stk_source_item_at(source, i, &item);
        out->bytes += item.bytes;
        out->files += item.record == 0;
    }
    stk_source_free(source);
}

/* PATH without trailing slashes. */
static int stem(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    return (int)length;
}

/* "stoker pack PATH PATH-SUFFIX FLAGS". A path too long for the line becomes DATA. */
static void advise_pack(stk_lint *item, const char *path, const char *suffix, const char *flags)
{
    enum { WORD = 112 };
    char from[WORD], to[WORD], target[2 * WORD];
    snprintf(target, sizeof target, "%.*s-%s", stem(path), path, suffix);
    if (stk_shell_path(from, sizeof from, path) >= sizeof from ||
        stk_shell_path(to, sizeof to, target) >= sizeof to) {
        snprintf(from, sizeof from, "DATA");
        snprintf(to, sizeof to, "DATA-%s", suffix);
    }
    stk_lint_print(item->command, sizeof item->command, "stoker pack %s %s%s", from, to, flags);
}

void stk_lint_images(const stk_lint_subject *s)
{
    char                  suffix[24], flags[40];
    const stk_train_data *d = s->data;
    const char           *path = s->recipe->data.path;
    const int64_t         side = d->width < d->height ? d->width : d->height;
    const int64_t         size = s->recipe->data.size;
    const int64_t         pack = (int64_t)((double)size * fits_crops + 0.5);
    if (side <= 2 * size || *s->recipe->data.pipeline) return;
    stk_lint *item = stk_lint_add(s->list, "large_images", STK_STAGE_PREPROCESS, "data.size");
    if (!item) return;
    const double rest = (double)pack / (double)side;
    stk_lint_print(item->message, sizeof item->message,
                   "images are %lldx%lld and used at %lld: %.0f times the pixels are read and "
                   "decoded; make them small once",
                   (long long)d->width, (long long)d->height, (long long)size,
                   (double)(d->width * d->height) / (double)(size * size));
    stk_lint_print(suffix, sizeof suffix, "%lld", (long long)pack);
    stk_lint_print(flags, sizeof flags, " --resize %lld", (long long)pack);
    advise_pack(item, path, suffix, flags);
    stk_lint_print(item->how, sizeof item->how, "by pixels: decoding skips some of them already");
    item->saves = 1 - rest * rest;
    item->changes_training = true;
}

void stk_lint_files(const stk_lint_subject *s)
{
    const stk_lint_storage *at = s->storage;
    const char             *path = s->recipe->data.path;
    if (!at || strcmp(at->kind, "folder") != 0 || at->files < many_files) return;
    const double each = (double)at->bytes / (double)at->files;
    if (each > small_bytes) return;
    stk_lint *item = stk_lint_add(s->list, "many_files", STK_STAGE_READ, "data.path");
    if (!item) return;
    stk_lint_print(
        item->message, sizeof item->message,
        "%llu files of %.0f KB are opened one by one each epoch; packed, they are read in "
        "pieces of 100 MB",
        (unsigned long long)at->files, each / 1e3);
    advise_pack(item, path, "packed", "");
}

/* Input may use a quarter of memory by default. */
void stk_lint_cache(const stk_lint_subject *s)
{
    const stk_lint_storage *at = s->storage;
    const stk_train_recipe *r = s->recipe;
    if (!at || !at->bytes || r->data.cache != STK_CACHE_NONE || r->train.epochs < 2) return;
    const uint64_t capacity = r->knobs.memory_mb > 0
                                  ? (uint64_t)r->knobs.memory_mb * STK_BYTES_PER_MB
                                  : s->machine->memory / 4;
    if (at->bytes > capacity) return;
    stk_lint *item = stk_lint_add(s->list, "cache_off", STK_STAGE_READ, "data.cache");
    if (!item) return;
    stk_lint_print(
        item->message, sizeof item->message,
        "%.1f MB of data fit into the %.1f MB that input may take, and are read again in "
        "each of %g epochs",
        (double)at->bytes / 1e6, (double)capacity / 1e6, r->train.epochs);
    stk_lint_print(item->recipe, sizeof item->recipe, "data: {cache: auto}");
    stk_lint_print(item->how, sizeof item->how, "reading once in %g epochs", r->train.epochs);
    item->saves = 1 - 1 / r->train.epochs;
}
