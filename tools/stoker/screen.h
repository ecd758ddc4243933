/* The terminal as a screen: taken over as a whole, given back as it was on every way out. */
#ifndef STK_TOOLS_SCREEN_H
#define STK_TOOLS_SCREEN_H

#include <stdbool.h>
#include <stoker/blob.h>
#include <termios.h>

typedef struct stk_screen {
    int      fd; /* /dev/tty; -1: there is none */
    stk_blob shown;
    int      width, height;
} stk_screen;

/* Takes the terminal: other screen, no cursor, keys without a line break. False: there is none. A
 * crash or a signal that ends the process gives it back. */
bool stk_screen_open(stk_screen *screen);
/* Gives it back; nothing when it is not open. */
void stk_screen_close(stk_screen *screen);
/* Reads the size again; what is shown then is drawn as a whole. */
void stk_screen_measure(stk_screen *screen);
/* Shows lines; only those that changed are sent. */
void stk_screen_show(stk_screen *screen, const stk_blob *lines);
/* The next key, or 0 when none was pressed. */
int stk_screen_key(stk_screen *screen);

#endif
