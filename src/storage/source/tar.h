/* Tar archives: ustar, GNU long names, pax names and sizes. Only where members lie is read. */
#ifndef STK_STORAGE_SOURCE_TAR_H
#define STK_STORAGE_SOURCE_TAR_H

#include <stdbool.h>
#include <stoker/filesystem.h>

enum { STK_TAR_BLOCK = 512 };

/* Bytes that members are read from: a file, or an archive inflated into memory. */
typedef struct stk_tar {
    stk_file   *file; /* NULL when in memory */
    stk_blob    content;
    uint64_t    bytes;
    int64_t     modified_ns;
    const char *path; /* for messages */
} stk_tar;

/* Opens a plain or gzip archive; path must outlive it. One that is compressed is inflated whole,
 * within the ledger's ceiling or, without a ledger, half the memory there is. */
STK_NODISCARD stk_status stk_tar_open(stk_tar *tar, const stk_filesystem *fs, const char *path,
                                      stk_ledger *ledger, stk_error *err);
void                     stk_tar_close(stk_tar *tar);

/* Exactly size bytes from offset; fewer is STK_E_DATALOSS. */
STK_NODISCARD stk_status stk_tar_read(const stk_tar *tar, uint64_t offset, void *dst, size_t size,
                                      stk_error *err);

typedef struct stk_tar_member {
    const char *name;   /* borrowed until the next call */
    uint64_t    offset; /* of the content */
    uint64_t    bytes;
    bool        link; /* to a file, whose content is not here */
    bool        hard; /* a link to a member before it */
} stk_tar_member;

/* Goes through the regular files and links of an archive in order. */
typedef struct stk_tar_iter {
    const stk_tar *tar;
    uint64_t       offset;
    stk_blob       name;     /* of the member given last, terminated */
    stk_blob       extended; /* an extended header being read */
    uint64_t       size;     /* that a pax header gives the next member */
    bool           has_name, has_size;
} stk_tar_iter;

void stk_tar_iter_init(stk_tar_iter *walk, const stk_tar *tar, stk_ledger *ledger);
void stk_tar_iter_release(stk_tar_iter *walk);
/* The next regular file or link; name is NULL at the end. Checksums are verified, and sizes held
 * against the archive's: damage is STK_E_DATALOSS with the offset. */
STK_NODISCARD stk_status stk_tar_iter_next(stk_tar_iter *walk, stk_tar_member *member,
                                           stk_error *err);

/* Whether head is a member's header, by its checksum. */
bool stk_tar_is(stk_bytes head);

#endif
