/* stoker/profiler.h - what limits a training run, and what each fix would gain: trains for a while,
 * measures, diagnoses. stk_profiler_run is all of 'stoker profile' but its flags and its text. */
#ifndef STOKER_PROFILER_H
#define STOKER_PROFILER_H

#include <stoker/cancel.h>
#include <stoker/diagnosis.h>
#include <stoker/inject.h>
#include <stoker/lint.h>
#include <stoker/trace.h>
#include <stoker/train_resolve.h>

STK_BEGIN_DECLS

/* The parts of a run of the profiler, in this order. */
typedef enum stk_profiler_part {
    STK_PROFILER_PREPARE, /* reads the data, resolves the recipe, compiles */
    STK_PROFILER_WARM_UP,
    STK_PROFILER_MEASURE, /* steps of training: counters only */
    STK_PROFILER_TRACE,   /* ten more steps, operation by operation */
    STK_PROFILER_EXTRAS,  /* operations, other batches, cost of observing, the machine */
    STK_PROFILER_DIAGNOSE /* and files */
} stk_profiler_part;

typedef struct stk_profiler_progress {
    stk_profiler_part part;
    int64_t           steps;    /* of training so far, with warm-up */
    double            seconds;  /* since the call */
    double            fraction; /* of the measured part, 0 to 1 */
} stk_profiler_progress;

/* All zero is a good one. */
typedef struct stk_profiler_options {
    double  seconds; /* of training to measure, after warm-up; 0: 20 */
    int64_t steps;   /* to measure instead; 0: as the seconds say */
    /* For what is measured after training; 0: half of seconds, at most 10, or half of what the
     * steps took, but 2 at least. Below 0: that part is left out, and with it peaks of the machine,
     * times of operations and lints. */
    double            extra_seconds;
    const stk_inject *inject; /* faults on purpose; NULL: none */
    /* Where profile.json, diagnosis.json, trace.json.gz, report.html and run/ go; made with those
     * above it. A folder that has a profile is STK_E_EXISTS. NULL: no file stays; the run itself
     * goes to a folder in $TMPDIR that is removed. */
    const char       *folder;
    bool              no_trace, no_page; /* without trace.json.gz, without report.html */
    const char       *command;           /* kept in the profile: how to do it again; NULL: none */
    const stk_cancel *cancel;            /* ends early: what was measured until then is diagnosed */
    /* At the begin of each part, and up to five times a second during training, on whose thread:
     * it must be quick. NULL: none. */
    void (*progress)(void *context, const stk_profiler_progress *progress);
    /* Lines of the trainer for users; from any thread, one at a time. NULL: dropped. */
    void (*log)(void *context, const char *line);
    void *context;
} stk_profiler_options;

typedef struct stk_profiler_result {
    stk_profile   profile;
    stk_diagnosis diagnosis;   /* lints are among its fixes */
    stk_trace    *trace;       /* of the steps after the measured part; NULL: none */
    bool          interrupted; /* by cancel */
    /* Why a part is missing that the rest is good without; status STK_OK: it is there, or was not
     * asked for. */
    stk_error extras_error, trace_error, page_error;
} stk_profiler_result;

/* Trains recipe and fills *out, which is to be released even on failure. data NULL: the recipe is
 * read and resolved here; else it is resolved, and data is its own. Neither is changed: the copy
 * that runs has no evaluations, no end but the time, and output.folder as above. options may be
 * NULL. The call keeps one thread of its own beside those of training. */
STK_API STK_NODISCARD stk_status stk_profiler_run(stk_profiler_result        *out,
                                                  const stk_train_recipe     *recipe,
                                                  const stk_train_data       *data,
                                                  const stk_profiler_options *options,
                                                  stk_error                  *err);
STK_API void                     stk_profiler_result_release(stk_profiler_result *result);

/* Measures what a device gives that computes asynchronously, in float32, or in tf32 or 16 bits
 * where precision says so: arithmetic, memory, copies from the host. What cannot be measured is -1.
 * False: the backend is none, and limits are as they were. */
STK_API bool stk_profiler_probe_device(stk_machine_peaks *limits, const char *backend,
                                       const char *precision);
/* Nanoseconds to launch an operation that does nothing on a backend, by its name; -1: not known. */
STK_API double stk_profiler_launch_ns(const char *backend);

STK_END_DECLS
#endif
