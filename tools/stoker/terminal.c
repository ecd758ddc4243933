/* Properties of the output. */
#include "terminal.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

const char *cli_color_choice(size_t index)
{
    static const char *const choices[] = {"auto", "always", "never"};
    return index < 3 ? choices[index] : NULL;
}

bool cli_terminal_shows_unicode(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

int cli_terminal_width(FILE *out, int min, int max)
{
    struct winsize size = {0};
    int            width = 80;
    if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
        width = size.ws_col;
    return width < min ? min : width > max ? max : width;
}

static bool wants_color(bool is_terminal, const char *color)
{
    const char *refused = getenv("NO_COLOR");
    if (refused && refused[0]) return false;
    if (color && strcmp(color, "auto") != 0) return strcmp(color, "always") == 0;
    const char *terminal = getenv("TERM");
    return is_terminal && terminal && strcmp(terminal, "dumb") != 0;
}

/* Sequences are recognised by address: the same bytes in a file name are escaped. */
static const char sequences[][8] = {"\033[1m", "\033[2m", "\033[32m", "\033[31m", "\033[0m"};

bool cli_style_has(const char *text)
{
    for (size_t i = 0; i < sizeof sequences / sizeof *sequences; i++)
        if (text == sequences[i]) return true;
    return false;
}

cli_style cli_style_for(FILE *out, const char *color)
{
    const bool is_terminal = isatty(fileno(out));
    const bool forced = color && strcmp(color, "always") == 0;
    cli_style  style = {"", "", "", "", "", false, cli_terminal_width(out, 60, 120)};
    style.unicode = (is_terminal || forced) && cli_terminal_shows_unicode();
    if (!wants_color(is_terminal, color)) return style;
    style.bold = sequences[0];
    style.dim = sequences[1];
    style.good = sequences[2];
    style.bad = sequences[3];
    style.plain = sequences[4];
    return style;
}
