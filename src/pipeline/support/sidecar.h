/* A text file beside a run that lines are added to, one at a time. Every line is handed to the
 * system at once, so that it is there however the process ends. Local disks only. */
#ifndef STK_PIPELINE_SUPPORT_SIDECAR_H
#define STK_PIPELINE_SUPPORT_SIDECAR_H

#include <stdbool.h>
#include <stoker/bytes.h>
#include <stoker/error.h>

typedef struct stk_sidecar {
    int  fd;
    bool opened;
} stk_sidecar;

/* Creates nothing: the file comes with the first line. */
void stk_sidecar_init(stk_sidecar *sidecar);
void stk_sidecar_release(stk_sidecar *sidecar);

/* Appends line (with its newline) to the file at path. On failure the line is to be tried again;
 * what a full disk left of it stays as a line of its own. */
STK_NODISCARD stk_status stk_sidecar_append(stk_sidecar *sidecar, const char *path, stk_bytes line,
                                            stk_error *err);

#endif
