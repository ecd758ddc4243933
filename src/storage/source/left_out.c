/* Counting what is left out, and saying it in words. */
#include "storage/source/left_out.h"

#include "storage/file/paths.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { KINDS_MAX = 64, ENDING_BYTES = 16, NAMED_MAX = 6 };

/* Images that programs write and that are not read here. */
static const char *const unread[] = {
    "heic", "heif", "hif", "avif", "jxl", "jp2", "j2k", "jpx", "jpf", "psd", "psb", "svg", "ico",
    "tga",  "exr",  "hdr", "dds",  "pcx", "xcf", "eps", "ai",  "xbm", "xpm", "ras", "sgi", "cr2",
    "cr3",  "nef",  "arw", "dng",  "orf", "rw2", "raf", "pef", "raw", "pfm", "pam", "qoi", "fits"};

stk_left_out_reason stk_left_out_reason_of(const char *name)
{
    const char *ending = stk_path_extension(name);
    for (size_t i = 0; i < sizeof unread / sizeof unread[0]; i++)
        if (stk_path_same(ending, unread[i])) return STK_LEFT_OUT_FORMAT;
    return STK_LEFT_OUT_OTHER;
}

/* ".heic", in small letters; "" for reasons that are not about endings, and for odd ones. */
static void write_ending(char *out, stk_left_out_reason reason, const char *name)
{
    const char *ending = stk_path_extension(name);
    size_t      length = 0;
    out[0] = '\0';
    if (reason != STK_LEFT_OUT_FORMAT && reason != STK_LEFT_OUT_OTHER) return;
    for (; ending[length]; length++)
        if (length + 2 >= ENDING_BYTES || !stk_path_is_word(ending[length])) return;
    if (!length) return;
    out[0] = '.';
    for (size_t i = 0; i <= length; i++)
        out[1 + i] = stk_path_lower(ending[i]);
}

static stk_source_left_out *items_of(const stk_left_out_list *list, size_t *count)
{
    *count = list->items.size / sizeof(stk_source_left_out);
    return (stk_source_left_out *)(void *)list->items.data;
}

static char *copy_path(stk_arena *arena, const char *folder, const char *name, stk_error *err)
{
    const size_t before = strlen(folder), length = strlen(name);
    char        *path = stk_arena_alloc(arena, before + length + 1, err);
    if (!path) return NULL;
    memcpy(path, folder, before);
    memcpy(path + before, name, length + 1);
    return path;
}

/* Before the first of a later reason. */
static stk_status insert(stk_left_out_list *list, const stk_source_left_out *item, stk_error *err)
{
    size_t count, at = 0;
    STK_TRY(stk_blob_append(&list->items, item, sizeof *item, err));
    stk_source_left_out *all = items_of(list, &count);
    while (at + 1 < count && all[at].reason <= item->reason)
        at++;
    memmove(all + at + 1, all + at, (count - 1 - at) * sizeof *all);
    all[at] = *item;
    return STK_OK;
}

stk_status stk_left_out_add(stk_left_out_list *list, stk_arena *arena, stk_left_out_reason reason,
                            const char *folder, const char *name, stk_error *err)
{
    char   ending[ENDING_BYTES];
    size_t count;
    write_ending(ending, reason, name);
    stk_source_left_out *all = items_of(list, &count);
    if (count >= KINDS_MAX) ending[0] = '\0';
    for (size_t i = 0; i < count; i++)
        if (all[i].reason == reason && !strcmp(all[i].ending, ending)) {
            all[i].count++;
            return STK_OK;
        }
    stk_source_left_out item = {.reason = reason, .count = 1};
    item.example = copy_path(arena, folder, name, err);
    if (!item.example) return err->status;
    item.ending = stk_arena_text(arena, ending, strlen(ending), err);
    if (!item.ending) return err->status;
    return insert(list, &item, err);
}

void stk_left_out_forget(stk_left_out_list *list, stk_left_out_reason reason)
{
    size_t               count, kept = 0;
    stk_source_left_out *all = items_of(list, &count);
    for (size_t i = 0; i < count; i++)
        if (all[i].reason != reason) all[kept++] = all[i];
    list->items.size = kept * sizeof *all;
}

/* Singular and plural of a reason; the ending precedes them. */
static const struct {
    const char *word, *one, *many;
    bool        shows; /* an example: it is something to look after */
} reasons[STK_LEFT_OUT_REASONS] = {
    [STK_LEFT_OUT_LINK] = {"link", "link to nothing", "links to nothing", true},
    [STK_LEFT_OUT_LOOP] = {"loop", "link that leads back up", "links that lead back up", true},
    [STK_LEFT_OUT_DENIED] = {"denied", "folder that may not be read",
                             "folders that may not be read", true},
    [STK_LEFT_OUT_OUTSIDE] = {"outside", "name that leads out of the data's folder",
                              "names that lead out of the data's folder", true},
    [STK_LEFT_OUT_FORMAT] = {"format", "image", "images", false},
    [STK_LEFT_OUT_EMPTY] = {"empty", "folder without images", "folders without images", true},
    [STK_LEFT_OUT_OTHER] = {"other", "file", "files", false},
    [STK_LEFT_OUT_HIDDEN] = {"hidden", "hidden file or folder", "hidden files and folders", false},
};

const char *stk_left_out_reason_name(stk_left_out_reason reason)
{
    return (unsigned)reason < STK_LEFT_OUT_REASONS ? reasons[reason].word : "";
}

bool stk_left_out_is_bad(stk_left_out_reason reason)
{
    return reason == STK_LEFT_OUT_LINK || reason == STK_LEFT_OUT_LOOP ||
           reason == STK_LEFT_OUT_DENIED || reason == STK_LEFT_OUT_OUTSIDE;
}

typedef struct text {
    char  *to;
    size_t used, capacity;
} text;

STK_PRINTF(2, 3) static void say(text *t, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int wrote = vsnprintf(t->to + t->used, t->capacity - t->used, format, args);
    va_end(args);
    if (wrote > 0) t->used += (size_t)wrote;
    if (t->used >= t->capacity) t->used = t->capacity - 1;
}

static void say_one(text *t, const stk_source_left_out *item)
{
    const char *space = item->ending[0] ? " " : "";
    say(t, "%s%" PRIu64 " %s%s%s", t->used ? ", " : "", item->count, item->ending, space,
        item->count == 1 ? reasons[item->reason].one : reasons[item->reason].many);
    if (reasons[item->reason].shows)
        say(t, " ('%.60s'%s)", item->example, item->count > 1 ? ", ..." : "");
}

/* The first kinds by name, the others as a number. */
const char *stk_source_left_out_text(const stk_source *source, char *out, size_t capacity)
{
    size_t                     count;
    const stk_source_left_out *all = stk_source_left_outs(source, &count);
    text                       t = {out, 0, capacity};
    bool                       formats = false;
    uint64_t                   rest = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        if (all[i].reason == STK_LEFT_OUT_FORMAT) formats = true;
        if (i < NAMED_MAX)
            say_one(&t, &all[i]);
        else
            rest += all[i].count;
    }
    if (rest) say(&t, ", %" PRIu64 " others", rest);
    if (formats) say(&t, "; convert images of formats that are not read to JPEG or PNG");
    return out;
}
