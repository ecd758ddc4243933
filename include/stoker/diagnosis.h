/* stoker/diagnosis.h - what limits a run, why, and what to do about it: from what was observed.
 * Only exposed time counts. Each wait is walked back to the stage that caused it; the gain of a fix
 * is foretold by playing the measured times again without it. */
#ifndef STOKER_DIAGNOSIS_H
#define STOKER_DIAGNOSIS_H

#include <stoker/profile.h>

STK_BEGIN_DECLS

enum {
    STK_DIAGNOSIS_LINE = 256,
    STK_DIAGNOSIS_EVIDENCE = 12,
    STK_DIAGNOSIS_FIXES = 24,
    STK_FIX_SETS = 4, /* things that one fix changes */
    STK_FIX_SET = 96,
    STK_DIAGNOSIS_ROWS = 16,
    STK_DIAGNOSIS_LIMITS = 8,
    STK_DIAGNOSIS_WARNINGS = 16,
    STK_DIAGNOSIS_PHASES = 3,
    STK_DIAGNOSIS_FINDINGS = 8
};

/* A number with its 95 % interval. */
typedef struct stk_estimate {
    double value, low, high;
} stk_estimate;

typedef enum stk_cause {
    STK_CAUSE_COMPUTE,        /* S4, as it should be */
    STK_CAUSE_READ_BANDWIDTH, /* S1: bytes a second */
    STK_CAUSE_READ_LATENCY,   /* S1: time a request, too few at a time */
    STK_CAUSE_CORES,          /* S2: all cores are used */
    STK_CAUSE_WORKERS,        /* S2: more threads would help */
    STK_CAUSE_COPY,           /* S3 */
    STK_CAUSE_LAUNCH,         /* S4: operations too small for what starting them costs */
    STK_CAUSE_OPERATION,      /* S4: one operation, far from what the machine can */
    STK_CAUSE_ALLREDUCE,      /* S5 */
    STK_CAUSE_FETCH,          /* S6 */
    STK_CAUSE_CALLBACK,       /* S7 */
    STK_CAUSE_WRITE,          /* S8 */
    STK_CAUSE_CONTENTION,     /* threads of ours wait for cores */
    STK_CAUSE_VARIANCE,       /* stages are fast enough, but not evenly: deeper queues */
    STK_CAUSE_OTHER,          /* the loop itself */
    STK_CAUSE_MEMORY,         /* S4: most of a device's time goes to moving bytes of its memory */
    STK_CAUSE_MATH,           /* S4: most of it goes to arithmetic, near what it can */
    STK_CAUSE_INPUT,          /* S2: how many cores and threads there are is not known */
    STK_CAUSE_COUNT
} stk_cause;

STK_API const char *stk_cause_name(stk_cause cause); /* "read-bandwidth": a literal */

/* What a stage or a shared resource can do at most. */
typedef struct stk_stage_throughput {
    char      name[48];      /* "S2 preprocess", "cores", "disk" */
    stk_stage stage;         /* NONE: a resource */
    double    samples_per_s; /* at most; -1: not known */
    double    utilisation;   /* 0 to 1; -1: not known */
    double    exposed;       /* of a step, 0 to 1 */
    bool      binding;
} stk_stage_throughput;

/* One stage that holds the run back, worst first. */
typedef struct stk_bottleneck {
    stk_stage    stage;
    stk_cause    cause;
    stk_estimate share;      /* of a step that it costs */
    stk_estimate if_removed; /* samples a second without it */
    stk_stage    next;       /* what limits then */
    char         sentence[STK_DIAGNOSIS_LINE];
} stk_bottleneck;

/* What to do. A program applies it by `set` and `data`; a fix with neither is done by hand. */
typedef struct stk_fix {
    char         name[32]; /* of its kind, for programs: "batch", "num_workers" */
    stk_stage    stage;
    char         title[STK_DIAGNOSIS_LINE], why[STK_DIAGNOSIS_LINE];
    char         command[STK_DIAGNOSIS_LINE]; /* to type; "" */
    char         recipe[STK_DIAGNOSIS_LINE];  /* a line of a recipe; "" */
    char         code[STK_DIAGNOSIS_LINE];    /* a line of the recorded program's own; "" */
    size_t       set_count;
    char         set[STK_FIX_SETS][STK_FIX_SET]; /* "data.batch=64" for --set, or "num_workers=2" */
    char         data[STK_DIAGNOSIS_LINE]; /* to train on then, made by command; "": as it is */
    stk_estimate samples_per_s;            /* foretold; value -1: not known */
    double       gain;                     /* 0.25: a quarter more samples a second */
    double       gain_low, gain_high;      /* between them with 95 % */
    bool         changes_training;         /* results will differ: batch, precision */
    bool         at_most;                  /* the gain is a bound: nothing is foretold below it */
    bool         supposed; /* how far it goes is a guess ("half of it"): listed after the others */
} stk_fix;

/* A part of the run's time, and what limits it there. */
typedef struct stk_phase_verdict {
    char      name[16];    /* "train", "evaluate", "checkpoint" */
    double    ns, share;   /* of the training thread; share: of all phases together, 0 to 1 */
    double    times;       /* how often it came; steps of train */
    stk_stage stage;       /* that takes most of it; NONE: not told */
    double    stage_share; /* of the phase, 0 to 1; -1: not told */
    char      sentence[STK_DIAGNOSIS_LINE];
} stk_phase_verdict;

/* What the run's use of the machine says over time, whatever limits a step. */
typedef struct stk_usage_note {
    char   name[24]; /* as stk_finding_name: "leak", "cpu-dips" */
    double value;
    char   sentence[STK_DIAGNOSIS_LINE], advice[STK_DIAGNOSIS_LINE];
} stk_usage_note;

typedef struct stk_diagnosis {
    char           unit[16];      /* of rates: "samples" or "steps" a second */
    char           framework[16]; /* of the program that was recorded; "": this one, or not known */
    stk_bottleneck limit;         /* the first one; S4 and COMPUTE when all is well */
    double         confidence;    /* 0 to 1: how many of resampled runs say the same */
    stk_estimate   samples_per_s;
    double         compute_share; /* of a step that S4 is exposed: the goal is 0.9 and more */
    char           verdict[STK_DIAGNOSIS_LINE];

    size_t               limit_count;
    stk_bottleneck       limits[STK_DIAGNOSIS_LIMITS];
    size_t               evidence_count;
    char                 evidence[STK_DIAGNOSIS_EVIDENCE][STK_DIAGNOSIS_LINE];
    size_t               row_count;
    stk_stage_throughput rows[STK_DIAGNOSIS_ROWS];
    size_t               fix_count;
    stk_fix              fixes[STK_DIAGNOSIS_FIXES]; /* the largest gain first */
    size_t               phase_count;                /* those that took time */
    stk_phase_verdict    phases[STK_DIAGNOSIS_PHASES];
    size_t               finding_count; /* leaks, dips and the like */
    stk_usage_note       findings[STK_DIAGNOSIS_FINDINGS];
    size_t               warning_count; /* of the data itself: too few steps, drops */
    char                 warnings[STK_DIAGNOSIS_WARNINGS][STK_DIAGNOSIS_LINE];
} stk_diagnosis;

/* Needs at least ten like steps, or says in warnings what is missing. */
STK_API STK_NODISCARD stk_status stk_diagnose(stk_diagnosis *out, const stk_profile *profile,
                                              stk_error *err);
/* Sorts fixes (foretold gains first) and tells in the verdict when they give much more than it
 * sounds. To be called again when fixes were added. */
STK_API void stk_diagnosis_calibrate(stk_diagnosis *diagnosis);
/* "+43 %", or from twice as fast on "2.6x"; gives text. */
STK_API char *stk_gain_text(char *text, size_t capacity, double gain);
/* "2143", "51.2", "3.07": three digits at least; gives text. */
STK_API char *stk_rate_text(char *text, size_t capacity, double rate);
/* Appends it as a JSON object. */
STK_API STK_NODISCARD stk_status stk_diagnosis_write(const stk_diagnosis *diagnosis, stk_blob *out,
                                                     stk_error *err);

/* The same as a file. */
STK_API STK_NODISCARD stk_status stk_diagnosis_save(const stk_diagnosis *diagnosis,
                                                    const char *path, stk_error *err);

/* What if: each stage's times by a factor, other numbers of threads, deeper queues. */
typedef struct stk_what_if {
    double factor[STK_STAGE_COUNT]; /* 1: as it was; 0: it costs nothing */
    double servers;                 /* of S2; 0: as it was */
    double buffer;                  /* batches that the input may be ahead; 0: as it was */
    bool   apart[STK_STAGE_COUNT];  /* a stage that runs on a thread of its own instead */
    double threads;                 /* of S4, which then takes longer by as much; 0: as it was */
} stk_what_if;

STK_API void stk_what_if_init(stk_what_if *what);
/* Samples a second, by playing the recorded steps again. */
STK_API stk_estimate stk_simulate(const stk_profile *profile, const stk_what_if *what);

STK_END_DECLS
#endif
