/* Full-screen terminal output; restores the terminal on every exit. */
#ifndef CLI_TOOLS_SCREEN_H
#define CLI_TOOLS_SCREEN_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <termios.h>

typedef struct cli_screen {
    int      fd; /* /dev/tty; -1: none */
    stk_blob shown;
    int      width, height;
} cli_screen;

/* Switches to the alternate screen, without cursor and line buffering. False: no terminal. Crashes
 * and fatal signals restore it. */
bool cli_screen_open(cli_screen *screen);
/* Restores the terminal; no-op if not open. */
void cli_screen_close(cli_screen *screen);
/* Reads the terminal size again and forces a full redraw. */
void cli_screen_measure(cli_screen *screen);
/* Shows lines; sends only changed ones. */
void cli_screen_show(cli_screen *screen, const stk_blob *lines);
/* The next key, or 0. */
int cli_screen_key(cli_screen *screen);

#endif
