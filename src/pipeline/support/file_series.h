/* Reads files in sequence, for all record sources. A damaged or missing file is one error; the next
 * result is from the next file. */
#ifndef STK_PIPELINE_SUPPORT_FILE_SERIES_H
#define STK_PIPELINE_SUPPORT_FILE_SERIES_H

#include "pipeline/runtime/run_node.h"
#include "pipeline/support/file_list.h"
#include "pipeline/support/record_block.h"

#include <stoker/tfrecord.h>

/* A reader's position: offset of the next record in the uncompressed file, and its index. */
typedef struct stk_file_position {
    uint64_t offset, index;
} stk_file_position;

/* A reader of one file format. */
typedef struct stk_file_format {
    /* params: the operator's. On failure *reader is NULL. */
    stk_status (*open)(void **reader, const void *params, const stk_filesystem *fs,
                       const char *path, stk_ledger *ledger, stk_error *err);
    /* Reads the next record; its data is NULL at the end of the file. *owner holds it with one
     * reference for the caller, or is NULL: then the record is borrowed until the next call. */
    stk_status (*next)(void *reader, stk_ledger *ledger, stk_record *record, stk_buffer **owner,
                       stk_error *err);
    /* After next failed with st: whether the reader is past the damage and can continue. NULL:
     * never. */
    bool (*recover)(void *reader, const void *params, stk_status st);
    /* Skips records without reading their data; *skipped is smaller only at the end of the file and
     * after an error. NULL: records are read. */
    stk_status (*skip)(void *reader, uint64_t count, uint64_t *skipped, stk_error *err);
    stk_file_position (*position)(const void *reader);
    /* Moves a fresh reader to a position of this file. */
    stk_status (*move)(void *reader, const void *params, stk_file_position position,
                       stk_error *err);
    void (*close)(void *reader);
} stk_file_format;

/* The source's state. */
typedef struct stk_file_series {
    const stk_file_format *format;
    const stk_file_list   *list;
    const stk_filesystem  *inner, *fs; /* as given, and with read-ahead; fs is NULL until the first
                                          open */
    size_t           file;             /* index of the current file */
    size_t           hinted;           /* files before this index were hinted or opened */
    void            *reader;           /* NULL between files */
    stk_buffer      *name;             /* current file name, for origins */
    uint64_t         results;          /* of this epoch, errors included */
    stk_record_block block;
} stk_file_series;

/* The head of the source's parameters. */
typedef struct stk_file_source {
    const stk_file_format *format;
    stk_file_list          list;
    const stk_filesystem  *fs;
} stk_file_source;

/* Functions for the operator's table; stk_file_source heads its parameters and stk_file_series is
 * its state. Closing a node that never opened is fine. */
void       stk_file_source_release(void *params);
size_t     stk_file_source_count(const stk_dataset *data);
stk_status stk_file_source_content(const stk_dataset *data, stk_content *content, stk_error *err);
stk_status stk_file_source_keep(const stk_dataset *data, size_t count, size_t first,
                                stk_dataset **out, stk_error *err);
stk_status stk_file_series_open(stk_node *node, stk_error *err);
stk_status stk_file_series_next(stk_node *node, stk_element **out, stk_error *err);
void       stk_file_series_close(stk_node *node);
stk_status stk_file_series_save(stk_node *node, stk_state_out *out, stk_error *err);
stk_status stk_file_series_restore(stk_node *node, stk_state_in *in, stk_error *err);
stk_status stk_file_series_discard(stk_node *node, uint64_t count, uint64_t *discarded,
                                   stk_error *err);
stk_status stk_file_series_skip(stk_node *node, uint64_t count, uint64_t *passed, stk_error *err);

/* Entries of the operator's table. */
#define STK_FILE_SOURCE_OP                                                                         \
    .stage = STK_STAGE_READ, .release_params = stk_file_source_release,                            \
    .content = stk_file_source_content, .file_count = stk_file_source_count,                       \
    .keep_files = stk_file_source_keep, .state_bytes = sizeof(stk_file_series),                    \
    .open = stk_file_series_open, .next = stk_file_series_next, .close = stk_file_series_close,    \
    .save = stk_file_series_save, .restore = stk_file_series_restore,                              \
    .discard = stk_file_series_discard, .skip = stk_file_series_skip

/* For check: the spec of one byte string called name. */
STK_NODISCARD stk_status stk_file_series_spec(stk_dataset *data, const char *name, stk_error *err);

#endif
