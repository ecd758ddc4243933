/* stoker/tune.h - tuning by measurement: from a baseline, one change at a time is tried beside what
 * is best so far, kept where it is shown to be faster, and taken back where not. For recipes of
 * this program (stk_tune_recipe) and for any training program (stk_tune_program). Every trial goes
 * to a ledger, from which an interrupted search goes on. */
#ifndef STOKER_TUNE_H
#define STOKER_TUNE_H

#include <stoker/cancel.h>
#include <stoker/diagnosis.h>
#include <stoker/inject.h>
#include <stoker/train_recipe.h>

STK_BEGIN_DECLS

enum {
    STK_TUNE_KEYS = 32,
    STK_TUNE_KEY = 48,
    STK_TUNE_VALUE = 256,
    STK_TUNE_NAME = 48,
    STK_TUNE_LINE = 256,
    STK_TUNE_ADVICE = 12
};

/* What differs from the start: keys of a recipe ("data.batch") or knobs of a program, with their
 * values. Sorted by key, each once. */
typedef struct stk_tune_assignment {
    char key[STK_TUNE_KEY], value[STK_TUNE_VALUE];
} stk_tune_assignment;

typedef struct stk_tune_setting {
    size_t              count;
    stk_tune_assignment list[STK_TUNE_KEYS];
} stk_tune_setting;

/* Sets or replaces key. STK_E_LIMIT if there are too many, or a text is too long. */
STK_API STK_NODISCARD stk_status stk_tune_setting_set(stk_tune_setting *setting, const char *key,
                                                      const char *value, stk_error *err);
/* NULL: setting does not have key. Borrowed. */
STK_API const char *stk_tune_setting_get(const stk_tune_setting *setting, const char *key);
STK_API bool        stk_tune_setting_equal(const stk_tune_setting *a, const stk_tune_setting *b);
/* Writes "data.batch=64, data.cache=memory"; "as it was" without assignments. Returns text. */
STK_API char *stk_tune_setting_text(const stk_tune_setting *setting, char *text, size_t capacity);

/* What a change may do to what is learnt. */
typedef enum stk_tune_class {
    STK_TUNE_EXACT,   /* the same bits are learnt */
    STK_TUNE_EQUAL,   /* the same samples and mathematics, up to rounding */
    STK_TUNE_LEARNING /* batch, precision, data: another training */
} stk_tune_class;

STK_API const char *stk_tune_class_name(stk_tune_class kind); /* "exact": a literal */

typedef enum stk_tune_decision {
    STK_TUNE_KEPT,
    STK_TUNE_NO_GAIN,   /* shown: less than options.least */
    STK_TUNE_SLOWER,    /* shown: a loss */
    STK_TUNE_UNDECIDED, /* not shown within the trial's time: taken back */
    STK_TUNE_REFUSED,   /* faster, but it changes what is learnt by more than it may */
    STK_TUNE_FAILED     /* it could not run */
} stk_tune_decision;

STK_API const char *stk_tune_decision_name(stk_tune_decision decision); /* "kept": a literal */

/* One change that was tried. */
typedef struct stk_tune_trial {
    int               number; /* from 1 */
    char              action[STK_TUNE_NAME], title[STK_TUNE_LINE];
    stk_stage         stage;
    stk_tune_class    kind;
    stk_tune_setting  change;       /* what it sets */
    stk_tune_setting  before;       /* what was kept until then, and the values that change */
    stk_estimate      predicted;    /* gain; value below -1: not known */
    size_t            observations; /* pairs, or blocks of four */
    double            rate_before, rate_after;     /* medians; 0: not measured */
    double            joules_before, joules_after; /* a sample; 0: not known */
    stk_estimate      gain;                        /* measured, with its interval */
    stk_tune_decision decision;
    char              reason[STK_TUNE_LINE]; /* of the decision, a sentence */
    double            seconds;               /* that the trial took */
} stk_tune_trial;

/* What limits a setting. */
typedef struct stk_tune_limit {
    bool   known;
    char   verdict[STK_TUNE_LINE];
    double exposed[STK_STAGE_COUNT]; /* fractions of a step, 0 to 1 */
} stk_tune_limit;

/* What only a person can do. */
typedef struct stk_tune_advice {
    char         text[STK_TUNE_LINE];
    stk_estimate gain; /* value below -1: not known */
} stk_tune_advice;

/* All of a search, as it is in its ledger. */
typedef struct stk_tune_report {
    char   kind[16]; /* "recipe" or "program"; "": options were wrong, and nothing began */
    char   subject[STK_TUNE_LINE]; /* the data, or the command */
    char   unit[16];               /* of rates: "samples", "steps", "bytes" */
    char   version[32], host[64], processor[STK_TUNE_LINE];
    int    cores;
    char   started[32]; /* ISO 8601, UTC */
    char   objective[STK_TUNE_LINE];
    double least, budget_s, seconds;
    double noise; /* standard deviation of an observation of A against A */
    stk_tune_setting best;
    double           base_rate, best_rate;     /* of the first and the last measurement together */
    double           base_joules, best_joules; /* a sample; 0: not known */
    stk_estimate     gain; /* of best over the start, measured at the end; value below -1: not */
    stk_tune_limit   limit_base, limit_best;
    size_t           trial_count;
    stk_tune_trial  *trials; /* owned */
    size_t           advice_count;
    stk_tune_advice  advice[STK_TUNE_ADVICE];
    char             ended[STK_TUNE_LINE]; /* why; "": it has not */
} stk_tune_report;

STK_API void stk_tune_report_init(stk_tune_report *report);
STK_API void stk_tune_report_release(stk_tune_report *report);
/* Reads a ledger (tune.jsonl, or the folder it is in). Initialises out; the caller releases it even
 * on failure. A last line that is cut off is left out. */
STK_API STK_NODISCARD stk_status stk_tune_report_load(stk_tune_report *out, const char *path,
                                                      stk_error *err);
/* Appends a JSON object. */
STK_API STK_NODISCARD stk_status stk_tune_report_write(const stk_tune_report *report, stk_blob *out,
                                                       stk_error *err);
/* Appends the page: one HTML file without network access. */
STK_API STK_NODISCARD stk_status stk_tune_page_write(const stk_tune_report *report, stk_blob *out,
                                                     stk_error *err);

typedef enum stk_tune_phase {
    STK_TUNE_PREPARE,  /* reads the data, starts what is measured */
    STK_TUNE_NOISE,    /* A against A */
    STK_TUNE_DIAGNOSE, /* what limits, and what could be tried */
    STK_TUNE_TRY,
    STK_TUNE_GUARD,  /* whether a change may be kept */
    STK_TUNE_CONFIRM /* the best against the start */
} stk_tune_phase;

typedef struct stk_tune_progress {
    stk_tune_phase        phase;
    const stk_tune_trial *trial;   /* of TRY and GUARD: as far as it is; borrowed for the call */
    size_t                waiting; /* candidates after it */
    double                seconds, budget_s;
} stk_tune_progress;

/* All zero is a good one. */
typedef struct stk_tune_options {
    double   least;    /* smallest gain to keep; 0: 0.01 */
    double   budget_s; /* 0: 1200 */
    bool     allow_learning;
    double   margin; /* accuracy that a learning change may cost, 0 to 1; 0: 0.005 */
    uint64_t space;  /* bytes that new packs may take; 0: none are made */
    /* Words that there are not are STK_E_INVALID. In a program all three are knobs. */
    const char *pinned;  /* keys that stay as they are: "data.batch,knobs.threads"; NULL: none */
    const char *only;    /* actions to try, by name; NULL: all */
    const char *without; /* actions not to try; NULL: none */
    const char *folder;  /* where tune.jsonl, tuned.yaml, report.html and new packs go */
    bool        resume;  /* goes on from the ledger in folder */
    const stk_inject *inject; /* faults on purpose in all that is measured; NULL: none */
    const stk_cancel *cancel; /* ends with the best so far */
    /* From the calling thread: when a phase begins, after each observation, and with each finished
     * trial. NULL: none. */
    void (*progress)(void *context, const stk_tune_progress *progress);
    void (*finished)(void *context, const stk_tune_trial *trial);
    void (*log)(void *context, const char *line); /* from any thread; NULL: dropped */
    void *context;
} stk_tune_options;

/* Tunes a recipe, unresolved as a user wrote it. Fills *report, which is to be released even on
 * failure. A folder that has a ledger is STK_E_EXISTS unless options->resume. */
STK_API STK_NODISCARD stk_status stk_tune_recipe(stk_tune_report        *report,
                                                 const stk_train_recipe *recipe,
                                                 const stk_tune_options *options, stk_error *err);

/* An action that the search has: for help and documentation. NULL past the end. */
typedef struct stk_tune_action_info {
    const char    *name, *summary;
    stk_stage      stage;
    stk_tune_class kind;
    const char    *keys; /* that it changes, with commas */
} stk_tune_action_info;

STK_API const stk_tune_action_info *stk_tune_action_at(size_t index);

/* A training program of any kind. In argv, environment and the template {NAME} is a knob's value.
 */
typedef struct stk_tune_program {
    char *const *argv; /* NULL-terminated */
    const char *const
          *knobs; /* "workers=0,1,2,4", "batch=32..512x2"; the first value is the start */
    size_t knob_count;
    const char *const *environment; /* "OMP_NUM_THREADS={threads}" */
    size_t             environment_count;
    const char        *template_path; /* a file with {NAME}; {config} in argv is its copy; NULL */
    const char *rate;  /* a regular expression with one group, a file that holds the number, or
                          "watch": measured from outside; NULL: watch */
    const char *guard; /* a regular expression with one group; NULL: none */
    double      guard_margin;         /* what the guard's number may fall (rise, if negative) */
    double      warm_up_s, measure_s; /* of a run; 0: 5 and 10 */
    double      timeout_s;            /* a run without any number for so long has failed; 0: 120 */
} stk_tune_program;

STK_API STK_NODISCARD stk_status stk_tune_program_run(stk_tune_report        *report,
                                                      const stk_tune_program *program,
                                                      const stk_tune_options *options,
                                                      stk_error              *err);

/* The start and the result of a ledger, measured once more. */
typedef struct stk_tune_replay {
    stk_tune_report report; /* of the ledger */
    stk_estimate    gain;   /* now */
    double          base_rate, best_rate;
    size_t          observations;
    bool            same_machine;
} stk_tune_replay;

/* path is a ledger or its folder, on this or another machine. A pack that the result needs is made
 * if it is not there. Relative paths of data begin at the working directory, as they did then. Of
 * options inject, cancel, progress and log count; NULL: none. *out is to be released even on
 * failure. */
STK_API STK_NODISCARD stk_status stk_tune_replay_run(stk_tune_replay *out, const char *path,
                                                     const stk_tune_options *options,
                                                     stk_error              *err);
STK_API void                     stk_tune_replay_release(stk_tune_replay *replay);

STK_END_DECLS
#endif
