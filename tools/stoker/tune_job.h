/* What 'stoker tune' is asked for, and how it shows what happens. */
#ifndef CLI_TOOLS_TUNE_JOB_H
#define CLI_TOOLS_TUNE_JOB_H

#include "train_flags.h"

#include <stoker/tune.h>

typedef struct cli_tune_values {
    cli_train_values train;
    double           least, budget_min, margin, warm_up_s, measure_s, timeout_s, guard_margin;
    uint64_t         space;
    const char      *allow, *pin, *only, *without, *folder, *color, *replay;
    const char      *template_path, *rate, *guard;
    cli_option_list  knob, environment;
    bool             resume, no_packs;
} cli_tune_values;

/* Fills options from flags; the callbacks print a row a trial and, on a terminal, a line of what is
 * going on. show must outlive the search. */
typedef struct cli_tune_show {
    const cli_tune_values *values;
    bool                   terminal, header, drawn;
    double                 told_s;
} cli_tune_show;

void cli_tune_options(stk_tune_options *out, const cli_tune_values *values, const char *folder,
                      cli_tune_show *show);
/* Clears the line, if there is one. */
void cli_tune_show_end(cli_tune_show *show);

#endif
