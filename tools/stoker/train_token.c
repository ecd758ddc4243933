/* The user's access token for the live page. */
#include "train_token.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BYTES_MAX = 4096 }; /* of a file: a token is far shorter */

static stk_status copy_token(const char *text, size_t length, char **out, stk_error *err)
{
    *out = strndup(text, length);
    return *out ? STK_OK : stk_fail(err, STK_E_NOMEM, "serve", NULL, "no memory for a token");
}

static stk_status read_line(const char *file, char **out, stk_error *err)
{
    char      text[BYTES_MAX];
    const int fd = open(file, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return stk_fail_errno(err, errno, "serve", file, "open the file of the token");
    const ssize_t got = read(fd, text, sizeof text);
    const int     error = errno;
    close(fd);
    if (got < 0) return stk_fail_errno(err, error, "serve", file, "read the token");
    size_t length = 0;
    while (length < (size_t)got && text[length] != '\n')
        length++;
    if (length && text[length - 1] == '\r') length--;
    if (!length || memchr(text, 0, length))
        return stk_fail(err, STK_E_FORMAT, "serve", file, "the first line is no token");
    return copy_token(text, length, out, err);
}

stk_status cli_train_token_read(const char *file, char **out, stk_error *err)
{
    *out = NULL;
    if (file) return read_line(file, out, err);
    const char *value = getenv("STOKER_SERVE_TOKEN");
    return value ? copy_token(value, strlen(value), out, err) : STK_OK;
}
