/* Runs and prints a health check of a data set's images. */
#ifndef CLI_TOOLS_HEALTH_TEXT_H
#define CLI_TOOLS_HEALTH_TEXT_H

#include "terminal.h"

#include <stoker/health.h>
#include <stoker/source.h>

/* Checks the images of the source at path, with progress unless quiet. *applies is false if it has
 * no images or is no source; out is empty then. */
STK_NODISCARD stk_status cli_health_run(stk_health_report *out, const char *path,
                                        const stk_source_options *how, stk_health_options *options,
                                        bool quiet, bool *applies, stk_error *err);

/* As text, to stdout: three lines about the images, then the findings. */
void cli_health_print(const stk_health_report *report, const cli_style *style);

#endif
