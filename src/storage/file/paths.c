/* Names and paths. */
#include "storage/file/paths.h"

#include <string.h>

static const struct {
    const char *extension;
    const char *encoding;
} images[] = {
    {"jpg", "jpeg"},  {"jpeg", "jpeg"}, {"jpe", "jpeg"}, {"png", "png"}, {"jfif", "jpeg"},
    {"webp", "webp"}, {"gif", ""},      {"bmp", ""},     {"dib", ""},    {"tif", ""},
    {"tiff", ""},     {"pnm", ""},      {"ppm", ""},     {"pgm", ""},    {"pbm", ""},
};

char stk_path_lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

bool stk_path_is_word(char c)
{
    const char lower = stk_path_lower(c);
    return (lower >= 'a' && lower <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

bool stk_path_same(const char *a, const char *b)
{
    while (*a && stk_path_lower(*a) == stk_path_lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

const char *stk_path_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *stk_path_extension(const char *path)
{
    const char *base = stk_path_base(path);
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? dot + 1 : "";
}

bool stk_path_ends_in(const char *name, const char *ending)
{
    const size_t have = strlen(name), want = strlen(ending);
    return have >= want && stk_path_same(name + have - want, ending);
}

bool stk_path_is_pattern(const char *name)
{
    return strpbrk(name, "*?[") != NULL;
}

stk_status stk_path_join(stk_blob *text, const char *folder, const char *name, stk_error *err)
{
    text->size = 0;
    if (folder[0] && name[0] != '/') {
        const size_t length = strlen(folder);
        STK_TRY(stk_blob_append(text, folder, length, err));
        if (folder[length - 1] != '/') STK_TRY(stk_blob_append(text, "/", 1, err));
    }
    STK_TRY(stk_blob_append(text, name, strlen(name) + 1, err));
    text->size--;
    return STK_OK;
}

stk_status stk_path_check_missing(const stk_filesystem *fs, const char *path, stk_error *err)
{
    stk_file_info    info;
    const stk_status st = stk_path_info(fs, path, &info, err);
    if (st != STK_E_NOTFOUND) return st;
    if (!info.link) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "read", path, "is a link that leads nowhere");
}

static int find_image(const char *name)
{
    const char *extension = stk_path_extension(name);
    for (size_t i = 0; i < sizeof images / sizeof images[0]; i++)
        if (stk_path_same(extension, images[i].extension)) return (int)i;
    return -1;
}

bool stk_path_is_image(const char *name)
{
    return find_image(name) >= 0;
}

const char *stk_path_image_encoding(const char *name)
{
    const int found = find_image(name);
    return found < 0 ? "" : images[found].encoding;
}
