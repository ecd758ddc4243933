/* Names and paths: their parts, joining them, and which are images. */
#ifndef STK_STORAGE_FILE_PATHS_H
#define STK_STORAGE_FILE_PATHS_H

#include <stdbool.h>
#include <stoker/filesystem.h>

/* Letters are those of ASCII here, whatever the locale says of others (or, in Turkish, of I). */
char stk_path_lower(char c);
bool stk_path_is_word(char c); /* a letter, a digit or _ */
/* Whether two words are the same but for the case of their letters. */
bool stk_path_same(const char *a, const char *b);

/* The last component; path itself when it has one only. Trailing slashes are not removed. */
const char *stk_path_base(const char *path);

/* What follows the last dot of the last component, "" when there is none. ".hidden" has none. */
const char *stk_path_extension(const char *path);

/* Whether name ends in ending, whatever the case of its letters. */
bool stk_path_ends_in(const char *name, const char *ending);

/* True for a name with * ? or [, which stands for several files. */
bool stk_path_is_pattern(const char *name);

/* Replaces text by "folder/name", terminated; size counts the terminator not. An empty folder or an
 * absolute name gives name alone. */
STK_NODISCARD stk_status stk_path_join(stk_blob *text, const char *folder, const char *name,
                                       stk_error *err);

/* After STK_E_NOTFOUND of a file that need not be there: STK_OK where nothing has its name. A link
 * that leads nowhere is STK_E_INVALID: somebody meant that file to be there. */
STK_NODISCARD stk_status stk_path_check_missing(const stk_filesystem *fs, const char *path,
                                                stk_error *err);

/* By extension, in any case: jpg jpeg jpe jfif png webp gif bmp dib tif tiff pnm ppm pgm pbm. */
bool stk_path_is_image(const char *name);

/* "jpeg", "png", "webp", or "" for other images: a literal. */
const char *stk_path_image_encoding(const char *name);

#endif
