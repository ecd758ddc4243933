/* Ctrl-C, SIGTERM, SIGHUP, closed pipes, and notes about what takes long. */
#ifndef CLI_TOOLS_SIGNALS_H
#define CLI_TOOLS_SIGNALS_H

#include <stdbool.h>
#include <stoker/cancel.h>

/* From here on the first SIGINT or SIGTERM sets the token, the second ends the process with 130.
 * SIGHUP is a first one, but never the second; where it is ignored (nohup) it stays so.
 * SIGPIPE is ignored: a write to a closed pipe fails, and cli_output_closed says so. */
void cli_signals_install(void);

/* The token that the signals set; lives as long as the process. */
const stk_cancel *cli_signals_token(void);

/* True once stdout is a pipe that nobody reads any more: printing more is useless. */
bool cli_output_closed(void);

/* Prints text and a line break to stderr unless cli_notice_end comes within 2 seconds. For calls
 * that say nothing while they work. text must live until then. The end may come from any thread,
 * and more than once. */
void cli_notice_begin(const char *text);
void cli_notice_end(void);

#endif
