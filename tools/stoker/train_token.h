/* The token that a person wants browsers to be asked for. It never stands in a command line, which
 * every user of a machine can read. */
#ifndef CLI_TOOLS_TRAIN_TOKEN_H
#define CLI_TOOLS_TRAIN_TOKEN_H

#include <stoker/error.h>

/* The first line of file, or where that is NULL what STOKER_SERVE_TOKEN says. *out is the caller's
 * to free; NULL: neither is given, and on failure. What a token may be is the server's to check. */
STK_NODISCARD stk_status cli_train_token_read(const char *file, char **out, stk_error *err);

#endif
