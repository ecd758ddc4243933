/* Picture files that a person named: files as they are, folders by what is in them. */
#ifndef CLI_TOOLS_PICTURE_FILES_H
#define CLI_TOOLS_PICTURE_FILES_H

#include <stddef.h>
#include <stoker/error.h>

typedef struct cli_picture_files {
    char **paths;
    size_t count, room;
} cli_picture_files;

/* Adds path, or, when it is a folder, every file in it and in the folders below whose name is that
 * of a picture, in the order of their names. A path that is not there is added too: reading it says
 * so. On failure files has what it had, or more. */
STK_NODISCARD stk_status cli_picture_files_add(cli_picture_files *files, const char *path,
                                               stk_error *err);
void                     cli_picture_files_release(cli_picture_files *files);

#endif
