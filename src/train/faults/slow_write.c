/* S8: bytes are written and synced on the training thread. */
#include "train/faults/slow_write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 1 << 20 };

stk_status stk_slow_write_open(stk_slow_write *out, const char *folder, stk_error *err)
{
    char path[2048];
    stk_slow_write_release(out);
    if (snprintf(path, sizeof path, "%s/injected-XXXXXX", folder) >= (int)sizeof path)
        return stk_fail(err, STK_E_LIMIT, "inject", folder, "the name is too long");
    out->piece = malloc(PIECE);
    if (!out->piece) return stk_fail(err, STK_E_NOMEM, "inject", folder, "no memory to write from");
    memset(out->piece, 1, PIECE);
    out->file = mkostemp(path, O_CLOEXEC);
    if (out->file < 0) return stk_fail_errno(err, errno, "inject", folder, "make a file here");
    out->open = true;
    unlink(path);
    return STK_OK;
}

/* Cut off first: blocks that are there already would cost less than new ones. */
stk_status stk_slow_write_run(stk_slow_write *out, double bytes, stk_error *err)
{
    if (ftruncate(out->file, 0) || lseek(out->file, 0, SEEK_SET))
        return stk_fail_errno(err, errno, "inject", "write", "cut the file off");
    for (size_t left = (size_t)bytes; left;) {
        const ssize_t put = write(out->file, out->piece, left < PIECE ? left : PIECE);
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return stk_fail_errno(err, errno, "inject", "write", "write");
        left -= (size_t)put;
    }
    if (fsync(out->file)) return stk_fail_errno(err, errno, "inject", "write", "sync");
    return STK_OK;
}

void stk_slow_write_release(stk_slow_write *out)
{
    if (out->open) close(out->file);
    free(out->piece);
    *out = (stk_slow_write){0};
}
