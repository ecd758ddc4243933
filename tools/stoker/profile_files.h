/* Pages and traces as files; the line that was typed. */
#ifndef CLI_TOOLS_PROFILE_FILES_H
#define CLI_TOOLS_PROFILE_FILES_H

#include <stoker/report.h>

enum { CLI_PROFILE_PATH = 1100 };

/* The page of both. timeline: of a trace in trace_file, which is linked to where it lies beside the
 * page; NULL, both: none. run: a folder whose learning.json, where there is one, is shown; NULL:
 * none. */
STK_NODISCARD stk_status cli_profile_save_page(const stk_profile   *profile,
                                               const stk_diagnosis *diagnosis,
                                               const stk_timeline *timeline, const char *trace_file,
                                               const char *run, const char *path, stk_error *err);
/* By its first bytes: compressed, a list, or with the key of events. */
STK_NODISCARD stk_status cli_profile_is_trace(const char *path, bool *is_trace, stk_error *err);

/* What was typed, as far as it fits. */
void cli_profile_command_line(char *text, size_t capacity);

#endif
