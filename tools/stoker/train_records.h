/* Files for the user at a run's end: curve.svg, profile.json, learning.json, report.html. */
#ifndef CLI_TOOLS_TRAIN_RECORDS_H
#define CLI_TOOLS_TRAIN_RECORDS_H

#include "terminal.h"
#include "train_learning.h"

#include <stoker/diagnosis.h>
#include <stoker/monitor.h>

typedef struct cli_train_records {
    stk_trainer        *trainer;
    cli_train_learning *learning;
    stk_monitor        *monitor; /* may be NULL */
    bool                idle;    /* this start trained no step: existing files stay */
    bool                judged;  /* but it did a missing evaluation */
    stk_profile         profile;
    stk_diagnosis       diagnosis;
    bool                has_profile, has_diagnosis; /* of this start */
} cli_train_records;

void cli_train_records_init(cli_train_records *records);
void cli_train_records_release(cli_train_records *records);

/* Tries to write each file. Failures are reported on stderr; returns false then. */
bool cli_train_records_save(cli_train_records *records);
/* Writes the curve; shown: also draws it on stdout. Returns false on failure. */
bool cli_train_records_curve(const cli_train_records *records, const cli_style *style, bool shown);

#endif
