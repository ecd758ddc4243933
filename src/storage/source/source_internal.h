/* The importer interface. An importer is one constant struct of functions in its own file;
 * importers.c has the table. It embeds stk_source as the first member of its own struct, and
 * stk_source_cursor likewise if its cursors need more than the common one. */
#ifndef STK_STORAGE_SOURCE_SOURCE_INTERNAL_H
#define STK_STORAGE_SOURCE_SOURCE_INTERNAL_H

#include "base/arena.h"
#include "storage/source/left_out.h"

#include <stdatomic.h>
#include <stoker/blob.h>
#include <stoker/buffer.h>
#include <stoker/source.h>

typedef struct stk_importer {
    size_t source_bytes; /* of its struct; memory is cleared */
    size_t cursor_bytes;
    bool   patterns; /* takes names with * ? [] */
    bool   walks;    /* looks at links itself; else its files lie side by side in one folder */

    /* Whether a folder's entry of this name speaks for this kind. NULL: it takes no folders. */
    bool (*claims_entry)(const char *name, stk_file_kind kind);
    /* Whether a file of this name that begins with head (up to STK_SOURCE_HEAD bytes) is of this
     * kind. NULL: it takes no files. */
    bool (*claims_file)(const char *name, stk_bytes head);
    /* Lists source->path and fills in count, splits and features. What it built is taken down by
     * close, also after a failure. */
    stk_status (*open)(stk_source *source, stk_error *err);
    void (*close)(stk_source *source); /* may be NULL; the common part is not its business */
    void (*item)(const stk_source *source, uint64_t index, stk_source_item *item);
    /* Puts item index into the cursor's fields and provenance. */
    stk_status (*read)(stk_source_cursor *cursor, uint64_t index, stk_error *err);
    void (*cursor_open)(stk_source_cursor *cursor);  /* may be NULL; allocates nothing */
    void (*cursor_close)(stk_source_cursor *cursor); /* may be NULL */
} stk_importer;

enum { STK_SOURCE_HEAD = 512 }; /* one block of a tar file, the largest header there is */

struct stk_source {
    const stk_importer   *importer;
    atomic_uint           references;
    const char           *kind; /* a literal */
    const stk_filesystem *fs;
    const stk_cancel     *cancel; /* while opening only */
    bool                  skip_bad, follow_outside;
    uint64_t              followed; /* names that lead out of the folder, and were taken */
    stk_file_info         info;     /* of path; kind OTHER for a pattern */
    stk_arena             arena;    /* names, features and the importer's listing */
    char                 *path;
    uint64_t              count;
    uint64_t              names, labels; /* hashes of them, once it is open */
    char                **splits;
    size_t                split_count;
    stk_feature_info     *features;
    size_t                feature_count;
    size_t                feature_capacity;
    stk_left_out_list     left_out;
    stk_blob              notes; /* lines that end in 0 */
};

/* Of the names, labels and splits of all items. */
void stk_source_hash_names(stk_source *source);

/* Counts a name that leads out of the data's folder, and says whether it is taken: name is an
 * example, and in folder. */
STK_NODISCARD stk_status stk_source_meet_outside(stk_source *source, const char *folder,
                                                 const char *name, bool *taken, stk_error *err);
/* Called after the listing: STK_E_INVALID if such names are neither followed nor skipped; a note if
 * followed. one and many: "link leads", "links lead". */
STK_NODISCARD stk_status stk_source_report_outside(stk_source *source, const char *one,
                                                   const char *many, stk_error *err);
#define STK_OUTSIDE_NOTE                                                                           \
    "names that lead out of the data's folder and were followed: %" PRIu64 ", first '%s'"

/* Adds a note for users: entries that were skipped or reinterpreted. */
STK_NODISCARD stk_status stk_source_note(stk_source *source, stk_error *err, const char *format,
                                         ...) STK_PRINTF(3, 4);

/* Storage of a scalar field's value. */
typedef union stk_field_value {
    int64_t   integer;
    float     real;
    stk_bytes bytes;
} stk_field_value;

struct stk_source_cursor {
    const stk_source *source;
    stk_sample        sample;
    stk_field        *fields; /* one per feature; data points at its value until read says else */
    stk_field_value  *values; /* one per feature */
    stk_blob          content;
    stk_blob          path;      /* of the file being read, terminated */
    uint64_t          bytes_max; /* bytes of a file that are wanted; 0: all */
};

/* Accounts for further reads in ledger (NULL: none), which must live until the next call.
 * Invalidates the current sample. */
void stk_source_cursor_use(stk_source_cursor *cursor, stk_ledger *ledger);
/* Frees the bytes of the current sample if they are many; invalidates it. */
void stk_source_cursor_trim(stk_source_cursor *cursor);

/* Moves the cursor's content, which fields of the sample at hand may point into, to a buffer: the
 * bytes stay where they are, and the next read uses others. */
STK_NODISCARD stk_status stk_source_cursor_share(stk_source_cursor *cursor, stk_buffer **out,
                                                 stk_error *err);

/* Files that are items by themselves are read up to most bytes from here on, 0: to the end. Items
 * of other kinds come whole. For headers. */
void stk_source_cursor_limit(stk_source_cursor *cursor, uint64_t bytes_max);

/* Reserves features before they are added. */
STK_NODISCARD stk_status stk_source_reserve_features(stk_source *source, size_t count,
                                                     stk_error *err);
/* Adds one of scalar shape without classes. name is copied. */
STK_NODISCARD stk_status stk_source_add_feature(stk_source *source, const char *name,
                                                stk_feature_meaning meaning, stk_dtype dtype,
                                                stk_feature_info **out, stk_error *err);
/* count class names "0", "1", ... for feature. */
STK_NODISCARD stk_status stk_source_number_classes(stk_source *source, stk_feature_info *feature,
                                                   size_t count, stk_error *err);
/* STK_E_FORMAT when two features have the same name. */
STK_NODISCARD stk_status stk_source_check_names(stk_source *source, stk_error *err);
/* Names are copied. */
STK_NODISCARD stk_status stk_source_set_splits(stk_source *source, const char *const *names,
                                               size_t count, stk_error *err);
/* Reads the whole file name (relative to folder), of which the listing said bytes, into the
 * cursor's content, or what its limit leaves of it. A file of another size by now is
 * STK_E_DATALOSS, as is an empty one. */
STK_NODISCARD stk_status stk_source_read_file(stk_source_cursor *cursor, const char *folder,
                                              const char *name, uint64_t bytes, stk_error *err);

#endif
