/* The terminal as a screen: taken over as a whole, given back as it was on every way out. */
#ifndef CLI_TOOLS_SCREEN_H
#define CLI_TOOLS_SCREEN_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <termios.h>

typedef struct cli_screen {
    int      fd; /* /dev/tty; -1: there is none */
    stk_blob shown;
    int      width, height;
} cli_screen;

/* Takes the terminal: other screen, no cursor, keys without a line break. False: there is none. A
 * crash or a signal that ends the process gives it back. */
bool cli_screen_open(cli_screen *screen);
/* Gives it back; nothing when it is not open. */
void cli_screen_close(cli_screen *screen);
/* Reads the size again; what is shown then is drawn as a whole. */
void cli_screen_measure(cli_screen *screen);
/* Shows lines; only those that changed are sent. */
void cli_screen_show(cli_screen *screen, const stk_blob *lines);
/* The next key, or 0 when none was pressed. */
int cli_screen_key(cli_screen *screen);

#endif
