/* Signal handling. A handler can only access statics, so the token and the notice live here: the
 * command's only mutable global state apart from screen.c. */
#include "signals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static stk_cancel  token = STK_CANCEL_INIT;
static const char *notice; /* atomic: progress may come from any thread */

static void print_note(const char *text)
{
    const int     interrupted = errno; /* errno of the interrupted code */
    const ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored; /* a handler cannot report an error */
    errno = interrupted;
}

/* A closing terminal sends SIGHUP repeatedly (shell and kernel), which must not force an exit
 * without a checkpoint. */
static void stop(int signal_number)
{
    const bool again = stk_cancel_requested(&token);
    if (again && signal_number == SIGHUP) return;
    if (again) _exit(130);
    stk_cancel_request(&token);
    print_note("\nstopping; press Ctrl-C again to quit at once\n");
}

static void show_notice(int signal_number)
{
    (void)signal_number;
    const char *text = __atomic_load_n(&notice, __ATOMIC_RELAXED);
    if (!text) return;
    print_note(text);
    print_note("\n");
}

static void handle(int signal_number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static bool is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void cli_signals_install(void)
{
    handle(SIGINT, stop);
    handle(SIGTERM, stop);
    if (!is_ignored(SIGHUP)) handle(SIGHUP, stop); /* nohup */
    handle(SIGALRM, show_notice);
    handle(SIGPIPE, SIG_IGN);
    handle(SIGXFSZ, SIG_IGN); /* exceeding the file size limit is then an error like a full disk */
}

const stk_cancel *cli_signals_token(void)
{
    return &token;
}

bool cli_output_closed(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    return poll(&out, 1, 0) > 0 && (out.revents & POLLERR);
}

void cli_notice_begin(const char *text)
{
    __atomic_store_n(&notice, text, __ATOMIC_RELAXED);
    alarm(2);
}

void cli_notice_end(void)
{
    alarm(0);
    __atomic_store_n(&notice, NULL, __ATOMIC_RELAXED);
}
