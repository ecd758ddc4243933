/* stoker/source.h - existing data of any common form, as numbered samples.
 * A source knows how many items there are, what each is called, its class and its split, without
 * reading them; items are then read in any order, from any number of threads, each with a cursor of
 * its own. Listing is sorted, so that the same data always has the same numbers. */
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
    const char       *kind;   /* NULL finds out; else a name from stk_source_kinds */
    stk_ledger       *ledger; /* NULL is fine; must outlive the source */
    const stk_cancel *cancel;
    /* Leave out, and count, links to nothing, links that lead back up and folders that may not be
     * read. Without it they are errors. */
    bool skip_bad;
    /* Take what lies outside of the data's folder: where links lead, and rows of a table. Without
     * it that is an error or, with skip_bad, left out and counted. */
    bool follow_outside;
} stk_source_options;

/* Why a listing passed something over. */
typedef enum stk_left_out_reason {
    STK_LEFT_OUT_LINK,    /* an image or folder that is a link to nothing; with skip_bad */
    STK_LEFT_OUT_LOOP,    /* a link that leads back up; with skip_bad */
    STK_LEFT_OUT_DENIED,  /* a folder that may not be read; with skip_bad */
    STK_LEFT_OUT_OUTSIDE, /* a link or a row that leads out of the data's folder; with skip_bad */
    STK_LEFT_OUT_FORMAT,  /* an image, by its name, of a format that is not read */
    STK_LEFT_OUT_EMPTY,   /* a folder with no image in it or below */
    STK_LEFT_OUT_OTHER,   /* no image, by its name */
    STK_LEFT_OUT_HIDDEN,  /* its name begins with a dot */
    STK_LEFT_OUT_REASONS
} stk_left_out_reason;

typedef struct stk_source_left_out {
    stk_left_out_reason reason;
    const char         *ending; /* ".heic" of FORMAT and OTHER; "" where there is none */
    uint64_t            count;
    const char         *example; /* the first of them; relative to the source */
} stk_source_left_out;

/* "link", "format", ...: a literal. */
STK_API const char *stk_left_out_reason_name(stk_left_out_reason reason);
/* Whether it is there by mistake: those that skip_bad is about. */
STK_API bool stk_left_out_is_bad(stk_left_out_reason reason);

typedef struct stk_source_item {
    const char *name;   /* the file, or the file the item is inside of; relative to the source */
    uint64_t    record; /* the item's number inside that file */
    uint64_t    bytes;  /* of its content on disk; an estimate where that is not known */
    int64_t     modified_ns; /* of that file */
    int64_t     label;       /* -1 when it has none */
    uint32_t    split;       /* index into the splits */
} stk_source_item;

/* One kind of source: what the table of importers holds. */
typedef struct stk_source_kind {
    const char *name;        /* "folder" */
    const char *description; /* one line, for --help */
} stk_source_kind;

/* The kinds that can be named; count is written. */
STK_API const stk_source_kind *stk_source_kinds(size_t *count);

/* Finds out what path is and lists it. Nothing there is ever written. Data of no known form is
 * STK_E_FORMAT with what was looked for; a folder with no images is STK_E_NOTFOUND. */
STK_API STK_NODISCARD stk_status stk_source_open(stk_source **out, const stk_filesystem *fs,
                                                 const char               *path,
                                                 const stk_source_options *options, stk_error *err);
/* Shares a source that is open: each reference is given back by stk_source_free. */
STK_API stk_source *stk_source_ref(stk_source *source);
STK_API void        stk_source_free(stk_source *source);

STK_API const char *stk_source_kind_name(const stk_source *source);
STK_API uint64_t    stk_source_count(const stk_source *source);
STK_API void   stk_source_item_at(const stk_source *source, uint64_t index, stk_source_item *item);
STK_API size_t stk_source_split_count(const stk_source *source);
STK_API const char *stk_source_split_name(const stk_source *source, size_t split);
/* Whether files of this name are taken for images, by its ending. */
STK_API bool stk_source_is_image_name(const char *name);
/* What the listing of a folder, or of archives of images, passed over, by reason; for other kinds
 * nothing. */
STK_API const stk_source_left_out *stk_source_left_outs(const stk_source *source, size_t *count);
/* The same as one line of words in out, which it returns: "2 .heic images, 1 .txt file; ..."; ""
 * where nothing was left out. */
STK_API const char *stk_source_left_out_text(const stk_source *source, char *out, size_t capacity);
/* The fields that every sample has, with meanings and class names. */
STK_API const stk_feature_info *stk_source_features(const stk_source *source, size_t *count);

/* What was left out, or taken for something, for people: the line after note, NULL past the last;
 * the first for a note of NULL. Lent by the source. */
STK_API const char *stk_source_next_note(const stk_source *source, const char *note);

STK_API STK_NODISCARD stk_status stk_source_cursor_new(stk_source_cursor **out,
                                                       const stk_source *source, stk_error *err);
STK_API void                     stk_source_cursor_free(stk_source_cursor *cursor);

/* Reads one item. The sample is lent until the next read with this cursor. */
STK_API STK_NODISCARD stk_status stk_source_read(stk_source_cursor *cursor, uint64_t index,
                                                 const stk_sample **out, stk_error *err);

STK_END_DECLS
#endif
