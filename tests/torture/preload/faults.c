/* Which call has which fault: what the environment says, counters, and how a process ends. */
#include "faults.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { MOST_FAULTS = 8 };

static const char *const call_names[STK_CALLS] = {
    [STK_CALL_OPEN] = "open",     [STK_CALL_READ] = "read",         [STK_CALL_WRITE] = "write",
    [STK_CALL_SYNC] = "sync",     [STK_CALL_RENAME] = "rename",     [STK_CALL_MKDIR] = "mkdir",
    [STK_CALL_REMOVE] = "remove", [STK_CALL_TRUNCATE] = "truncate", [STK_CALL_STAT] = "stat",
    [STK_CALL_LIST] = "list",     [STK_CALL_MMAP] = "mmap",         [STK_CALL_MALLOC] = "malloc",
    [STK_CALL_THREAD] = "thread", [STK_CALL_RING] = "ring",
};

typedef enum how { HOW_ERRNO, HOW_SHORT, HOW_BEFORE, HOW_AFTER, HOW_MIDDLE, HOW_POWER } how;

static const struct {
    const char *name;
    how         how;
    int         error;
} how_names[] = {
    {"ENOSPC", HOW_ERRNO, ENOSPC}, {"EIO", HOW_ERRNO, EIO},       {"EMFILE", HOW_ERRNO, EMFILE},
    {"ENFILE", HOW_ERRNO, ENFILE}, {"ENOMEM", HOW_ERRNO, ENOMEM}, {"EINTR", HOW_ERRNO, EINTR},
    {"EACCES", HOW_ERRNO, EACCES}, {"EAGAIN", HOW_ERRNO, EAGAIN}, {"EDQUOT", HOW_ERRNO, EDQUOT},
    {"EROFS", HOW_ERRNO, EROFS},   {"ESTALE", HOW_ERRNO, ESTALE}, {"short", HOW_SHORT, 0},
    {"before", HOW_BEFORE, 0},     {"after", HOW_AFTER, 0},       {"middle", HOW_MIDDLE, 0},
    {"power", HOW_POWER, 0},
};

typedef struct fault {
    stk_call      call;
    unsigned long at;
    bool          on;
    size_t        how;      /* row of how_names */
    char          name[64]; /* only calls on paths with this in them; "": all */
    atomic_ulong  named;    /* how many of those there were */
} fault;

/* Written before main, read by all threads after. */
bool               stk_fault_armed;
static fault       faults[MOST_FAULTS];
static int         fault_count;
static bool        limited;
static const char *log_path, *counts_path;

static atomic_ulong counts[STK_CALLS];
static atomic_llong space;
static atomic_bool  dying;

/* A mistake in what the driver asks for must not look like a program that was spared. */
static _Noreturn void refuse(const char *text)
{
    dprintf(STDERR_FILENO, "faults: STK_FAULT: cannot understand '%s'\n", text);
    _exit(99);
}

static bool find_how(const char *name, size_t *row)
{
    for (*row = 0; *row < sizeof how_names / sizeof *how_names; ++*row)
        if (!strcmp(how_names[*row].name, name)) return true;
    return false;
}

static void add_fault(const char *text)
{
    char call[16], name[16], rest[16] = "";
    if (fault_count == MOST_FAULTS) refuse(text);
    fault *f = &faults[fault_count++];
    if (sscanf(text, "%15[a-z]@%63[^:]:%lu:%15[A-Za-z]:%15s", call, f->name, &f->at, name, rest) <
            4 &&
        sscanf(text, "%15[a-z]:%lu:%15[A-Za-z]:%15s", call, &f->at, name, rest) < 3)
        refuse(text);
    while (f->call < STK_CALLS && strcmp(call, call_names[f->call]))
        f->call++;
    f->on = !strcmp(rest, "on");
    if (f->call == STK_CALLS || !find_how(name, &f->how) || (*rest && !f->on)) refuse(text);
}

__attribute__((constructor)) static void read_environment(void)
{
    const char *wanted = getenv("STK_FAULT"), *full_after = getenv("STK_FAULT_SPACE");
    char        copy[512];
    snprintf(copy, sizeof copy, "%s", wanted ? wanted : "");
    for (char *rest = copy, *one; (one = strsep(&rest, ","));)
        if (*one) add_fault(one);
    limited = full_after != NULL;
    if (full_after) space = strtoll(full_after, NULL, 10);
    log_path = getenv("STK_FAULT_LOG");
    counts_path = getenv("STK_FAULT_COUNTS");
    stk_below_set(getenv("STK_FAULT_BELOW"));
    unsetenv("LD_PRELOAD");
}

/* Plain system calls: neither counted nor in need of memory. */
static void append_line(const char *path, const char *line)
{
    const long fd =
        syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (fd < 0) return;
    syscall(SYS_write, fd, line, strlen(line));
    syscall(SYS_close, fd);
}

__attribute__((destructor)) static void write_counts(void)
{
    stk_fault_armed = false;
    for (int call = 0; counts_path && call < STK_CALLS; call++) {
        char line[64];
        snprintf(line, sizeof line, "%s %lu\n", call_names[call], counts[call]);
        append_line(counts_path, line);
    }
}

/* The name that a call is on: what was said, or what the descriptor is of. */
static const char *name_of(const char *what, int fd, char *link_text, size_t capacity)
{
    char link[64];
    if (what || fd < 0) return what ? what : "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const long length = syscall(SYS_readlinkat, AT_FDCWD, link, link_text, capacity - 1);
    link_text[length > 0 ? length : 0] = '\0';
    return link_text;
}

static void note(const fault *f, unsigned long count, const char *name)
{
    char       line[640];
    const bool memory = f->call == STK_CALL_MALLOC || f->call == STK_CALL_MMAP;
    snprintf(line, sizeof line, "%s %lu %s %s\n", call_names[f->call], count,
             how_names[f->how].name, memory ? stk_caller() : name);
    if (log_path) append_line(log_path, line);
}

void stk_fault_note_end(const char *where)
{
    char line[64];
    snprintf(line, sizeof line, "ends %s\n", where);
    if (log_path) append_line(log_path, line);
}

void stk_fault_wait_if_dying(void)
{
    while (dying)
        syscall(SYS_pause);
}

_Noreturn void stk_fault_die(void)
{
    dying = true;
    for (;;) {
        kill(getpid(), SIGKILL);
        syscall(SYS_pause);
    }
}

static stk_fate decide(const fault *f)
{
    switch (how_names[f->how].how) {
    case HOW_ERRNO:
        errno = how_names[f->how].error;
        return STK_FATE_FAIL;
    case HOW_SHORT:
        return STK_FATE_SHORT;
    case HOW_AFTER:
        return STK_FATE_AFTER;
    case HOW_MIDDLE:
        return STK_FATE_MIDDLE;
    case HOW_POWER:
        if (atomic_exchange(&dying, true)) stk_fault_wait_if_dying();
        stk_power_cut();
        stk_fault_die();
    default:
        stk_fault_die();
    }
}

/* Is this call, the count-th of its kind, the one that f waits for, or after it? */
static bool meets(fault *f, unsigned long count, const char *what, int fd)
{
    char        text[512];
    const char *name = name_of(what, fd, text, sizeof text);
    if (*f->name && !strstr(name, f->name)) return false;
    if (*f->name) count = atomic_fetch_add(&f->named, 1) + 1;
    if (count == f->at) note(f, count, name);
    return f->on ? count >= f->at : count == f->at;
}

stk_fate stk_fault_next(stk_call call, const char *what, int fd)
{
    if (!stk_fault_armed) return STK_FATE_GO;
    stk_fault_wait_if_dying();
    const unsigned long count = atomic_fetch_add(&counts[call], 1) + 1;
    for (int i = 0; i < fault_count; i++) {
        fault *f = &faults[i];
        if (f->call != call || (!*f->name && count < f->at)) continue;
        if (meets(f, count, what, fd)) return decide(f);
    }
    return STK_FATE_GO;
}

long stk_fault_call(stk_call call, const char *what, long number, const long args[6])
{
    const stk_fate fate = stk_fault_next(call, what, what ? -1 : (int)args[0]);
    if (fate == STK_FATE_FAIL) return -1;
    const long result = syscall(number, args[0], args[1], args[2], args[3], args[4], args[5]);
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    return result;
}

size_t stk_fault_space(size_t size)
{
    if (!limited || !stk_fault_armed) return size;
    const long long left = atomic_fetch_sub(&space, (long long)size);
    if (left >= (long long)size) return size;
    if (left > 0) {
        atomic_fetch_add(&space, (long long)size - left);
        return (size_t)left;
    }
    atomic_fetch_add(&space, (long long)size);
    errno = ENOSPC;
    return 0;
}
