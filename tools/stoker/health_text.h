/* The health of a data set's images: asked for and shown. */
#ifndef CLI_TOOLS_HEALTH_TEXT_H
#define CLI_TOOLS_HEALTH_TEXT_H

#include "terminal.h"

#include <stoker/health.h>
#include <stoker/source.h>

/* Looks at the images of the source at path, with a line of progress unless quiet. *applies is
 * false where it has none, or is no source that can be opened; then out holds nothing. */
STK_NODISCARD stk_status cli_health_run(stk_health_report *out, const char *path,
                                        const stk_source_options *how, stk_health_options *options,
                                        bool quiet, bool *applies, stk_error *err);

/* For people, to stdout: the images in three lines, then what was found. */
void cli_health_print(const stk_health_report *report, const cli_style *style);

#endif
