/* Which names and descriptors belong to folders that are watched. */
#include "faults.h"

#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FOLDERS = 8, MOST_DESCRIPTORS = 65536 };

static char        folders[MOST_FOLDERS][PATH_MAX];
static int         folder_count;
static atomic_bool watched[MOST_DESCRIPTORS];

void stk_below_set(const char *text)
{
    for (const char *end; text && *text && folder_count < MOST_FOLDERS;
         text = end + (*end == ':')) {
        end = strchrnul(text, ':');
        const size_t length = (size_t)(end - text);
        if (!length || length >= PATH_MAX) continue;
        memcpy(folders[folder_count], text, length);
        folders[folder_count++][length] = '\0';
    }
}

static bool starts_below(const char *path)
{
    for (int i = 0; i < folder_count; i++) {
        const size_t length = strlen(folders[i]);
        if (!strncmp(path, folders[i], length) && (!path[length] || path[length] == '/'))
            return true;
    }
    return false;
}

bool stk_below(int folder, const char *path)
{
    char here[PATH_MAX];
    if (!path) return false;
    if (path[0] == '/') return starts_below(path);
    if (folder != AT_FDCWD) return stk_below_fd(folder);
    return syscall(SYS_getcwd, here, sizeof here) > 0 && starts_below(here);
}

bool stk_below_fd(int fd)
{
    return fd >= 0 && fd < MOST_DESCRIPTORS && watched[fd];
}

void stk_below_opened(int fd, bool below)
{
    if (fd >= 0 && fd < MOST_DESCRIPTORS) watched[fd] = below;
}
