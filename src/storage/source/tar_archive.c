/* An archive's bytes: in its file, or inflated in memory. */
#include "base/limits.h"
#include "storage/source/gunzip.h"
#include "storage/source/tar.h"

#include <inttypes.h>
#include <string.h>

/* Members are read in any order, which a compressed stream does not allow: it is inflated
 * completely. */
static stk_status inflate_all(stk_tar *tar, const stk_filesystem *fs, stk_error *err)
{
    const uint64_t limit = tar->content.ledger ? UINT64_MAX : stk_limits_memory_bytes() / 2;
    bool           more;
    stk_file_close(tar->file);
    tar->file = NULL;
    const stk_status st = stk_gunzip_file(fs, tar->path, limit, &tar->content, &more, err);
    if (st == STK_E_CEILING || (!st && more))
        return stk_fail(err, STK_E_CEILING, "tar", tar->path,
                        "the archive does not fit in memory: over %zu bytes inflated; unpack it "
                        "first (gunzip), a plain .tar is read in place",
                        tar->content.size);
    tar->bytes = tar->content.size;
    return st;
}

stk_status stk_tar_open(stk_tar *tar, const stk_filesystem *fs, const char *path,
                        stk_ledger *ledger, stk_error *err)
{
    uint8_t head[4];
    size_t  got;
    *tar = (stk_tar){.path = path};
    stk_blob_init(&tar->content, ledger, STK_MEMORY_RECORD);
    STK_TRY(stk_file_open(&tar->file, fs, path, STK_ACCESS_RANDOM, err));
    tar->bytes = tar->file->info.bytes;
    tar->modified_ns = tar->file->info.modified_ns;
    stk_status st = stk_file_read_at(tar->file, head, sizeof head, 0, &got, err);
    if (!st && stk_is_gzip(stk_bytes_of(head, got))) st = inflate_all(tar, fs, err);
    if (st) stk_tar_close(tar);
    return st;
}

void stk_tar_close(stk_tar *tar)
{
    stk_file_close(tar->file);
    tar->file = NULL;
    stk_blob_release(&tar->content);
}

stk_status stk_tar_read(const stk_tar *tar, uint64_t offset, void *dst, size_t size, stk_error *err)
{
    size_t got = 0;
    if (tar->file) {
        STK_TRY(stk_file_read_at(tar->file, dst, size, offset, &got, err));
    } else if (offset <= tar->content.size) {
        const size_t left = tar->content.size - (size_t)offset;
        got = size < left ? size : left;
        if (got) memcpy(dst, tar->content.data + offset, got);
    }
    if (got == size) return STK_OK;
    return stk_fail(err, STK_E_DATALOSS, "tar", tar->path,
                    "changed while being read: %zu of %zu bytes at offset %" PRIu64, got, size,
                    offset);
}
