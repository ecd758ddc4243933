/* The user's access token for the live page. It is never part of a command line, which all users of
 * a machine can read. */
#ifndef CLI_TOOLS_TRAIN_TOKEN_H
#define CLI_TOOLS_TRAIN_TOKEN_H

#include <stoker/error.h>

/* Reads the first line of file, or STOKER_SERVE_TOKEN if file is NULL. The caller frees *out; NULL:
 * neither is given, and on failure. The server validates the token. */
STK_NODISCARD stk_status cli_train_token_read(const char *file, char **out, stk_error *err);

#endif
