/* The watched command, and signal handling of the watcher. */
#include "watch_child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* For the handler, which can only access statics. */
static volatile sig_atomic_t child_pid, stop_came, resize_came;
static int                   wake_pipe[2] = {-1, -1};

/* Restores default signals for the child: main ignores SIGPIPE and SIGXFSZ. */
static void run_child(char **argv, const int *outputs, int gate, int failure)
{
    static const int usual[] = {SIGINT, SIGTERM, SIGALRM, SIGPIPE, SIGXFSZ};
    char             byte;
    while (read(gate, &byte, 1) < 0 && errno == EINTR) {
    }
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        signal(usual[i], SIG_DFL);
    if (outputs) dup2(outputs[0], STDOUT_FILENO);
    if (outputs) dup2(outputs[1], STDERR_FILENO);
    execvp(argv[0], argv);
    const int     reason = errno;
    const ssize_t ignored = write(failure, &reason, sizeof reason);
    (void)ignored;
    _exit(reason == ENOENT ? 127 : 126);
}

stk_status cli_child_start(cli_child *child, char **argv, const int outputs[2], stk_error *err)
{
    int gate[2], failure[2];
    if (pipe2(gate, O_CLOEXEC)) return stk_fail_errno(err, errno, "watch", argv[0], "make a pipe");
    if (pipe2(failure, O_CLOEXEC)) {
        const int reason = errno;
        close(gate[0]);
        close(gate[1]);
        return stk_fail_errno(err, reason, "watch", argv[0], "make a pipe");
    }
    const pid_t pid = fork();
    if (!pid) {
        close(gate[1]); /* else the end of file never comes */
        run_child(argv, outputs, gate[0], failure[1]);
    }
    const int reason = errno;
    close(gate[0]);
    close(failure[1]);
    *child = (cli_child){pid, gate[1], failure[0]};
    if (pid > 0) return STK_OK;
    close(gate[1]);
    close(failure[0]);
    return stk_fail_errno(err, reason, "watch", argv[0], "start it");
}

/* The pipe closes on exec. */
int cli_child_begin(cli_child *child)
{
    int     reason = 0;
    ssize_t got;
    close(child->gate);
    while ((got = read(child->failure, &reason, sizeof reason)) < 0 && errno == EINTR) {
    }
    close(child->failure);
    return got == sizeof reason ? reason : 0;
}

bool cli_child_ended(const cli_child *child)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)child->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == child->pid;
}

int cli_child_reap(cli_child *child, int *signal_number)
{
    int status = 0;
    *signal_number = 0;
    child_pid = 0; /* the number may be reused by another process */
    while (waitpid(child->pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    *signal_number = WTERMSIG(status);
    return 128 + *signal_number;
}

static void handle(int signal_number, siginfo_t *info, void *context)
{
    const int interrupted = errno;
    (void)context;
    if (signal_number == SIGWINCH) resize_came = 1;
    if (signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP)
        stop_came = 1;
    const bool by_process = info->si_code <= 0;
    if (child_pid && by_process && signal_number != SIGWINCH && signal_number != SIGCHLD)
        kill((pid_t)child_pid, signal_number);
    const ssize_t ignored = write(wake_pipe[1], "", 1);
    (void)ignored; /* a full pipe wakes as well */
    errno = interrupted;
}

void cli_watch_signals(int child)
{
    static const int signals[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT,
                                  SIGUSR1, SIGUSR2, SIGWINCH, SIGCHLD};
    const size_t     count = sizeof signals / sizeof *signals;
    struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_RESTART};
    sigemptyset(&action.sa_mask);
    if (wake_pipe[0] < 0 && pipe2(wake_pipe, O_CLOEXEC | O_NONBLOCK)) return;
    child_pid = child;
    for (size_t i = 0; i < count; i++) {
        const bool for_child =
            signals[i] == SIGQUIT || signals[i] == SIGUSR1 || signals[i] == SIGUSR2;
        struct sigaction before;
        sigaction(signals[i], NULL, &before);
        const bool may_stay = for_child || signals[i] == SIGHUP;
        if (may_stay && before.sa_handler == SIG_IGN) continue; /* nohup */
        if (for_child && !child) continue;
        sigaction(signals[i], &action, NULL);
    }
}

cli_watch_events cli_watch_wait(int fd, double seconds)
{
    struct pollfd    ready[2] = {{wake_pipe[0], POLLIN, 0}, {fd, POLLIN, 0}};
    char             bytes[64];
    const int        ms = seconds > 0 ? (int)(seconds * 1000) + 1 : 0;
    cli_watch_events events;
    if (poll(ready, 2, ms) > 0 && ready[0].revents)
        while (read(wake_pipe[0], bytes, sizeof bytes) > 0) {
        }
    events.stop = stop_came;
    events.resized = resize_came;
    stop_came = resize_came = 0;
    return events;
}
