/* The loader runs what it loads, with all that this process may do. */
#include "base/trusted.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *stk_trusted_variable(const char *name)
{
    return secure_getenv(name);
}

/* path is a file or a folder; what names it in messages. */
static stk_status judge(const char *path, const char *what, const char *component, stk_error *err)
{
    struct stat s;
    if (stat(path, &s)) return stk_fail_errno(err, errno, component, path, "look at it");
    if (s.st_uid != 0 && s.st_uid != geteuid())
        return stk_fail(err, STK_E_PERMISSION, component, path,
                        "nothing is loaded from here: the %s belongs to user %u, who is neither "
                        "root nor you (user %u); chown it if you trust what it holds",
                        what, (unsigned)s.st_uid, (unsigned)geteuid());
    if (s.st_mode & (S_IWGRP | S_IWOTH))
        return stk_fail(err, STK_E_PERMISSION, component, path,
                        "nothing is loaded from here: others may write the %s (mode %04o); if you "
                        "trust what it holds, chmod go-w it",
                        what, (unsigned)(s.st_mode & 07777));
    return STK_OK;
}

stk_status stk_trusted_file(const char *path, const char *component, char real[PATH_MAX],
                            stk_error *err)
{
    char folder[PATH_MAX];
    if (!realpath(path, real)) return stk_fail_errno(err, errno, component, path, "find it");
    strcpy(folder, real);
    char *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0'; /* the root keeps its slash */
    STK_TRY(judge(folder, "folder", component, err));
    return judge(real, "file", component, err);
}
