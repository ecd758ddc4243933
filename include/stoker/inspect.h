/* stoker/inspect.h - what is in a data set: schema, counts, sizes, classes, damage. */
#ifndef STOKER_INSPECT_H
#define STOKER_INSPECT_H

#include <stdbool.h>
#include <stoker/cancel.h>
#include <stoker/dataset_info.h>
#include <stoker/tfrecord.h>

STK_BEGIN_DECLS

typedef struct stk_inspect_options {
    bool verify;       /* check both checksums and parse every record */
    bool whole;        /* read every record for schema and classes, without verify's checks;
                          else the first `sample_records` of each file */
    const char *label; /* the feature to count classes of; NULL finds it */
    uint64_t    sample_records; /* 0 means 1000 */
    uint32_t    first_records;  /* how many to show in full */
    uint32_t    max_bad; /* bad records kept in the result; the rest is only counted. 0: 100 */
    const char *kind;    /* of source when it is no TFRecord; NULL finds out */
    bool        follow_outside; /* as stk_source_options says */
    stk_ledger *ledger;
    int         threads; /* that read files side by side; 0 means one per allowed core */
    const stk_cancel *cancel;
    /* Called now and then from the threads that read, by one at a time. */
    void (*progress)(void *context, uint64_t bytes_done, uint64_t bytes_total);
    void *progress_context;
} stk_inspect_options;

/* One feature key, over the records read. */
typedef struct stk_inspect_feature {
    char     *name;
    stk_dtype dtype; /* NONE when records disagree or it never has a value */
    bool      mixed_types;
    bool      in_sequence;          /* a feature list of a SequenceExample */
    uint64_t  present;              /* records that have it */
    uint64_t  min_count, max_count; /* values in a record (in a step for a feature list) */
    uint64_t  min_bytes, max_bytes, total_bytes; /* of byte strings */
    /* What byte strings are: by content ("JPEG", "text"), else as features.json describes them
     * ("uint8[28,28,1]"), else "". */
    char content[48];
} stk_inspect_feature;

typedef struct stk_inspect_class {
    char    *name; /* from labels.txt or the value itself */
    int64_t  label;
    uint64_t count;
} stk_inspect_class;

typedef struct stk_inspect_file {
    char           *path;
    char           *split;
    stk_compression compression;
    uint64_t        bytes;
    uint64_t        records; /* found, bad ones included; exact: every header is read */
    uint64_t        bad;
} stk_inspect_file;

typedef struct stk_inspect_bad {
    char     *path;
    uint64_t  record, offset;
    stk_error error;
} stk_inspect_bad;

typedef struct stk_inspect_report {
    const char          *kind;  /* "tfrecord" or the source's kind; a literal */
    stk_inspect_file    *files; /* for other sources one per split */
    size_t               file_count;
    stk_inspect_feature *features;
    size_t               feature_count;
    char                *label_feature; /* NULL when there is no class feature */
    stk_inspect_class   *classes;
    size_t               class_count;
    stk_inspect_bad     *bad;
    size_t               bad_kept;
    uint64_t             bad_count;
    uint64_t             records;      /* in all */
    uint64_t             records_read; /* that the schema and classes speak of */
    uint64_t             not_examples; /* of those read: no tf.train.Example, without a schema */
    uint64_t             bytes;        /* of all files */
    /* Of the records read; for other sources of all items, as listed. */
    uint64_t min_record_bytes, max_record_bytes, total_record_bytes;
    char   **first; /* the first records as readable text, one string each */
    size_t   first_count;
    bool     verified;
} stk_inspect_report;

/* Looks at a TFRecord file, folder, pattern or any source. Damage is reported in the result, not as
 * a failure; the call fails only when nothing can be said (no such file, no memory, cancelled). */
STK_API STK_NODISCARD stk_status stk_inspect(stk_inspect_report *out, const stk_filesystem *fs,
                                             const char *path, const stk_inspect_options *options,
                                             stk_error *err);
STK_API void                     stk_inspect_report_release(stk_inspect_report *report);

STK_END_DECLS
#endif
