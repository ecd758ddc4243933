/* One of what 'stoker compare' puts side by side: a run, a profile or a tuning. */
#ifndef CLI_TOOLS_COMPARE_ITEM_H
#define CLI_TOOLS_COMPARE_ITEM_H

#include <stoker/diagnosis.h>
#include <stoker/train_recipe.h>

enum { CLI_COMPARE_MOST = 12, CLI_COMPARE_NAME = 256, CLI_COMPARE_LINE = 1024 };

typedef enum cli_compare_kind {
    CLI_COMPARE_RUN,     /* a folder of 'stoker train' */
    CLI_COMPARE_PROFILE, /* a folder of 'stoker profile', or a profile.json */
    CLI_COMPARE_TUNING   /* a folder of 'stoker tune', or a tune.jsonl */
} cli_compare_kind;

/* Texts are "", counts 0 and other numbers NAN where they are not known. */
typedef struct cli_compare_item {
    const char      *path; /* as it was given */
    char             name[CLI_COMPARE_NAME];
    cli_compare_kind kind;
    char             data[CLI_COMPARE_LINE], model[256], precision[64], backend[96];
    char             version[96], host[64], processor[256];
    int64_t          batch;
    int              threads, input_threads, cores;
    char             unit[16]; /* of rate: "samples" */
    stk_estimate     rate;     /* a second, with its 95 % interval; low and high may be NAN */
    char             limit[48];
    bool             has_shares;
    double           share[STK_STAGE_COUNT];       /* exposed, of a step: 0 to 1 */
    double           best_accuracy, last_accuracy; /* of the validation, 0 to 1 */
    double           test_accuracy, validation_loss, loss;
    double           epochs, seconds;
    char             setting[CLI_COMPARE_LINE]; /* of a tuning: what it changed */
    stk_estimate     gain;                      /* of a tuning; value NAN: not measured */
    bool             has_recipe;
    stk_train_recipe recipe;
} cli_compare_item;

/* Finds out what path is, and reads it. path must outlive the item. */
STK_NODISCARD stk_status cli_compare_read(cli_compare_item *item, const char *path, stk_error *err);

/* Names items by the last part of their path; those that are not the only one by all of it. */
void cli_compare_name(cli_compare_item *items, size_t count);

/* Exposed share of reading and preparing: the wait for input. NAN: not known. */
double cli_compare_wait(const cli_compare_item *item);
/* Rate over that of first, with a 95 % interval where both have one; value NAN where one is not
 * known, or they have different units. */
stk_estimate cli_compare_ratio(const cli_compare_item *item, const cli_compare_item *first);
/* "run", "profile", "tuning": a literal. */
const char *cli_compare_kind_name(cli_compare_kind kind);

/* compare_tune.c */
STK_NODISCARD stk_status cli_compare_read_tuning(cli_compare_item *item, const char *path,
                                                 stk_error *err);

#endif
