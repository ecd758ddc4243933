/* Starting and ending a command. posix_spawn is safe beside other threads, copies no page tables,
 * and tells why exec failed. */
#include "tune/program/child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

static void close_pair(const int pair[2])
{
    close(pair[0]);
    close(pair[1]);
}

/* Two pipes, of which the read ends do not block. Returns an errno. */
static int open_pipes(int out[2], int err[2])
{
    if (pipe2(out, O_CLOEXEC)) return errno;
    if (pipe2(err, O_CLOEXEC)) {
        const int reason = errno;
        close_pair(out);
        return reason;
    }
    fcntl(out[0], F_SETFL, O_NONBLOCK);
    fcntl(err[0], F_SETFL, O_NONBLOCK);
    return 0;
}

/* A program ought to find signals as they are at the start of a shell. */
static int set_signals(posix_spawnattr_t *how)
{
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    sigdelset(&all, SIGKILL);
    sigdelset(&all, SIGSTOP);
    int failure = posix_spawnattr_setsigmask(how, &none);
    if (!failure) failure = posix_spawnattr_setsigdefault(how, &all);
    const int flags = POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    return failure ? failure : posix_spawnattr_setflags(how, (short)flags);
}

static int set_files(posix_spawn_file_actions_t *files, int out, int err)
{
    int failure = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failure) failure = posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO);
    return failure ? failure : posix_spawn_file_actions_adddup2(files, err, STDERR_FILENO);
}

static int spawn(pid_t *id, char *const *argv, char *const *environment, int out, int err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          how;
    int                        failure = posix_spawn_file_actions_init(&files);
    if (failure) return failure;
    failure = posix_spawnattr_init(&how);
    if (!failure) {
        failure = set_signals(&how);
        if (!failure) failure = set_files(&files, out, err);
        if (!failure) failure = posix_spawnp(id, argv[0], &files, &how, argv, environment);
        posix_spawnattr_destroy(&how);
    }
    posix_spawn_file_actions_destroy(&files);
    return failure;
}

stk_status stk_tune_child_start(stk_tune_child *out, char *const *argv, char *const *environment,
                                stk_error *err)
{
    int       output[2], errors[2];
    pid_t     id = 0;
    const int refused = open_pipes(output, errors);
    if (refused) return stk_fail_errno(err, refused, "tune", argv[0], "make a pipe");
    const int failure = spawn(&id, argv, environment, output[1], errors[1]);
    close(output[1]);
    close(errors[1]);
    *out = (stk_tune_child){(int)id, {output[0], errors[0]}};
    if (!failure) return STK_OK;
    close(output[0]);
    close(errors[0]);
    return stk_fail_errno(err, failure, "tune", argv[0], "start it");
}

/* Without children to wait for (SIGCHLD is ignored) it has ended. */
bool stk_tune_child_ended(const stk_tune_child *child)
{
    siginfo_t info = {0};
    if (waitid(P_PID, (id_t)child->id, &info, WEXITED | WNOHANG | WNOWAIT)) return errno == ECHILD;
    return info.si_pid == child->id;
}

int stk_tune_child_reap(const stk_tune_child *child)
{
    int   status = 0;
    pid_t got;
    while ((got = waitpid(child->id, &status, 0)) < 0 && errno == EINTR) {
    }
    if (got < 0) return 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
