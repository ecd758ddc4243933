/* What a run leaves to be looked at: curve.svg, profile.json, learning.json, report.html. */
#ifndef STK_TOOLS_TRAIN_RECORDS_H
#define STK_TOOLS_TRAIN_RECORDS_H

#include "terminal.h"
#include "train_learning.h"

#include <stoker/diagnosis.h>
#include <stoker/monitor.h>

typedef struct stk_train_records {
    stk_trainer        *trainer;
    stk_train_learning *learning;
    stk_monitor        *monitor; /* NULL is fine */
    bool                idle;    /* this start trained no step: what is there stays */
    bool                judged;  /* but it made up for an evaluation */
    stk_profile         profile;
    stk_diagnosis       diagnosis;
    bool                has_profile, has_diagnosis; /* of this start */
} stk_train_records;

void stk_train_records_init(stk_train_records *records);
void stk_train_records_release(stk_train_records *records);

/* Each is tried. What could not be written is told on stderr; false then. */
bool stk_train_records_save(stk_train_records *records);
/* The curve; shown: it is drawn on stdout, too. The same. */
bool stk_train_records_curve(const stk_train_records *records, const stk_style *style, bool shown);

#endif
