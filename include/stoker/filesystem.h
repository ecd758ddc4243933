/* stoker/filesystem.h - the interface of storage. A file system is a table of functions, so local
 * disks, object stores and the fault injection of tests look alike. Implementations embed the
 * structs below as their first member. Reads name an offset; there is no shared cursor. An output
 * becomes visible under its name when it is committed (rename on a disk, completed upload on an
 * object store). */
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
    uint64_t      device, inode; /* identify the file under any name; 0, 0: unknown */
    bool          link;          /* the name is a link; the other fields describe its target */
} stk_file_info;

/* The expected access pattern: a hint. */
typedef enum stk_access { STK_ACCESS_SEQUENTIAL, STK_ACCESS_RANDOM } stk_access;

typedef struct stk_file       stk_file;
typedef struct stk_output     stk_output;
typedef struct stk_filesystem stk_filesystem;
typedef struct stk_lock       stk_lock;

typedef struct stk_file_ops {
    /* Reads up to size bytes from offset; *got may be smaller and is 0 only at the end of the file.
     */
    stk_status (*read_at)(stk_file *file, void *dst, size_t size, uint64_t offset, size_t *got,
                          stk_error *err);
    void (*close)(stk_file *file);
    /* Optional (NULL: none): a descriptor for positional reads by the kernel, or -1. The file keeps
     * owning it. */
    int (*descriptor)(stk_file *file);
    /* Optional: reads bytes that are in memory already, without blocking; returns how many,
     * possibly 0. */
    size_t (*read_ready)(stk_file *file, void *dst, size_t size, uint64_t offset);
} stk_file_ops;

struct stk_file {
    const stk_file_ops *ops;
    stk_file_info       info; /* at the time of opening */
    char               *path; /* for messages */
};

typedef struct stk_output_ops {
    /* Writes all of size or fails. */
    stk_status (*write)(stk_output *out, const void *data, size_t size, stk_error *err);
    /* Returns STK_OK once the output is durable under its name. */
    stk_status (*commit)(stk_output *out, stk_error *err);
    /* Frees the output; an uncommitted one leaves nothing. */
    void (*close)(stk_output *out);
} stk_output_ops;

struct stk_output {
    const stk_output_ops *ops;
    char                 *path;
};

/* Detail of a listing. The kind of an entry is always given; size and time cost a look at each file
 * on a disk, and nothing on an object store. */
typedef enum stk_list_detail { STK_LIST_KINDS, STK_LIST_INFO } stk_list_detail;

/* One entry of a directory. A link has the kind of its target (STK_FILE_OTHER if dangling). A
 * status other than STK_OK ends the listing with that status. */
typedef stk_status (*stk_list_visit)(void *context, const char *name, const stk_file_info *info,
                                     stk_error *err);

typedef struct stk_filesystem_ops {
    stk_status (*open)(const stk_filesystem *fs, const char *path, stk_access access,
                       stk_file **out, stk_error *err);
    /* Reads a small file completely into blob (replacing its content), in as few calls as possible.
     * expected_bytes is a hint; 0: unknown. A file over limit_bytes is STK_E_LIMIT. */
    stk_status (*read_all)(const stk_filesystem *fs, const char *path, uint64_t expected_bytes,
                           uint64_t limit_bytes, stk_blob *blob, stk_error *err);
    stk_status (*create)(const stk_filesystem *fs, const char *path, stk_output **out,
                         stk_error *err);
    stk_status (*info)(const stk_filesystem *fs, const char *path, stk_file_info *info,
                       stk_error *err);
    /* Visits the entries in any order, without "." and "..". */
    stk_status (*list)(const stk_filesystem *fs, const char *directory, stk_list_detail detail,
                       stk_list_visit visit, void *context, stk_error *err);
    stk_status (*make_directory)(const stk_filesystem *fs, const char *path, stk_error *err);
    stk_status (*rename)(const stk_filesystem *fs, const char *from, const char *to,
                         stk_error *err);
    stk_status (*remove)(const stk_filesystem *fs, const char *path, stk_error *err);
    /* Optional: writes the canonical, terminated path without links and ".." to out; NULL for
     * stores without links. */
    stk_status (*resolve)(const stk_filesystem *fs, const char *path, stk_blob *out,
                          stk_error *err);
    /* Optional: NULL for stores without locks. */
    stk_status (*lock)(const stk_filesystem *fs, const char *path, stk_lock **out, stk_error *err);
    /* Optional: NULL for stores whose files cannot grow. */
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

/* The calls below use the table. A NULL file system means the local one. */
STK_API STK_NODISCARD stk_status stk_file_open(stk_file **out, const stk_filesystem *fs,
                                               const char *path, stk_access access, stk_error *err);
/* Reads size bytes, or fewer at the end of the file; repeats short reads. */
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
/* Opens a file for appending and creates it if missing, for logs that others follow: written bytes
 * are visible at once. A failed write leaves the file unchanged. Each commit makes the bytes so far
 * durable; nothing is undone without one. One writer at a time. STK_E_UNSUPPORTED on a store whose
 * files cannot grow. */
STK_API STK_NODISCARD stk_status stk_output_append(stk_output **out, const stk_filesystem *fs,
                                                   const char *path, stk_error *err);
STK_API STK_NODISCARD stk_status stk_output_write(stk_output *out, const void *data, size_t size,
                                                  stk_error *err);
STK_API STK_NODISCARD stk_status stk_output_commit(stk_output *out, stk_error *err);
/* NULL is fine. */
STK_API void stk_output_close(stk_output *out);

/* On STK_E_NOTFOUND info is zero except link: set for a dangling link. */
STK_API STK_NODISCARD stk_status stk_path_info(const stk_filesystem *fs, const char *path,
                                               stk_file_info *info, stk_error *err);
/* Whether path exists; info may be NULL. Fails if that is unknown: a disk that does not answer is
 * not empty. */
STK_API STK_NODISCARD stk_status stk_path_exists(const stk_filesystem *fs, const char *path,
                                                 bool *exists, stk_file_info *info, stk_error *err);
/* Writes the canonical, terminated path without links and ".." to out (replacing its content); path
 * itself on a store without links. */
STK_API STK_NODISCARD stk_status stk_path_resolve(const stk_filesystem *fs, const char *path,
                                                  stk_blob *out, stk_error *err);
STK_API STK_NODISCARD stk_status stk_path_list(const stk_filesystem *fs, const char *directory,
                                               stk_list_detail detail, stk_list_visit visit,
                                               void *context, stk_error *err);
/* Creates a directory; its parent must exist. An existing directory is fine. */
STK_API STK_NODISCARD stk_status stk_path_make_directory(const stk_filesystem *fs, const char *path,
                                                         stk_error *err);
/* The same with those above it. */
STK_API STK_NODISCARD stk_status stk_path_make_directories(const stk_filesystem *fs,
                                                           const char *path, stk_error *err);
STK_API STK_NODISCARD stk_status stk_path_rename(const stk_filesystem *fs, const char *from,
                                                 const char *to, stk_error *err);
/* Locks an existing file or directory against other processes until release or the end of this
 * process. STK_E_BUSY if another process holds it. On a store without locks *out is NULL. */
STK_API STK_NODISCARD stk_status stk_path_lock(stk_lock **out, const stk_filesystem *fs,
                                               const char *path, stk_error *err);
/* NULL is fine. */
STK_API void stk_lock_release(stk_lock *lock);
/* Removes a file or an empty directory. */
STK_API STK_NODISCARD stk_status stk_path_remove(const stk_filesystem *fs, const char *path,
                                                 stk_error *err);

STK_END_DECLS
#endif
