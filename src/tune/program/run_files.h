/* Files of a run: its log, and its copy of the template. */
#ifndef STK_TUNE_PROGRAM_RUN_FILES_H
#define STK_TUNE_PROGRAM_RUN_FILES_H

#include <stoker/blob.h>

typedef struct stk_tune_run_files {
    int      number;
    int      log;    /* open for writing; the caller's */
    stk_blob path;   /* of the log */
    stk_blob config; /* path of the filled template, also if there is none */
} stk_tune_run_files;

/* Takes the first number from 1 on that no log has. config_name may be NULL. On failure nothing is
 * open or allocated. */
STK_NODISCARD stk_status stk_tune_run_files_open(stk_tune_run_files *out, const char *folder,
                                                 const char *config_name, stk_error *err);
/* Does not close the log. */
void stk_tune_run_files_release(stk_tune_run_files *files);

#endif
