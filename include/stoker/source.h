/* stoker/source.h - existing data of any common form, as indexed samples. A source lists its items
 * (name, class, split) without reading them. Items are then read in any order by any number of
 * threads, each with its own cursor. The listing is sorted, so equal data has equal indices. */
#ifndef STOKER_SOURCE_H
#define STOKER_SOURCE_H

#include <stdbool.h>
#include <stoker/cancel.h>
#include <stoker/dataset_info.h>
#include <stoker/sample.h>

STK_BEGIN_DECLS

typedef struct stk_source        stk_source; /* immutable once open */
typedef struct stk_source_cursor stk_source_cursor;

typedef struct stk_source_options {
    const char       *kind;   /* NULL: detected; else a name from stk_source_kinds */
    stk_ledger       *ledger; /* NULL is fine; must outlive the source */
    const stk_cancel *cancel;
    /* Skip and count dangling links, link loops and unreadable folders. Without it they are errors.
     */
    bool skip_bad;
    /* Follow links and table rows that lead out of the data's folder. Without it they are errors
     * or, with skip_bad, skipped and counted. */
    bool follow_outside;
} stk_source_options;

/* Why a listing skipped an entry. */
typedef enum stk_left_out_reason {
    STK_LEFT_OUT_LINK,    /* a dangling link; with skip_bad */
    STK_LEFT_OUT_LOOP,    /* a link to a parent folder; with skip_bad */
    STK_LEFT_OUT_DENIED,  /* an unreadable folder; with skip_bad */
    STK_LEFT_OUT_OUTSIDE, /* a link or row that leads out of the data's folder; with skip_bad */
    STK_LEFT_OUT_FORMAT,  /* an image, by its name, of an unsupported format */
    STK_LEFT_OUT_EMPTY,   /* a folder without images in its subtree */
    STK_LEFT_OUT_OTHER,   /* no image, by its name */
    STK_LEFT_OUT_HIDDEN,  /* its name begins with a dot */
    STK_LEFT_OUT_REASONS
} stk_left_out_reason;

typedef struct stk_source_left_out {
    stk_left_out_reason reason;
    const char         *ending; /* ".heic" of FORMAT and OTHER; "" where there is none */
    uint64_t            count;
    const char         *example; /* the first such entry, relative to the source */
} stk_source_left_out;

/* "link", "format", ...: a literal. */
STK_API const char *stk_left_out_reason_name(stk_left_out_reason reason);
/* Whether the entry is a mistake: the reasons of skip_bad. */
STK_API bool stk_left_out_is_bad(stk_left_out_reason reason);

typedef struct stk_source_item {
    const char *name; /* the item's file, or the archive that contains it; relative to the source */
    uint64_t    record;      /* the item's index in that file */
    uint64_t    bytes;       /* of its content on disk; may be an estimate */
    int64_t     modified_ns; /* of that file */
    int64_t     label;       /* -1: none */
    uint32_t    split;       /* index into the splits */
} stk_source_item;

/* One kind of source: a row of the table of importers. */
typedef struct stk_source_kind {
    const char *name;        /* "folder" */
    const char *description; /* one line, for --help */
} stk_source_kind;

/* All kinds; writes *count. */
STK_API const stk_source_kind *stk_source_kinds(size_t *count);

/* Detects the kind of path and lists its items. Never writes there. Data of no known form is
 * STK_E_FORMAT and says what was tried; a folder without images is STK_E_NOTFOUND. */
STK_API STK_NODISCARD stk_status stk_source_open(stk_source **out, const stk_filesystem *fs,
                                                 const char               *path,
                                                 const stk_source_options *options, stk_error *err);
/* Adds a reference; stk_source_free releases one. */
STK_API stk_source *stk_source_ref(stk_source *source);
STK_API void        stk_source_free(stk_source *source);

STK_API const char *stk_source_kind_name(const stk_source *source);
STK_API uint64_t    stk_source_count(const stk_source *source);
STK_API void   stk_source_item_at(const stk_source *source, uint64_t index, stk_source_item *item);
STK_API size_t stk_source_split_count(const stk_source *source);
STK_API const char *stk_source_split_name(const stk_source *source, size_t split);
/* Whether the name's ending is that of an image. */
STK_API bool stk_source_is_image_name(const char *name);
/* What the listing of a folder or of image archives skipped, by reason; nothing for other kinds.
 * Borrowed from the source. */
STK_API const stk_source_left_out *stk_source_left_outs(const stk_source *source, size_t *count);
/* Writes the same as one line and returns out: "2 .heic images, 1 .txt file; ..."; "" if nothing
 * was skipped. */
STK_API const char *stk_source_left_out_text(const stk_source *source, char *out, size_t capacity);
/* The fields of every sample, with meanings and class names. Borrowed from the source. */
STK_API const stk_feature_info *stk_source_features(const stk_source *source, size_t *count);

/* Notes for users on what was skipped or assumed: returns the line after note, the first for NULL,
 * NULL past the last. Borrowed from the source. */
STK_API const char *stk_source_next_note(const stk_source *source, const char *note);

STK_API STK_NODISCARD stk_status stk_source_cursor_new(stk_source_cursor **out,
                                                       const stk_source *source, stk_error *err);
STK_API void                     stk_source_cursor_free(stk_source_cursor *cursor);

/* Reads item index. The sample is borrowed until the next read with this cursor. */
STK_API STK_NODISCARD stk_status stk_source_read(stk_source_cursor *cursor, uint64_t index,
                                                 const stk_sample **out, stk_error *err);

STK_END_DECLS
#endif
