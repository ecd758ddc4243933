/* stoker/filesystem.h - where bytes come from and go to.
 * A file system is a small table of functions, so that local disks, object stores and the faults of
 * a test all look the same. Implementations embed the structs below as their first member. Readers
 * use positions, never a shared cursor; an output is invisible under its name until it is
 * committed (temporary file and rename on a disk, completed upload on an object store). */
#ifndef STOKER_FILESYSTEM_H
#define STOKER_FILESYSTEM_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/blob.h>
#include <stoker/error.h>

STK_BEGIN_DECLS

typedef enum stk_file_kind { STK_FILE_OTHER, STK_FILE_REGULAR, STK_FILE_DIRECTORY } stk_file_kind;

typedef struct stk_file_info {
    stk_file_kind kind;
    uint64_t      bytes;
    int64_t       modified_ns;   /* since 1970 */
    uint64_t      device, inode; /* which file it is, by whatever name; 0, 0: not known */
    bool          link;          /* the name itself is a link: all else is of what it leads to */
} stk_file_info;

/* How a file will be read: a hint. */
typedef enum stk_access { STK_ACCESS_SEQUENTIAL, STK_ACCESS_RANDOM } stk_access;

typedef struct stk_file       stk_file;
typedef struct stk_output     stk_output;
typedef struct stk_filesystem stk_filesystem;
typedef struct stk_lock       stk_lock;

typedef struct stk_file_ops {
    /* Up to size bytes from offset; *got may be smaller, and is 0 only at the end of the file. */
    stk_status (*read_at)(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err);
    void (*close)(stk_file *file);
    /* Optional (NULL: none): the descriptor of a file the kernel can read for us at any position,
     * or -1. It stays the file's. */
    int (*descriptor)(stk_file *file);
    /* Optional: what is in memory already, without waiting; how many bytes that was, maybe 0. */
    size_t (*read_ready)(stk_file *file, void *dst, size_t size, uint64_t offset);
} stk_file_ops;

struct stk_file {
    const stk_file_ops *ops;
    stk_file_info       info; /* as it was when opened */
    char               *path; /* for messages */
};

typedef struct stk_output_ops {
    /* All of size or an error. */
    stk_status (*write)(stk_output *out, const void *data, size_t size, stk_error *err);
    /* Durable under its name when this returns STK_OK. */
    stk_status (*commit)(stk_output *out, stk_error *err);
    /* Frees the output; without a commit before, nothing is left behind. */
    void (*close)(stk_output *out);
} stk_output_ops;

struct stk_output {
    const stk_output_ops *ops;
    char                 *path;
};

/* What a listing tells of each entry: its kind always; size and time only where asked for, since
 * that is a look at each file on a disk (on an object store they come with the names). */
typedef enum stk_list_detail { STK_LIST_KINDS, STK_LIST_INFO } stk_list_detail;

/* One entry of a directory; of a link, what it leads to (STK_FILE_OTHER when that is nothing).
 * Returning other than STK_OK ends the listing with that status. */
typedef stk_status (*stk_list_visit)(void *context, const char *name, const stk_file_info *info,
                                     stk_error *err);

typedef struct stk_filesystem_ops {
    stk_status (*open)(const stk_filesystem *fs, const char *path, stk_access access,
                       stk_file **out, stk_error *err);
    /* The whole of a small file into blob (replacing what it held), in as few calls as possible.
     * expected_bytes is a hint; 0 when unknown. A file over limit_bytes is STK_E_LIMIT. */
    stk_status (*read_all)(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err);
    stk_status (*create)(const stk_filesystem *fs, const char *path, stk_output **out,
                         stk_error *err);
    stk_status (*info)(const stk_filesystem *fs, const char *path, stk_file_info *info,
                       stk_error *err);
    /* Entries in no order, without "." and "..". */
    stk_status (*list)(const stk_filesystem *fs, const char *directory, stk_list_detail detail,
                       stk_list_visit visit, void *context, stk_error *err);
    stk_status (*make_directory)(const stk_filesystem *fs, const char *path, stk_error *err);
    stk_status (*rename)(const stk_filesystem *fs, const char *from, const char *to,
                         stk_error *err);
    stk_status (*remove)(const stk_filesystem *fs, const char *path, stk_error *err);
    /* Optional: the terminated name of path without links and "..", into out; NULL where the store
     * has no links. */
    stk_status (*resolve)(const stk_filesystem *fs, const char *path, stk_blob *out,
                          stk_error *err);
    /* Optional: NULL where the store has no locks. */
    stk_status (*lock)(const stk_filesystem *fs, const char *path, stk_lock **out, stk_error *err);
    /* Optional: NULL where files cannot grow in sight. */
    stk_status (*append)(const stk_filesystem *fs, const char *path, stk_output **out,
                         stk_error *err);
} stk_filesystem_ops;

struct stk_lock {
    void (*release)(stk_lock *lock);
};

struct stk_filesystem {
    const stk_filesystem_ops *ops;
    const char               *name; /* "local" */
};

/* The disks of this machine. Immutable; never freed. */
STK_API const stk_filesystem *stk_filesystem_local(void);

/* The calls below go through the table. A NULL file system means the local one. */
STK_API STK_NODISCARD stk_status stk_file_open(stk_file **out, const stk_filesystem *fs,
                                               const char *path, stk_access access, stk_error *err);
/* Reads until size bytes are there or the file ends: short reads below are hidden here. */
STK_API STK_NODISCARD stk_status stk_file_read_at(stk_file *file, void *dst, size_t size,
                                                  uint64_t offset, size_t *got, stk_error *err);
/* NULL is fine. */
STK_API void stk_file_close(stk_file *file);

STK_API STK_NODISCARD stk_status stk_file_read_all(const stk_filesystem *fs, const char *path,
                                                   uint64_t expected_bytes, uint64_t limit_bytes,
                                                   stk_blob *blob, stk_error *err);

/* The other way: a file that appears under its name when it is complete. */
STK_API STK_NODISCARD stk_status stk_file_write_all(const stk_filesystem *fs, const char *path,
                                                    stk_bytes bytes, stk_error *err);

STK_API STK_NODISCARD stk_status stk_output_create(stk_output **out, const stk_filesystem *fs,
                                                   const char *path, stk_error *err);
/* An output at the end of a file, made where there is none, for logs that others follow: what is
 * written is seen at once. A write that fails leaves the file as it was. Commit makes durable what
 * is written so far, as often as it is called; nothing is undone without it. One writer at a time.
 * STK_E_UNSUPPORTED on a store whose files cannot grow. */
STK_API STK_NODISCARD stk_status stk_output_append(stk_output **out, const stk_filesystem *fs,
                                                   const char *path, stk_error *err);
STK_API STK_NODISCARD stk_status stk_output_write(stk_output *out, const void *data, size_t size,
                                                  stk_error *err);
STK_API STK_NODISCARD stk_status stk_output_commit(stk_output *out, stk_error *err);
/* NULL is fine. */
STK_API void stk_output_close(stk_output *out);

/* With STK_E_NOTFOUND info is zeroed but for link: a link of that name is there and leads nowhere.
 */
STK_API STK_NODISCARD stk_status stk_path_info(const stk_filesystem *fs, const char *path,
                                               stk_file_info *info, stk_error *err);
/* Whether there is anything at path; info may be NULL. Where that cannot be found out it fails: a
 * disk that does not answer is no empty one. */
STK_API STK_NODISCARD stk_status stk_path_exists(const stk_filesystem *fs, const char *path,
                                                 bool *exists, stk_file_info *info, stk_error *err);
/* The terminated name of what path leads to, without links and "..", into out (replacing what it
 * held); path itself on a store without links. */
STK_API STK_NODISCARD stk_status stk_path_resolve(const stk_filesystem *fs, const char *path,
                                                  stk_blob *out, stk_error *err);
STK_API STK_NODISCARD stk_status stk_path_list(const stk_filesystem *fs, const char *directory,
                                               stk_list_detail detail, stk_list_visit visit,
                                               void *context, stk_error *err);
/* The parent must exist; an existing directory is fine. */
STK_API STK_NODISCARD stk_status stk_path_make_directory(const stk_filesystem *fs, const char *path,
                                                         stk_error *err);
/* The same with those above it. */
STK_API STK_NODISCARD stk_status stk_path_make_directories(const stk_filesystem *fs,
                                                           const char *path, stk_error *err);
STK_API STK_NODISCARD stk_status stk_path_rename(const stk_filesystem *fs, const char *from,
                                                 const char *to, stk_error *err);
/* Keeps other processes out of an existing file or directory until released or until this process
 * ends, however it ends. STK_E_BUSY when another holds it. On a store without locks *out is NULL.
 */
STK_API STK_NODISCARD stk_status stk_path_lock(stk_lock **out, const stk_filesystem *fs,
                                               const char *path, stk_error *err);
/* NULL is fine. */
STK_API void stk_lock_release(stk_lock *lock);
/* A file or an empty directory. */
STK_API STK_NODISCARD stk_status stk_path_remove(const stk_filesystem *fs, const char *path,
                                                 stk_error *err);

STK_END_DECLS
#endif
