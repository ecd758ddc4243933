/* stoker/lint.h - static checks for wasted time in a program, a recipe or its data, before
 * training. An item has the rule, the finding with both values, the alternative, and an upper bound
 * of the gain. Rules never fail and change nothing. */
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
    char        where[STK_LINT_TEXT];   /* the operation, recipe key or pipeline operator */
    char        message[STK_LINT_LINE]; /* the finding, with both values, and the remedy */
    char        command[STK_LINT_LINE]; /* shell command; "" */
    char        recipe[STK_LINT_TEXT];  /* recipe line; "" */
    char        how[STK_LINT_TEXT];     /* how saves and gain were estimated; "" */
    double      saves; /* upper bound, fraction of its stage's time; below 0: not known */
    double      gain; /* upper bound; 0.25: a quarter more samples per second; below 0: not known */
    bool        changes_training; /* affects results */
    bool        data;             /* about the data itself, not speed */
} stk_lint;

typedef struct stk_lint_list {
    stk_lint items[STK_LINT_MAX];
    size_t   count, left_out; /* left_out: items beyond the capacity */
} stk_lint_list;

/* Machine properties that rules use. */
typedef struct stk_lint_machine {
    int      cores;               /* available to this process */
    int      physical;            /* physical cores among them; 0: not known */
    uint64_t memory;              /* bytes available to this process */
    bool     bf16;                /* hardware has bfloat16 matrix products */
    double   bf16_speed;          /* speed-up of a step over float32, measured; 0: not measured */
    double   flops, memory_bytes; /* per second: for operations without a measured time */
} stk_lint_machine;

/* Reads this machine; speeds are rules of thumb. */
STK_API void stk_lint_machine_read(stk_lint_machine *out);

/* Storage of the data. */
typedef struct stk_lint_storage {
    char     kind[32]; /* "folder", "pack", ...; "": not known */
    uint64_t files, bytes;
} stk_lint_storage;

/* Leaves unlistable data unknown; stk_train_data_read reports it. */
STK_API void stk_lint_storage_read(stk_lint_storage *out, const stk_train_recipe *recipe);

/* Each function appends to list, which is initialised to zeros. */

/* Checks the operations of a compiled step, by measured times if stk_program_time was on, else by
 * FLOPs and bytes. */
STK_API void stk_lint_program(stk_lint_list *list, const stk_program *program,
                              const stk_lint_machine *machine);
/* Checks a resolved recipe. storage may be NULL. */
STK_API void stk_lint_recipe(stk_lint_list *list, const stk_train_recipe *recipe,
                             const stk_train_data *data, const stk_lint_machine *machine,
                             const stk_lint_storage *storage);
/* Checks the plan of the recipe's input by the rules of stk_dataset_lint. */
STK_API STK_NODISCARD stk_status stk_lint_input(stk_lint_list *list, const stk_train_recipe *recipe,
                                                const stk_train_data *data, stk_error *err);

/* Adds the findings of a data check at path, except notes, as items of S1. */
struct stk_health_report;
STK_API void stk_lint_health(stk_lint_list *list, const struct stk_health_report *report,
                             const char *path);

/* Converts savings of a stage into gains and sorts by gain, largest first. profile gives the
 * fraction of each stage in a step; with NULL only gains of compute are known. */
STK_API void stk_lint_rank(stk_lint_list *list, const stk_profile *profile);
/* Appends a JSON array. */
STK_API STK_NODISCARD stk_status stk_lint_write(const stk_lint_list *list, stk_blob *out,
                                                stk_error *err);
/* Appends items to the diagnosis' fixes in order of gain, up to their capacity. */
STK_API void stk_lint_add_fixes(const stk_lint_list *list, stk_diagnosis *diagnosis);

STK_END_DECLS
#endif
