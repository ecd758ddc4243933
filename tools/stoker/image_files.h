/* Image files that a person named: files as they are, folders by what is in them. */
#ifndef CLI_TOOLS_IMAGE_FILES_H
#define CLI_TOOLS_IMAGE_FILES_H

#include <stddef.h>
#include <stoker/error.h>

typedef struct cli_image_files {
    char **paths;
    size_t count, capacity;
} cli_image_files;

/* Adds path, or, when it is a folder, every file in it and in the folders below whose name is that
 * of an image, in the order of their names. A path that is not there is added too: reading it says
 * so. On failure files has what it had, or more. */
STK_NODISCARD stk_status cli_image_files_add(cli_image_files *files, const char *path,
                                             stk_error *err);
void                     cli_image_files_release(cli_image_files *files);

#endif
