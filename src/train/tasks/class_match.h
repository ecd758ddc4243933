/* Which class of a run a class of some data is. */
#ifndef STK_TRAIN_TASKS_CLASS_MATCH_H
#define STK_TRAIN_TASKS_CLASS_MATCH_H

#include <stoker/model_file.h>

/* The class of this name among count; -1: none is, or several are like it. */
int64_t stk_class_find(char *const *names, int64_t count, const char *name);

typedef struct stk_class_match {
    stk_class_rule rule;    /* that was used */
    int64_t       *to_run;  /* [count], -1: the run has no such class; NULL: each is its own */
    int64_t        count;   /* classes of the data */
    int64_t        classes; /* of the run */
} stk_class_match;

/* What is to be matched. occurs (NULL: all do) says which classes of the data have images: one that
 * has none need not be known. */
typedef struct stk_class_sides {
    char *const *run_names;
    int64_t      run_count;
    char *const *data_names; /* NULL: it has none */
    int64_t      data_count;
    const bool  *occurs;
    const char  *path;                            /* of the data, for messages */
    void (*log)(void *context, const char *line); /* NULL: dropped */
    void *log_context;
} stk_class_sides;

/* By name where the data has names; by index where its classes are numbers that are none of the
 * run's names, or where rule says so. Names that the run does not know are STK_E_INVALID with both
 * sides; all of them go to log. On failure *out is empty. */
STK_NODISCARD stk_status stk_class_match_make(stk_class_match *out, stk_class_rule rule,
                                              const stk_class_sides *sides, stk_error *err);
void                     stk_class_match_release(stk_class_match *match);

/* The run's class of a label of the data, or -1. */
int64_t stk_class_match_label(const stk_class_match *match, int64_t label);

#endif
