/* stoker/lint.h - what a step, a recipe or its data will probably cost for nothing, told before
 * anything is trained: a rule, what it found with both values, what to write instead, and how much
 * that can give at most. Rules never fail and change nothing. */
#ifndef STOKER_LINT_H
#define STOKER_LINT_H

#include <stoker/diagnosis.h>
#include <stoker/program.h>
#include <stoker/train_resolve.h>

STK_BEGIN_DECLS

enum { STK_LINT_TEXT = 96, STK_LINT_LINE = 320, STK_LINT_MAX = 48 };

typedef struct stk_lint {
    const char *rule; /* a literal: "big_convolution" */
    stk_stage   stage;
    char        where[STK_LINT_TEXT];   /* the operation, key or stage of the input */
    char        message[STK_LINT_LINE]; /* what is wrong, with both values, and what to do */
    char        command[STK_LINT_LINE]; /* to type; "" */
    char        recipe[STK_LINT_TEXT];  /* a line of a recipe; "" */
    char        how[STK_LINT_TEXT];     /* how the two below were estimated; "" */
    double      saves; /* of its stage's time, 0 to 1, at most; below 0: not known */
    double      gain;  /* 0.25: a quarter more samples a second, at most; below 0: not known */
    bool        changes_training; /* results will differ */
    bool        data;             /* about the data itself: not a matter of speed */
} stk_lint;

typedef struct stk_lint_list {
    stk_lint items[STK_LINT_MAX];
    size_t   count, left_out; /* left_out: those there was no room for */
} stk_lint_list;

/* What rules judge by. */
typedef struct stk_lint_machine {
    int      cores;               /* that this process may use */
    int      physical;            /* the same without second threads of a core; 0: not known */
    uint64_t memory;              /* bytes that it may use */
    bool     bf16;                /* products of bfloat16 in hardware */
    double   bf16_speed;          /* of a step, tried: 1.5 times float32's; 0: not tried */
    double   flops, memory_bytes; /* a second: for operations that were not measured */
} stk_lint_machine;

/* This machine; its speeds are rules of thumb. */
STK_API void stk_lint_machine_read(stk_lint_machine *out);

/* How the data lies. */
typedef struct stk_lint_storage {
    char     kind[32]; /* "folder", "pack", ...; "": not known */
    uint64_t files, bytes;
} stk_lint_storage;

/* Data that cannot be listed is not known; stk_train_data_read has told why. */
STK_API void stk_lint_storage_read(stk_lint_storage *out, const stk_train_recipe *recipe);

/* Each appends to list, which begins as zeros. */

/* The operations of a compiled step: by their measured times where stk_program_time was on, else by
 * what they compute and move. */
STK_API void stk_lint_program(stk_lint_list *list, const stk_program *program,
                              const stk_lint_machine *machine);
/* A settled recipe. storage may be NULL. */
STK_API void stk_lint_recipe(stk_lint_list *list, const stk_train_recipe *recipe,
                             const stk_train_data *data, const stk_lint_machine *machine,
                             const stk_lint_storage *storage);
/* The plan of the recipe's input, by the rules of stk_dataset_lint. */
STK_API STK_NODISCARD stk_status stk_lint_input(stk_lint_list *list, const stk_train_recipe *recipe,
                                                const stk_train_data *data, stk_error *err);

/* The findings of a check of the data at path that are more than notes, as lints of reading. */
struct stk_health_report;
STK_API void stk_lint_health(stk_lint_list *list, const struct stk_health_report *report,
                             const char *path);

/* Turns what is saved of a stage into a gain, and sorts by it, the largest first. A profile says
 * what share of a step each stage has; NULL: compute has all of it, and other gains are not known.
 */
STK_API void stk_lint_rank(stk_lint_list *list, const stk_profile *profile);
/* Appends the list as a JSON array. */
STK_API STK_NODISCARD stk_status stk_lint_write(const stk_lint_list *list, stk_blob *out,
                                                stk_error *err);
/* Adds them to the fixes of a diagnosis, as far as there is room, in the order of gains. */
STK_API void stk_lint_add_fixes(const stk_lint_list *list, stk_diagnosis *diagnosis);

STK_END_DECLS
#endif
