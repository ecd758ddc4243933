/* stoker/events.h - event files, as TensorBoard reads them: curves, texts and images by step.
 * An event file is a TFRecord file that grows while it is followed. A run that is continued begins
 * a new file beside the old ones; TensorBoard puts them together. */
#ifndef STOKER_EVENTS_H
#define STOKER_EVENTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stoker/bytes.h>
#include <stoker/filesystem.h>

STK_BEGIN_DECLS

typedef struct stk_events_options {
    const stk_filesystem *filesystem;    /* NULL: the local one */
    double                flush_seconds; /* longest wait in memory; 0 means 10, below 0 for ever */
    bool                  resumed;       /* drop what older files hold from resume_step on */
    int64_t               resume_step;
    const char           *host;   /* for the name; NULL: this machine's */
    double (*now)(void *context); /* seconds since 1970; NULL: the clock */
    void       *now_context;
    stk_ledger *ledger; /* NULL is fine; must outlive the events */
} stk_events_options;

typedef struct stk_events stk_events; /* for one thread at a time */

/* Begins the file events.out.tfevents.TIME.HOST in folder, which must exist; a number follows where
 * that name is taken. options may be NULL. On failure *out is NULL. */
STK_API STK_NODISCARD stk_status stk_events_open(stk_events **out, const char *folder,
                                                 const stk_events_options *options, stk_error *err);
/* Lent as long as the events. */
STK_API const char *stk_events_path(const stk_events *events);

/* One point of the curve tag. May fail for an earlier event that only now goes to the file; what is
 * not written stays in memory (up to 4 MiB) and is tried again. A point that there is no memory for
 * is lost, which flush tells; with tags of up to 400 bytes they take none while the file can be
 * written. A text, an image or settings that fail are not taken and may be given again. */
STK_API STK_NODISCARD stk_status stk_events_scalar(stk_events *events, const char *tag,
                                                   int64_t step, double value, stk_error *err);
/* UTF-8, shown as Markdown. */
STK_API STK_NODISCARD stk_status stk_events_text(stk_events *events, const char *tag, int64_t step,
                                                 const char *text, stk_error *err);
/* An encoded image: PNG or JPEG. */
STK_API STK_NODISCARD stk_status stk_events_image(stk_events *events, const char *tag, int64_t step,
                                                  stk_bytes encoded, stk_error *err);

/* What a run is done with, and the curves (tags) that judge it. */
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

/* For the HPARAMS page of TensorBoard, which compares runs by them: at the beginning of a run, and
 * at its end. */
STK_API STK_NODISCARD stk_status stk_events_hparams_begin(stk_events               *events,
                                                          const stk_events_hparams *all,
                                                          stk_error                *err);
STK_API STK_NODISCARD stk_status stk_events_hparams_end(stk_events *events, bool success,
                                                        stk_error *err);

/* Everything so far goes to the file, where those who follow it see it. */
STK_API STK_NODISCARD stk_status stk_events_show(stk_events *events, stk_error *err);
/* And to the disk, all of them: a point that was lost is an error ever after. */
STK_API STK_NODISCARD stk_status stk_events_flush(stk_events *events, stk_error *err);
/* Writes what is in memory if it can: flush before to know. NULL is fine. */
STK_API void stk_events_free(stk_events *events);

STK_END_DECLS
#endif
