/* Processes of a command, from /proc. */
#include "tune/program/family.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TEXT = 1024, PATH = 64 };

typedef struct process {
    int      id, parent, session;
    char     state;
    uint64_t started;
} process;

void stk_tune_family_init(stk_tune_family *family, int leader)
{
    family->leader = leader;
    family->count = 0;
}

static bool read_text(int id, const char *name, char text[TEXT])
{
    char path[PATH];
    snprintf(path, sizeof path, "/proc/%d/%s", id, name);
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    const ssize_t size = read(fd, text, TEXT - 1);
    close(fd);
    text[size > 0 ? size : 0] = 0;
    return size > 0;
}

/* The name of a process may contain anything, also blanks and brackets. */
static bool read_process(process *out, int id)
{
    char        text[TEXT];
    const char *at = read_text(id, "stat", text) ? strrchr(text, ')') : NULL;
    *out = (process){.id = id};
    return at && sscanf(at,
                        ") %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                        "%*d %" SCNu64,
                        &out->state, &out->parent, &out->session, &out->started) == 4;
}

static bool is_ended(const process *p)
{
    return p->state == 'Z' || p->state == 'X';
}

static bool lives(const stk_tune_member *member)
{
    process p;
    return read_process(&p, member->id) && p.started == member->started && !is_ended(&p);
}

static void forget_ended(stk_tune_family *family)
{
    size_t kept = 0;
    for (size_t i = 0; i < family->count; i++)
        if (lives(&family->list[i])) family->list[kept++] = family->list[i];
    family->count = kept;
}

static bool has(const stk_tune_family *family, int id)
{
    for (size_t i = 0; i < family->count; i++)
        if (family->list[i].id == id) return true;
    return false;
}

static bool belongs(const stk_tune_family *family, const process *p)
{
    return p->id == family->leader || p->session == family->leader || has(family, p->parent);
}

/* Children mostly follow their parents; after a wrap of process ids another pass finds them. */
static bool add_new(stk_tune_family *family)
{
    bool           added = false;
    struct dirent *entry;
    DIR           *folder = opendir("/proc");
    while (folder && (entry = readdir(folder)) != NULL) {
        const int id = atoi(entry->d_name);
        process   p;
        if (id <= 0 || has(family, id) || !read_process(&p, id)) continue;
        if (is_ended(&p) || !belongs(family, &p) || family->count == STK_TUNE_FAMILY) continue;
        family->list[family->count++] = (stk_tune_member){id, p.started};
        added = true;
    }
    if (folder) closedir(folder);
    return added;
}

void stk_tune_family_update(stk_tune_family *family)
{
    forget_ended(family);
    while (add_new(family)) {
    }
}

/* The leader's group at once, as the kernel does it also for a child that is just being forked;
 * those in groups of their own one by one. */
void stk_tune_family_signal(const stk_tune_family *family, int signal_number)
{
    kill(-(pid_t)family->leader, signal_number);
    for (size_t i = 0; i < family->count; i++)
        if (getpgid(family->list[i].id) != family->leader)
            kill((pid_t)family->list[i].id, signal_number);
}

double stk_tune_family_bytes_read(const stk_tune_family *family)
{
    double sum = 0;
    for (size_t i = 0; i < family->count; i++) {
        char     text[TEXT];
        uint64_t bytes;
        if (read_text(family->list[i].id, "io", text) &&
            sscanf(text, "rchar: %" SCNu64, &bytes) == 1)
            sum += (double)bytes;
    }
    return sum;
}
