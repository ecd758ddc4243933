/* Full-screen output. State that a signal handler needs for the restore is static; apart from
 * signals.c it is the command's only such state. */
#include "screen.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static const char enter[] = "\033[?1049h\033[?25l\033[2J";
static const char leave[] = "\033[?25h\033[?1049l\033[0m";

static struct termios        saved;
static volatile sig_atomic_t taken = -1; /* the descriptor while the screen is open */

static void send_bytes(int fd, const void *data, size_t size)
{
    const char *at = data;
    while (size) {
        const ssize_t sent = write(fd, at, size);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return; /* the terminal is gone */
        at += sent;
        size -= (size_t)sent;
    }
}

/* Async-signal-safe. */
static void give_back(void)
{
    const int fd = taken;
    if (fd < 0) return;
    taken = -1;
    send_bytes(fd, leave, sizeof leave - 1);
    tcsetattr(fd, TCSANOW, &saved);
}

static void crash(int signal_number)
{
    give_back();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_crashes(void (*handler)(int))
{
    static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        signal(fatal[i], handler);
}

/* Keys arrive unbuffered; Ctrl-C still is a signal, Ctrl-Z is disabled, as it would leave a dead
 * screen. */
static bool take(int fd)
{
    struct termios raw;
    if (tcgetattr(fd, &saved)) return false;
    raw = saved;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    raw.c_cc[VSUSP] = _POSIX_VDISABLE;
    if (tcsetattr(fd, TCSANOW, &raw)) return false;
    taken = fd;
    return true;
}

bool cli_screen_open(cli_screen *screen)
{
    *screen = (cli_screen){.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)};
    stk_blob_init(&screen->shown, NULL, STK_MEMORY_OUTPUT);
    if (screen->fd < 0) return false;
    if (!take(screen->fd)) {
        close(screen->fd);
        screen->fd = -1;
        return false;
    }
    catch_crashes(crash);
    send_bytes(screen->fd, enter, sizeof enter - 1);
    cli_screen_measure(screen);
    return true;
}

void cli_screen_close(cli_screen *screen)
{
    stk_blob_release(&screen->shown);
    if (screen->fd < 0) return;
    give_back();
    catch_crashes(SIG_DFL);
    close(screen->fd);
    screen->fd = -1;
}

void cli_screen_measure(cli_screen *screen)
{
    enum { COLUMNS_MAX = 500, ROWS_MAX = 200 };
    struct winsize size = {0};
    screen->width = 80;
    screen->height = 24;
    if (ioctl(screen->fd, TIOCGWINSZ, &size) == 0 && size.ws_col && size.ws_row) {
        screen->width = size.ws_col < COLUMNS_MAX ? size.ws_col : COLUMNS_MAX;
        screen->height = size.ws_row < ROWS_MAX ? size.ws_row : ROWS_MAX;
    }
    screen->shown.size = 0;
}

/* The line at *at, which moves past it. */
static stk_bytes next_line(const stk_blob *text, size_t *at)
{
    if (*at >= text->size) return stk_bytes_text("");
    const uint8_t *begin = text->data + *at;
    const uint8_t *end = memchr(begin, '\n', text->size - *at);
    if (!end) return stk_bytes_text("");
    *at += (size_t)(end - begin) + 1;
    return stk_bytes_of(begin, (size_t)(end - begin));
}

void cli_screen_show(cli_screen *screen, const stk_blob *lines)
{
    const bool redraw = !screen->shown.size;
    size_t     at = 0, before = 0;
    stk_blob   out;
    stk_error  ignored;
    stk_blob_init(&out, NULL, STK_MEMORY_OUTPUT);
    stk_status st = STK_OK;
    if (redraw) st = stk_blob_append(&out, "\033[2J", 4, &ignored);
    for (int row = 1; !st && at < lines->size; row++) {
        char            move[24];
        const stk_bytes now = next_line(lines, &at), was = next_line(&screen->shown, &before);
        if (!redraw && stk_bytes_equal(now, was)) continue;
        const int length = snprintf(move, sizeof move, "\033[%d;1H", row);
        st = stk_blob_append(&out, move, (size_t)length, &ignored);
        if (!st) st = stk_blob_append(&out, now.data, now.size, &ignored);
        if (!st) st = stk_blob_append(&out, "\033[K", 3, &ignored);
    }
    if (!st) send_bytes(screen->fd, out.data, out.size);
    screen->shown.size = 0;
    if (st || stk_blob_append(&screen->shown, lines->data, lines->size, &ignored))
        screen->shown.size = 0; /* without memory the next frame is drawn completely */
    stk_blob_release(&out);
}

int cli_screen_key(cli_screen *screen)
{
    unsigned char key;
    return screen->fd >= 0 && read(screen->fd, &key, 1) == 1 ? key : 0;
}
