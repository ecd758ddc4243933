/* Image files named by operands: files as they are, folders by their contents. */
#ifndef CLI_TOOLS_IMAGE_FILES_H
#define CLI_TOOLS_IMAGE_FILES_H

#include <stddef.h>
#include <stoker/error.h>

typedef struct cli_image_files {
    char **paths;
    size_t count, capacity;
} cli_image_files;

/* Adds path; for a folder, every file in it and below with an image name, sorted. A missing path is
 * added too and fails when it is read. On failure files may have grown. */
STK_NODISCARD stk_status cli_image_files_add(cli_image_files *files, const char *path,
                                             stk_error *err);
void                     cli_image_files_release(cli_image_files *files);

#endif
