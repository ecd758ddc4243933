/* Maps classes of some data to those of a run. */
#ifndef STK_TRAIN_TASKS_CLASS_MATCH_H
#define STK_TRAIN_TASKS_CLASS_MATCH_H

#include <stoker/model_file.h>

/* The class of this name among count; -1: none, or the match is ambiguous. */
int64_t stk_class_find(char *const *names, int64_t count, const char *name);

typedef struct stk_class_match {
    stk_class_rule rule;    /* the rule applied */
    int64_t       *to_run;  /* [count], -1: unknown to the run; NULL: identity */
    int64_t        count;   /* classes of the data */
    int64_t        classes; /* of the run */
} stk_class_match;

/* Both sides of a match. occurs (NULL: all do): classes of the data that have images; the others
 * may be unknown. */
typedef struct stk_class_sides {
    char *const *run_names;
    int64_t      run_count;
    char *const *data_names; /* NULL: no names */
    int64_t      data_count;
    const bool  *occurs;
    const char  *path;                            /* of the data, for messages */
    void (*log)(void *context, const char *line); /* NULL: dropped */
    void *log_context;
} stk_class_sides;

/* Matches by name if the data has names. By index if its class names are numbers that the run does
 * not use as names, or if rule says so. Unknown names are STK_E_INVALID with both sides; log gets
 * all of them. On failure *out is empty. */
STK_NODISCARD stk_status stk_class_match_make(stk_class_match *out, stk_class_rule rule,
                                              const stk_class_sides *sides, stk_error *err);
void                     stk_class_match_release(stk_class_match *match);

/* The run's class for a label of the data, or -1. */
int64_t stk_class_match_label(const stk_class_match *match, int64_t label);

#endif
