/* A line of text for a pipeline, so that random ones can be made, printed, shrunk, and run by the
 * engine, by the model and by TensorFlow alike:
 *
 *     range 0 10 1 | map add 3 | zip ( vectors 1 2 3 | map negate ) | batch 4 drop
 *
 * Elements hold one to four dense int64 values, or byte strings after "map name". total is the sum
 * of all numbers of an element.
 *
 *     range START STOP STEP          numbers N...            vectors LENGTH...
 *     map add|multiply|modulo N      each number             map negate
 *     map fail_on N                  an error where the first value holds N
 *     map fill                       x -> x mod 5 copies of x as a vector
 *     map total                      map first               the first value alone
 *     map name                       each number as text
 *     filter modulo N K              total mod N == K        take_while below N
 *     filter refuse N                all, with an error where the total is N; take_while likewise
 *     flat_map FN                    FN: range_to x -> range(x mod 4), copies x -> x mod 4 times x,
 *                                    failing: range_to with an error in place of 1,
 *                                    rows: the rows of an element of any rank
 *     interleave FN cycle C block B [parallel P] [relaxed]
 *     batch N [drop]                 padded_batch N [drop] [to LENGTH] [with PADDING]
 *     ragged_batch N [drop]          of one value with rows; only stages that look at no values may
 *                                    follow, and batch, ragged_batch, unbatch, rebatch
 *     sparse_batch N [to LENGTH]     of one value; only stages that look at no values may follow
 *     unbatch                        rebatch N... [drop]
 *     window N shift S stride T [drop]        each window then batched
 *     group N SIZE                   group_by_window, key total mod N, windows batched
 *     bucket EDGE... sizes SIZE... [drop] [pad] [plain]
 *     take N    skip N    shard N I    repeat N    forever N (repeated without end, N taken)
 *     zip ( LINE ) [( LINE )]    concatenate ( LINE )    choose ( LINE ) by ( LINE ) [stop]
 *     sample ( LINE ) weights N N [stop]
 *     enumerate N    scan sum|list (all totals so far)    unique    cache    prefetch N
 * ignore_errors shuffle BUFFER [seed N]        options relaxed
 *
 * map takes "parallel P" and "relaxed" as well. flat_map, interleave, window and group take
 * "each ( given | STAGE... )": stages on top of every inner dataset, in place of the batch. */
#ifndef STK_TESTS_PIPELINE_LANGUAGE_H
#define STK_TESTS_PIPELINE_LANGUAGE_H

#include "harness.h"

enum { STK_LINE_STAGES = 24, STK_LINE_NUMBERS = 16, STK_LINE_VALUES = 4, STK_LINE_RANK = 4 };

typedef struct stk_line stk_line;

typedef struct stk_line_stage {
    char      name[16];
    char      function[16]; /* "add", "copies"; empty: none */
    int64_t   numbers[STK_LINE_NUMBERS];
    int       count;
    int64_t   cycle, block, parallel, shift, stride, to, with, seed; /* -1: not said */
    bool      drop, stop, pad, plain, relaxed;
    stk_line *children[2];
    int       child_count;
} stk_line_stage;

/* What is known of elements: enough to tell which stages fit. */
typedef struct stk_line_type {
    int  count;
    int  rank[STK_LINE_VALUES];
    bool uneven;        /* shapes may differ between elements */
    bool uneven_inside; /* beyond the leading dimension as well */
    bool aligned;       /* all values have the same leading dimension */
    bool text;          /* byte strings */
    bool ragged;        /* or was */
    bool sparse;
} stk_line_type;

struct stk_line {
    stk_line_stage stages[STK_LINE_STAGES];
    stk_line_type  types[STK_LINE_STAGES]; /* of the results of each stage */
    int            count;
    bool           beyond_model; /* has what the model does not know */
};

/* NULL when text is no pipeline or its stages do not fit; *why then says it (a literal). why may be
 * NULL. */
stk_line *stk_line_parse(const char *text, const char **why);
void      stk_line_free(stk_line *line); /* NULL is fine */
bool      stk_line_stage_is(const stk_line_stage *stage, const char *name);
bool      stk_line_has(const stk_line *line, const char *name);

/* A new dataset. Any failure ends the test. */
stk_dataset *stk_line_build(const stk_line *line);

#endif
