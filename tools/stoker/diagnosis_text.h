/* Prints a diagnosis. */
#ifndef CLI_TOOLS_DIAGNOSIS_TEXT_H
#define CLI_TOOLS_DIAGNOSIS_TEXT_H

#include "terminal.h"

#include <stoker/diagnosis.h>

/* The verdict, the eight stages, evidence, and fixes with gain and command. */
/* Usage findings: a sentence and advice each; nothing without any. */
void cli_diagnosis_print_findings(FILE *out, const stk_diagnosis *diagnosis,
                                  const cli_style *style);
void cli_diagnosis_print(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style);
/* The verdict alone, in one line. */
void cli_diagnosis_print_verdict(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style);

#endif
