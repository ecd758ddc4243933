/* A setting as a command that runs without us. */
#ifndef STK_TUNE_PROGRAM_TUNED_SCRIPT_H
#define STK_TUNE_PROGRAM_TUNED_SCRIPT_H

#include "tune/program/command.h"

/* Writes folder/tuned.sh, which can be executed, and beside it the filled template if there is one.
 * *path, terminated and owned by the caller, is the script's. */
STK_NODISCARD stk_status stk_tune_script_write(stk_blob *path, const char *folder,
                                               const stk_tune_command_parts *parts,
                                               const stk_tune_setting *setting, stk_error *err);

#endif
