/* Callbacks of a run: those of the step on the training thread, the others on one of their own.
 * Each is timed, and slow ones are named. */
#ifndef STK_TRAIN_LOOP_CALLBACKS_H
#define STK_TRAIN_LOOP_CALLBACKS_H

#include <stoker/trainer.h>

typedef struct stk_callbacks stk_callbacks;

enum { STK_CALLBACKS_QUEUE = 4096 };

typedef struct stk_callbacks_options {
    /* From any thread, one at a time; NULL: dropped. */
    void (*log)(void *context, const char *line);
    void      *log_context;
    stk_trace *trace; /* NULL is fine */
} stk_callbacks_options;

/* Copies list; what it points to must outlive the callbacks. */
STK_NODISCARD stk_status stk_callbacks_start(stk_callbacks **out, const stk_callback *list,
                                             size_t count, const stk_callbacks_options *options,
                                             stk_error *err);
/* Waits for what was handed over, then ends the thread. NULL is fine. */
void stk_callbacks_free(stk_callbacks *callbacks);

/* on_step of all, here and now. step_ns: of the step without them; the rule for slow ones needs it.
 */
void stk_callbacks_step(stk_callbacks *callbacks, const stk_train_progress *progress,
                        uint64_t step_ns);
/* Hands a copy to the thread: on_report of all, and on_epoch at the end of one. None is dropped:
 * where the queue (STK_CALLBACKS_QUEUE reports) is full this waits, which is told once. */
void stk_callbacks_report(stk_callbacks *callbacks, const stk_train_progress *progress);
/* Has the thread call on_checkpoint of all after what was reported so far. Returns the mark to wait
 * for; before the next one it must be. */
uint64_t stk_callbacks_ticket(stk_callbacks *callbacks);
/* Waits until the thread is past a mark. The first failure of on_checkpoint there, if any. */
STK_NODISCARD stk_status stk_callbacks_wait(stk_callbacks *callbacks, uint64_t ticket,
                                            stk_error *err);
/* Waits until all that was handed over is done. */
void stk_callbacks_flush(stk_callbacks *callbacks);

size_t stk_callbacks_count(const stk_callbacks *callbacks);
/* What the thread did so far for callbacks first to end - 1 of the list; from any thread. */
typedef struct stk_callbacks_work {
    uint64_t calls, ns;
} stk_callbacks_work;

stk_callbacks_work stk_callbacks_read_work(const stk_callbacks *callbacks, size_t first,
                                           size_t end);
stk_callback_stats stk_callbacks_stats(const stk_callbacks *callbacks, size_t index);

#endif
