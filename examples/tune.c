/* tune DATA FOLDER [MINUTES]: from a recipe that leaves something to gain, changes one thing after
 * the other and keeps what is shown to be faster. Prints each trial, and what to take at the end;
 * FOLDER has it as tuned.yaml. */
#include <stdio.h>
#include <stdlib.h>
#include <stoker/stoker.h>

static void show(void *context, const stk_tune_trial *t)
{
    (void)context;
    printf("%2d %-10s %-9s %s: %s\n", t->number, t->action, stk_tune_decision_name(t->decision),
           t->title, t->reason);
}

static void print(const stk_tune_report *r)
{
    char setting[STK_TUNE_LINE];
    printf("%.0f %s/s at the start, %.0f now\n", r->base_rate, r->unit, r->best_rate);
    printf("take: %s\n", stk_tune_setting_text(&r->best, setting, sizeof setting));
    for (size_t i = 0; i < r->advice_count; i++)
        printf("by hand: %s\n", r->advice[i].text);
    printf("ended: %s\n", r->ended);
}

/* Of one thread, operation by operation: the threads stay, so there is one change to find. */
static stk_status describe(stk_train_recipe *recipe, const char *data, stk_error *err)
{
    static const char *const keys[][2] = {{"model.name", "mlp"},
                                          {"data.batch", "16"},
                                          {"knobs.threads", "1"},
                                          {"knobs.input_threads", "1"},
                                          {"knobs.eager", "true"}};
    stk_train_recipe_init(recipe);
    STK_TRY(stk_train_recipe_set(recipe, "data.path", data, "tune", err));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        STK_TRY(stk_train_recipe_set(recipe, keys[i][0], keys[i][1], "tune", err));
    return STK_OK;
}

int main(int argc, char **argv)
{
    const stk_tune_options options = {.folder = argc > 2 ? argv[2] : NULL,
                                      .budget_s = 60 * (argc > 3 ? strtod(argv[3], NULL) : 5),
                                      .pinned = "knobs.threads,knobs.input_threads",
                                      .finished = show};
    stk_train_recipe       recipe;
    stk_tune_report        report;
    stk_error              err;
    if (argc < 3) {
        fprintf(stderr, "usage: tune DATA FOLDER [MINUTES]\n");
        return 2;
    }
    stk_tune_report_init(&report);
    stk_status st = describe(&recipe, argv[1], &err);
    if (!st) st = stk_tune_recipe(&report, &recipe, &options, &err);
    if (st)
        fprintf(stderr, "tune: %s: %s\n", err.where, err.message);
    else
        print(&report);
    stk_tune_report_release(&report);
    return st ? 1 : 0;
}
