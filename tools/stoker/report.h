/* What stoker inspect prints about one data set. */
#ifndef CLI_TOOLS_REPORT_H
#define CLI_TOOLS_REPORT_H

#include "terminal.h"

#include <stoker/health.h>
#include <stoker/inspect.h>
#include <stoker/json.h>

/* For people, to stdout. health: of its images; NULL: it has none, or nobody looked. */
void cli_report_print(const char *path, const stk_inspect_report *report,
                      const stk_health_report *health, const cli_style *style);

/* Everything, as one JSON object. */
void cli_report_write_json(stk_json_writer *json, const char *path,
                           const stk_inspect_report *report, const stk_health_report *health);

#endif
