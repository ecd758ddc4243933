/* Filling, naming and printing the one error type. */
#include "base/utf8.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stoker/error.h>
#include <stoker/text.h>
#include <string.h>

static const char *const status_names[STK_STATUS_COUNT] = {
    [STK_OK] = "ok",
    [STK_E_INVALID] = "invalid argument",
    [STK_E_NOMEM] = "out of memory",
    [STK_E_CEILING] = "memory ceiling",
    [STK_E_IO] = "input/output error",
    [STK_E_NOSPACE] = "no space left",
    [STK_E_NOTFOUND] = "not found",
    [STK_E_EXISTS] = "exists already",
    [STK_E_PERMISSION] = "permission denied",
    [STK_E_BUSY] = "in use",
    [STK_E_FORMAT] = "wrong format",
    [STK_E_DATALOSS] = "damaged data",
    [STK_E_TYPE] = "wrong type",
    [STK_E_SHAPE] = "wrong shape",
    [STK_E_RANGE] = "out of range",
    [STK_E_LIMIT] = "over a limit",
    [STK_E_UNSUPPORTED] = "not supported",
    [STK_E_CANCELLED] = "cancelled",
};

const char *stk_status_name(stk_status status)
{
    if ((unsigned)status >= STK_STATUS_COUNT) return "unknown status";
    return status_names[status];
}

int stk_status_is_environment(stk_status status)
{
    static const bool environment[STK_STATUS_COUNT] = {
        [STK_E_NOMEM] = true,   [STK_E_CEILING] = true, [STK_E_IO] = true,
        [STK_E_NOSPACE] = true, [STK_E_BUSY] = true,    [STK_E_CANCELLED] = true,
    };
    return (unsigned)status < STK_STATUS_COUNT && environment[status];
}

/* The end of a path is more informative than its beginning, so a long one keeps that. */
static void copy_where(char *dst, size_t capacity, const char *where)
{
    if (!where) where = "";
    const size_t length = strlen(where);
    if (length < capacity) {
        memcpy(dst, where, length + 1);
        return;
    }
    const char *end = where + length - (capacity - 4);
    while ((*end & 0xC0) == 0x80) /* inside a character */
        end++;
    memcpy(dst, "...", 3);
    memcpy(dst + 3, end, (size_t)(where + length - end) + 1);
}

/* A message that does not fit ends with its last complete character. */
static void write_message(char *dst, size_t capacity, const char *format, va_list args)
{
    const int size = vsnprintf(dst, capacity, format, args);
    if (size < 0 || (size_t)size < capacity) return;
    size_t end = capacity - 1, begin = end;
    while (begin && (dst[begin - 1] & 0xC0) == 0x80)
        begin--;
    begin -= begin > 0;
    if ((dst[begin] & 0xC0) == 0xC0 && !stk_utf8_length((uint8_t *)dst + begin, end - begin))
        dst[begin] = 0;
}

stk_status stk_fail(stk_error *err, stk_status status, const char *component, const char *where,
                    const char *format, ...)
{
    if (!err) return status;
    /* where may point into err itself when a caller adds context to an error it got. */
    char location[sizeof err->where];
    copy_where(location, sizeof location, where);
    char    message[sizeof err->message];
    va_list args;
    va_start(args, format);
    write_message(message, sizeof message, format, args);
    va_end(args);
    err->status = status;
    err->component = component;
    memcpy(err->where, location, sizeof location);
    memcpy(err->message, message, sizeof message);
    return status;
}

static stk_status status_of_errno(int value)
{
    switch (value) {
    case ENOENT:
    case ENOTDIR:
        return STK_E_NOTFOUND;
    case EEXIST:
    case ENOTEMPTY:
        return STK_E_EXISTS;
    case EACCES:
    case EPERM:
    case EROFS:
        return STK_E_PERMISSION;
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
        return STK_E_NOSPACE;
    case ENOMEM:
        return STK_E_NOMEM;
    case EBUSY:
    case EWOULDBLOCK:
        return STK_E_BUSY;
    case EINVAL:
    case ENAMETOOLONG:
    case ELOOP:
    case EISDIR:
        return STK_E_INVALID;
    default:
        return STK_E_IO;
    }
}

stk_status stk_fail_errno(stk_error *err, int errno_value, const char *component, const char *where,
                          const char *tried)
{
    char        text[128] = "";
    const char *reason = strerror_r(errno_value, text, sizeof text); /* GNU's: may not use text */
    return stk_fail(err, status_of_errno(errno_value), component, where, "cannot %s: %s", tried,
                    reason);
}

char *stk_error_line(const stk_error *err, char *text, int capacity)
{
    const char *component = err->component ? err->component : "stoker";
    char        line[sizeof err->where + sizeof err->message + 64];
    snprintf(line, sizeof line, "%s: %s%s%s", component, err->where, err->where[0] ? ": " : "",
             err->message);
    (void)stk_text_escape(text, (size_t)capacity, line);
    return text;
}
