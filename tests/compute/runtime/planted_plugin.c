/* A library that reports being loaded by creating the file that STK_PLANTED names. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

const void *stk_plugin_backend(const char *asks, const char **build);

__attribute__((constructor)) static void tell(void)
{
    const char *path = getenv("STK_PLANTED");
    int         file = path ? open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600) : -1;
    if (file >= 0) close(file);
}

__attribute__((visibility("default"))) const void *stk_plugin_backend(const char  *asks,
                                                                      const char **build)
{
    (void)asks;
    *build = "planted";
    return NULL;
}
