/* What must be the same when a search of a program goes on. */
#ifndef STK_TUNE_PROGRAM_PROGRAM_IDENTITY_H
#define STK_TUNE_PROGRAM_PROGRAM_IDENTITY_H

#include "tune/program/program_subject.h"

/* Replaces out by a terminated text of the command, its knobs, and how it is measured. */
STK_NODISCARD stk_status stk_tune_program_identity(stk_blob                       *out,
                                                   const stk_tune_program_subject *subject,
                                                   stk_error                      *err);

#endif
