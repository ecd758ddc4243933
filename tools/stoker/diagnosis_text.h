/* A diagnosis for people. */
#ifndef CLI_TOOLS_DIAGNOSIS_TEXT_H
#define CLI_TOOLS_DIAGNOSIS_TEXT_H

#include "terminal.h"

#include <stoker/diagnosis.h>

/* The verdict, the eight stages, evidence, fixes with what they give and what to type. */
/* Leaks, dips and the like, a sentence and what to do each; nothing without any. */
void cli_diagnosis_print_findings(FILE *out, const stk_diagnosis *diagnosis,
                                  const cli_style *style);
void cli_diagnosis_print(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style);
/* The verdict alone, in a line. */
void cli_diagnosis_print_verdict(FILE *out, const stk_diagnosis *diagnosis, const cli_style *style);

#endif
