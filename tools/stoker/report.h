/* Output of stoker inspect for one data set. */
#ifndef CLI_TOOLS_REPORT_H
#define CLI_TOOLS_REPORT_H

#include "terminal.h"

#include <stoker/health.h>
#include <stoker/inspect.h>
#include <stoker/json.h>

/* As text, to stdout. health: of its images; NULL: not checked. */
void cli_report_print(const char *path, const stk_inspect_report *report,
                      const stk_health_report *health, const cli_style *style);

/* All of it, as a JSON object. */
void cli_report_write_json(stk_json_writer *json, const char *path,
                           const stk_inspect_report *report, const stk_health_report *health);

#endif
