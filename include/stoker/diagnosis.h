/* stoker/diagnosis.h - bottleneck analysis of a profile: what limits a run, why, and which fix
 * gains how much. Only exposed time counts. A wait is attributed to the stage that caused it. The
 * gain of a fix is predicted by simulating the recorded steps with changed times. */
#ifndef STOKER_DIAGNOSIS_H
#define STOKER_DIAGNOSIS_H

#include <stoker/profile.h>

STK_BEGIN_DECLS

enum {
    STK_DIAGNOSIS_LINE = 256,
    STK_DIAGNOSIS_EVIDENCE = 12,
    STK_DIAGNOSIS_FIXES = 24,
    STK_FIX_SETS = 4, /* settings that one fix changes */
    STK_FIX_SET = 96,
    STK_DIAGNOSIS_ROWS = 16,
    STK_DIAGNOSIS_LIMITS = 8,
    STK_DIAGNOSIS_WARNINGS = 16,
    STK_DIAGNOSIS_PHASES = 3,
    STK_DIAGNOSIS_FINDINGS = 8
};

/* A value with its 95 % interval. */
typedef struct stk_estimate {
    double value, low, high;
} stk_estimate;

typedef enum stk_cause {
    STK_CAUSE_COMPUTE,        /* S4: the desired bottleneck */
    STK_CAUSE_READ_BANDWIDTH, /* S1: bytes per second */
    STK_CAUSE_READ_LATENCY,   /* S1: time per request, too few in flight */
    STK_CAUSE_CORES,          /* S2: all cores are busy */
    STK_CAUSE_WORKERS,        /* S2: more threads would help */
    STK_CAUSE_COPY,           /* S3 */
    STK_CAUSE_LAUNCH,     /* S4: launch-bound: operations are smaller than their launch overhead */
    STK_CAUSE_OPERATION,  /* S4: one operation far below the roofline */
    STK_CAUSE_ALLREDUCE,  /* S5 */
    STK_CAUSE_FETCH,      /* S6 */
    STK_CAUSE_CALLBACK,   /* S7 */
    STK_CAUSE_WRITE,      /* S8 */
    STK_CAUSE_CONTENTION, /* our own threads wait for cores */
    STK_CAUSE_VARIANCE,   /* stages are fast enough on average but uneven: deeper queues help */
    STK_CAUSE_OTHER,      /* the loop itself */
    STK_CAUSE_MEMORY,     /* S4: memory-bound on the device */
    STK_CAUSE_MATH,       /* S4: compute-bound on the device, near its peak */
    STK_CAUSE_INPUT,      /* S2: numbers of cores and threads are not known */
    STK_CAUSE_COUNT
} stk_cause;

STK_API const char *stk_cause_name(stk_cause cause); /* "read-bandwidth": a literal */

/* Highest throughput of a stage or a shared resource. */
typedef struct stk_stage_throughput {
    char      name[48];      /* "S2 preprocess", "cores", "disk" */
    stk_stage stage;         /* NONE: a resource */
    double    samples_per_s; /* upper bound; -1: not known */
    double    utilisation;   /* 0 to 1; -1: not known */
    double    exposed;       /* fraction of a step, 0 to 1 */
    bool      binding;
} stk_stage_throughput;

/* One stage that limits the run. */
typedef struct stk_bottleneck {
    stk_stage    stage;
    stk_cause    cause;
    stk_estimate share;      /* fraction of a step that is exposed */
    stk_estimate if_removed; /* samples per second without the stage */
    stk_stage    next;       /* the next bottleneck then */
    char         sentence[STK_DIAGNOSIS_LINE];
} stk_bottleneck;

/* An advised change. A program applies it by `set` and `data`; without either, the user does it by
 * hand. */
typedef struct stk_fix {
    char      name[32]; /* its kind, for programs: "batch", "num_workers" */
    stk_stage stage;
    char      title[STK_DIAGNOSIS_LINE], why[STK_DIAGNOSIS_LINE];
    char      command[STK_DIAGNOSIS_LINE]; /* shell command; "" */
    char      recipe[STK_DIAGNOSIS_LINE];  /* recipe line; "" */
    char      code[STK_DIAGNOSIS_LINE];    /* code line of the recorded program; "" */
    size_t    set_count;
    char      set[STK_FIX_SETS][STK_FIX_SET]; /* "data.batch=64" for --set, or "num_workers=2" */
    char      data[STK_DIAGNOSIS_LINE]; /* new data to train on, made by command; "": unchanged */
    stk_estimate samples_per_s;         /* predicted; value -1: not known */
    double       gain;                  /* 0.25: a quarter more samples per second */
    double       gain_low, gain_high;   /* 95 % interval of gain */
    bool         changes_training;      /* affects results: batch, precision */
    bool         at_most;               /* gain is an upper bound without a prediction */
    bool supposed; /* the change assumes a fraction ("half of it"); listed after the others */
} stk_fix;

/* A phase of the run and its bottleneck. */
typedef struct stk_phase_verdict {
    char      name[16];    /* "train", "evaluate", "checkpoint" */
    double    ns, share;   /* of the training thread; share: fraction of all phases, 0 to 1 */
    double    times;       /* number of occurrences; of train, steps */
    stk_stage stage;       /* the longest stage; NONE: not known */
    double    stage_share; /* fraction of the phase, 0 to 1; -1: not known */
    char      sentence[STK_DIAGNOSIS_LINE];
} stk_phase_verdict;

/* A finding about resource usage over time, whatever limits a step. */
typedef struct stk_usage_note {
    char   name[24]; /* as stk_finding_name: "leak", "cpu-dips" */
    double value;
    char   sentence[STK_DIAGNOSIS_LINE], advice[STK_DIAGNOSIS_LINE];
} stk_usage_note;

typedef struct stk_diagnosis {
    char           unit[16];      /* of rates: "samples" or "steps" per second */
    char           framework[16]; /* of the recorded program; "": Stoker or not known */
    stk_bottleneck limit;         /* the first one; S4 and COMPUTE if compute limits */
    double         confidence;    /* 0 to 1: fraction of resampled runs with the same verdict */
    stk_estimate   samples_per_s;
    double         compute_share; /* exposed fraction of S4; the goal is 0.9 or more */
    char           verdict[STK_DIAGNOSIS_LINE];

    size_t               limit_count;
    stk_bottleneck       limits[STK_DIAGNOSIS_LIMITS];
    size_t               evidence_count;
    char                 evidence[STK_DIAGNOSIS_EVIDENCE][STK_DIAGNOSIS_LINE];
    size_t               row_count;
    stk_stage_throughput rows[STK_DIAGNOSIS_ROWS];
    size_t               fix_count;
    stk_fix              fixes[STK_DIAGNOSIS_FIXES]; /* largest gain first */
    size_t               phase_count;                /* phases that took time */
    stk_phase_verdict    phases[STK_DIAGNOSIS_PHASES];
    size_t               finding_count; /* leaks, dips and others */
    stk_usage_note       findings[STK_DIAGNOSIS_FINDINGS];
    size_t               warning_count; /* about the data: too few steps, drops */
    char                 warnings[STK_DIAGNOSIS_WARNINGS][STK_DIAGNOSIS_LINE];
} stk_diagnosis;

/* Diagnoses a profile. Needs at least ten comparable steps; otherwise warnings say what is
 * missing. */
STK_API STK_NODISCARD stk_status stk_diagnose(stk_diagnosis *out, const stk_profile *profile,
                                              stk_error *err);
/* Sorts fixes, predicted gains first, and mentions large gains in the verdict. Call it again after
 * adding fixes. */
STK_API void stk_diagnosis_calibrate(stk_diagnosis *diagnosis);
/* Writes "+43 %", or "2.6x" from a factor of two on; returns text. */
STK_API char *stk_gain_text(char *text, size_t capacity, double gain);
/* Writes "2143", "51.2" or "3.07", at least three digits; returns text. */
STK_API char *stk_rate_text(char *text, size_t capacity, double rate);
/* Appends a JSON object. */
STK_API STK_NODISCARD stk_status stk_diagnosis_write(const stk_diagnosis *diagnosis, stk_blob *out,
                                                     stk_error *err);

/* The same as a file. */
STK_API STK_NODISCARD stk_status stk_diagnosis_save(const stk_diagnosis *diagnosis,
                                                    const char *path, stk_error *err);

/* A hypothetical change: scaled stage times, other numbers of threads, deeper queues. */
typedef struct stk_what_if {
    double factor[STK_STAGE_COUNT]; /* of the stage's time; 1: unchanged, 0: free */
    double servers;                 /* threads of S2; 0: unchanged */
    double buffer;                  /* batches of prefetch; 0: unchanged */
    bool   apart[STK_STAGE_COUNT];  /* moves a stage to a thread of its own */
    double threads;                 /* threads of S4, whose time scales accordingly; 0: unchanged */
} stk_what_if;

STK_API void stk_what_if_init(stk_what_if *what);
/* Simulates the recorded steps with the change; samples per second. */
STK_API stk_estimate stk_simulate(const stk_profile *profile, const stk_what_if *what);

STK_END_DECLS
#endif
