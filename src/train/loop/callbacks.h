/* Callbacks of a run: on_step on the training thread, the others on a thread of their own. Each is
 * timed, and slow ones are reported. */
#ifndef STK_TRAIN_LOOP_CALLBACKS_H
#define STK_TRAIN_LOOP_CALLBACKS_H

#include <stoker/trainer.h>

typedef struct stk_callbacks stk_callbacks;

enum { STK_CALLBACKS_QUEUE = 4096 };

typedef struct stk_callbacks_options {
    /* From any thread, one call at a time; NULL drops lines. */
    void (*log)(void *context, const char *line);
    void      *log_context;
    stk_trace *trace; /* NULL is fine */
} stk_callbacks_options;

/* Copies list; the callbacks' contexts must outlive the result. */
STK_NODISCARD stk_status stk_callbacks_start(stk_callbacks **out, const stk_callback *list,
                                             size_t count, const stk_callbacks_options *options,
                                             stk_error *err);
/* Waits for queued reports, then joins the thread. NULL is fine. */
void stk_callbacks_free(stk_callbacks *callbacks);

/* Calls every on_step on this thread. step_ns: duration of the step without callbacks, for the
 * slowness rule. */
void stk_callbacks_step(stk_callbacks *callbacks, const stk_train_progress *progress,
                        uint64_t step_ns);
/* Queues a copy for the thread: on_report, and on_epoch at an epoch's end. Reports are never
 * dropped: this blocks while the queue (STK_CALLBACKS_QUEUE reports) is full, and warns once. */
void stk_callbacks_report(stk_callbacks *callbacks, const stk_train_progress *progress);
/* Queues on_checkpoint after the reports so far. Returns a ticket for stk_callbacks_wait, which
 * must be waited for before the next one is drawn. */
uint64_t stk_callbacks_ticket(stk_callbacks *callbacks);
/* Waits until the ticket's work is done. Returns the first failure of on_checkpoint, if any. */
STK_NODISCARD stk_status stk_callbacks_wait(stk_callbacks *callbacks, uint64_t ticket,
                                            stk_error *err);
/* Waits until the queue is empty. */
void stk_callbacks_flush(stk_callbacks *callbacks);

size_t stk_callbacks_count(const stk_callbacks *callbacks);
/* Work of the thread so far for callbacks first to end - 1; callable from any thread. */
typedef struct stk_callbacks_work {
    uint64_t calls, ns;
} stk_callbacks_work;

stk_callbacks_work stk_callbacks_read_work(const stk_callbacks *callbacks, size_t first,
                                           size_t end);
stk_callback_stats stk_callbacks_stats(const stk_callbacks *callbacks, size_t index);

#endif
