/* stoker/events.h - TensorBoard event files: curves, texts and images by step. An event file is a
 * TFRecord file that readers follow while it grows. A resumed run starts a new file beside the old
 * ones; TensorBoard merges them. */
#ifndef STOKER_EVENTS_H
#define STOKER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/bytes.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

typedef struct stk_events_options {
    const stk_filesystem *filesystem; /* NULL: the local one */
    double  flush_seconds; /* longest time an event is buffered; 0 means 10, below 0: no limit */
    bool    resumed;       /* tell readers to ignore events of older files from resume_step on */
    int64_t resume_step;
    const char *host;             /* for the file name; NULL: this machine's */
    double (*now)(void *context); /* seconds since 1970; NULL: the clock */
    void       *now_context;
    stk_ledger *ledger; /* NULL is fine; must outlive the events */
} stk_events_options;

typedef struct stk_events stk_events; /* not thread-safe */

/* Creates events.out.tfevents.TIME.HOST in folder, which must exist; a number is appended if the
 * name is taken. options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_events_open(stk_events **out, const char *folder,
                                                 const stk_events_options *options, stk_error *err);
/* Borrowed from events. */
STK_API const char *stk_events_path(const stk_events *events);

/* Adds one point of the curve tag. May report the failure to write an earlier event; unwritten
 * events stay buffered (up to 4 MiB) and are retried. A point lost for lack of memory is reported
 * by flush; tags up to 400 bytes need none while the file can be written. A text, image or settings
 * that fail are not added and can be added again. */
STK_API STK_NODISCARD stk_status stk_events_scalar(stk_events *events, const char *tag,
                                                   int64_t step, double value, stk_error *err);
/* UTF-8, shown as Markdown. */
STK_API STK_NODISCARD stk_status stk_events_text(stk_events *events, const char *tag, int64_t step,
                                                 const char *text, stk_error *err);
/* An encoded image: PNG or JPEG. */
STK_API STK_NODISCARD stk_status stk_events_image(stk_events *events, const char *tag, int64_t step,
                                                  stk_bytes encoded, stk_error *err);

/* Hyperparameters of a run, and the curves (tags) that judge it. */
typedef enum stk_events_kind {
    STK_EVENTS_NUMBER,
    STK_EVENTS_TEXT,
    STK_EVENTS_BOOL
} stk_events_kind;

typedef struct stk_events_hparam {
    const char     *name;
    stk_events_kind kind;
    double          number; /* of NUMBER and BOOL */
    const char     *text;   /* of TEXT: UTF-8 */
} stk_events_hparam;

typedef struct stk_events_hparams {
    const stk_events_hparam *list;
    size_t                   count;
    const char *const       *metrics;
    size_t                   metric_count;
} stk_events_hparams;

/* Write a run's settings at its begin and its outcome at its end, for TensorBoard's HPARAMS
 * page. */
STK_API STK_NODISCARD stk_status stk_events_hparams_begin(stk_events               *events,
                                                          const stk_events_hparams *all,
                                                          stk_error                *err);
STK_API STK_NODISCARD stk_status stk_events_hparams_end(stk_events *events, bool success,
                                                        stk_error *err);

/* Writes all buffered events to the file, so that readers see them. */
STK_API STK_NODISCARD stk_status stk_events_show(stk_events *events, stk_error *err);
/* Like show, and syncs the file to disk. After a point was lost, every call fails. */
STK_API STK_NODISCARD stk_status stk_events_flush(stk_events *events, stk_error *err);
/* Writes buffered events if possible; call flush before to learn of failures. NULL is fine. */
STK_API void stk_events_free(stk_events *events);

STK_END_DECLS
#endif
