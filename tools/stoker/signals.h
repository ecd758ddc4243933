/* Ctrl-C, SIGTERM, SIGHUP, closed pipes, and notices about long work. */
#ifndef CLI_TOOLS_SIGNALS_H
#define CLI_TOOLS_SIGNALS_H

#include <stdbool.h>
#include <stoker/cancel.h>

/* Installs handlers: the first SIGINT or SIGTERM sets the token, the second exits with 130. SIGHUP
 * counts as a first one only, and stays ignored under nohup. SIGPIPE is ignored: writes fail, and
 * cli_output_closed is true. */
void cli_signals_install(void);

/* The token that signals set; lives as long as the process. */
const stk_cancel *cli_signals_token(void);

/* Whether stdout is a pipe without a reader, so that printing is useless. */
bool cli_output_closed(void);

/* Prints text to stderr unless cli_notice_end is called within 2 seconds, for calls without
 * progress. text must live until then. The end may be called from any thread, repeatedly. */
void cli_notice_begin(const char *text);
void cli_notice_end(void);

#endif
