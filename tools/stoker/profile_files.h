/* Profiles and diagnoses as files. */
#ifndef CLI_TOOLS_PROFILE_FILES_H
#define CLI_TOOLS_PROFILE_FILES_H

#include <stoker/report.h>

enum { CLI_PROFILE_PATH = 1100 };

/* Makes the folder and those above it; existing ones are fine. */
STK_NODISCARD stk_status cli_profile_make_folder(const char *folder, stk_error *err);
/* FOLDER/profile.json. */
STK_NODISCARD stk_status cli_profile_save(const stk_profile *profile, const char *folder,
                                          stk_error *err);
/* FOLDER/diagnosis.json. */
STK_NODISCARD stk_status cli_diagnosis_save(const stk_diagnosis *diagnosis, const char *folder,
                                            stk_error *err);
/* The page of both. trace: its events are shown, and a file beside the page to link to; NULL: none.
 * run: a folder whose learning.json, where there is one, is shown; NULL: none. */
STK_NODISCARD stk_status cli_profile_save_page(const stk_profile   *profile,
                                               const stk_diagnosis *diagnosis,
                                               const stk_trace *trace, const char *trace_file,
                                               const char *run, const char *path, stk_error *err);
/* The same of a trace that was read from a file; NULL: none. A file that lies beside the page is
 * linked to. */
STK_NODISCARD stk_status cli_profile_save_page_of(const stk_profile   *profile,
                                                  const stk_diagnosis *diagnosis,
                                                  const stk_timeline  *timeline,
                                                  const char *trace_file, const char *run,
                                                  const char *path, stk_error *err);
/* By its first bytes: compressed, a list, or with the key of events. */
STK_NODISCARD stk_status cli_profile_is_trace(const char *path, bool *is_trace, stk_error *err);
/* out is initialised, and to be released even on failure. */
STK_NODISCARD stk_status cli_profile_load(stk_profile *out, const char *path, stk_error *err);

/* What was typed, as far as it fits. */
void cli_profile_command_line(char *text, size_t room);

#endif
