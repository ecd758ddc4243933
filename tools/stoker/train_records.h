/* What a run leaves to be looked at: curve.svg, profile.json, learning.json, report.html. */
#ifndef CLI_TOOLS_TRAIN_RECORDS_H
#define CLI_TOOLS_TRAIN_RECORDS_H

#include "terminal.h"
#include "train_learning.h"

#include <stoker/diagnosis.h>
#include <stoker/monitor.h>

typedef struct cli_train_records {
    stk_trainer        *trainer;
    cli_train_learning *learning;
    stk_monitor        *monitor; /* NULL is fine */
    bool                idle;    /* this start trained no step: what is there stays */
    bool                judged;  /* but it made up for an evaluation */
    stk_profile         profile;
    stk_diagnosis       diagnosis;
    bool                has_profile, has_diagnosis; /* of this start */
} cli_train_records;

void cli_train_records_init(cli_train_records *records);
void cli_train_records_release(cli_train_records *records);

/* Each is tried. What could not be written is told on stderr; false then. */
bool cli_train_records_save(cli_train_records *records);
/* The curve; shown: it is drawn on stdout, too. The same. */
bool cli_train_records_curve(const cli_train_records *records, const cli_style *style, bool shown);

#endif
