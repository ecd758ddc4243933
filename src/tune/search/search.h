/* The search: what is measured is behind a table of functions, so that recipes and foreign programs
 * are tuned alike. */
#ifndef STK_TUNE_SEARCH_SEARCH_H
#define STK_TUNE_SEARCH_SEARCH_H

#include "tune/ledger/ledger.h"

/* One change that could be tried. */
typedef struct stk_tune_candidate {
    char             action[STK_TUNE_NAME], title[STK_TUNE_LINE];
    stk_stage        stage;
    stk_tune_class   kind;
    stk_tune_setting change;
    stk_tune_setting was;       /* the values before, as far as they are known */
    stk_estimate     predicted; /* gain; value below -1: not known */
    double           cost_s;    /* to try, before anything is measured: packing, starting */
} stk_tune_candidate;

enum { STK_TUNE_CANDIDATES = 48 };

/* What to do next, as a subject sees it in one setting. */
typedef struct stk_tune_candidates {
    size_t             count;
    stk_tune_candidate list[STK_TUNE_CANDIDATES];
    stk_tune_limit     limit;
    size_t             advice_count;
    stk_tune_advice    advice[STK_TUNE_ADVICE];
} stk_tune_candidates;

/* Appends a copy, unless there is no capacity. */
void stk_tune_candidates_add(stk_tune_candidates *list, const stk_tune_candidate *candidate);

/* What a block of work took. */
typedef struct stk_tune_block {
    double samples, seconds;
    double joules; /* 0: not known */
} stk_tune_block;

/* Whether a change does to learning only what it may. */
typedef struct stk_tune_guard_result {
    bool passed;
    char reason[STK_TUNE_LINE]; /* a sentence with the numbers */
} stk_tune_guard_result;

typedef struct stk_tune_subject {
    bool   blocks_of_four;   /* A B B A is one observation; else A B, then B A */
    size_t observations_max; /* of a trial */
    size_t noise_observations, confirm_observations; /* A against A; the best against the start */
    /* Writes what a replay needs into the open object of the ledger's first event. NULL: nothing.
     */
    void (*describe)(void *context, stk_json_writer *w);
    /* Lists what could be tried in this setting, and what limits it. */
    stk_status (*list)(void *context, const stk_tune_setting *now, stk_tune_candidates *out,
                       stk_error *err);
    /* Adds what could be tried instead of a change that failed. NULL: nothing. */
    void (*list_instead)(void *context, const stk_tune_trial *failed, stk_tune_candidates *out);
    /* Makes what a change needs before it can be measured, such as packed data; may replace values
     * of change (a path). NULL: nothing. */
    stk_status (*prepare)(void *context, const stk_tune_setting *now, stk_tune_candidate *candidate,
                          stk_error *err);
    /* Starts a setting and warms it up: an arm, which does nothing between its blocks. */
    stk_status (*open)(void *context, const stk_tune_setting *setting, void **arm, stk_error *err);
    /* Runs one block. */
    stk_status (*measure)(void *arm, stk_tune_block *out, stk_error *err);
    void (*close)(void *arm); /* NULL is fine */
    /* Called for changes that are shown to be faster. NULL: all pass. */
    stk_status (*guard)(void *context, const stk_tune_setting *before,
                        const stk_tune_setting *after, const stk_tune_candidate *candidate,
                        stk_tune_guard_result *out, stk_error *err);
    void *context;
} stk_tune_subject;

/* With its default. */
double stk_tune_budget_s(const stk_tune_options *options);

/* Searches until nothing predicted is worth a trial, the budget is spent, or cancel, which is no
 * error. report has what identifies the subject; the rest is filled. What ledger has already is not
 * measured again. identity is what else must be the same when a search goes on. */
STK_NODISCARD stk_status stk_tune_search(const stk_tune_subject *subject,
                                         const stk_tune_options *options, const char *identity,
                                         stk_tune_ledger *ledger, stk_tune_report *report,
                                         stk_error *err);

/* One comparison of two settings, which the search is made of. Rates are medians of blocks. */
typedef struct stk_tune_comparison {
    stk_gain_test test;
    double        rate_before, rate_after, joules_before, joules_after;
    bool          cancelled, late; /* ended by cancel; by the deadline */
} stk_tune_comparison;

typedef struct stk_tune_compare_options {
    double least;      /* ends once the gain is shown to be above or below it */
    size_t exactly;    /* so many observations whatever they show; 0: as above */
    double deadline_s; /* on stk_clock_ns, as seconds; after three observations. 0: none */
    const stk_cancel *cancel;
    void (*observed)(void *context, const stk_tune_comparison *so_far); /* NULL: none */
    void *context;
} stk_tune_compare_options;

/* Measures after against before until the decision is clear, the subject's most observations, or
 * the deadline. An error of the second arm is STK_E_* with *second set. */
STK_NODISCARD stk_status stk_tune_compare(stk_tune_comparison *out, const stk_tune_subject *subject,
                                          const stk_tune_setting         *before,
                                          const stk_tune_setting         *after,
                                          const stk_tune_compare_options *options, bool *second,
                                          stk_error *err);

#endif
