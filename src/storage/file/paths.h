/* Names and paths: components, joining, image names. */
#ifndef STK_STORAGE_FILE_PATHS_H
#define STK_STORAGE_FILE_PATHS_H

#include <stdbool.h>
#include <stoker/filesystem.h>

/* ASCII only, independent of the locale. */
char stk_path_lower(char c);
bool stk_path_is_word(char c); /* a letter, a digit or _ */
/* Whether two words are equal, ignoring ASCII case. */
bool stk_path_same(const char *a, const char *b);

/* The last component; path itself if there is only one. Trailing slashes are not removed. */
const char *stk_path_base(const char *path);

/* The text after the last dot of the last component; "" for none and for ".hidden". */
const char *stk_path_extension(const char *path);

/* Whether name ends in ending, ignoring case. */
bool stk_path_ends_in(const char *name, const char *ending);

/* True for a name with * ? or [, which stands for several files. */
bool stk_path_is_pattern(const char *name);

/* Replaces text by "folder/name", terminated; size counts the terminator not. An empty folder or an
 * absolute name gives name alone. */
STK_NODISCARD stk_status stk_path_join(stk_blob *text, const char *folder, const char *name,
                                       stk_error *err);

/* After STK_E_NOTFOUND for an optional file: STK_OK if the name is free. A dangling link is
 * STK_E_INVALID: the file was meant to exist. */
STK_NODISCARD stk_status stk_path_check_missing(const stk_filesystem *fs, const char *path,
                                                stk_error *err);

/* By extension, in any case: jpg jpeg jpe jfif png webp gif bmp dib tif tiff pnm ppm pgm pbm. */
bool stk_path_is_image(const char *name);

/* "jpeg", "png", "webp", or "" for other images: a literal. */
const char *stk_path_image_encoding(const char *name);

#endif
