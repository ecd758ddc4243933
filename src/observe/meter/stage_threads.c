/* Identifies threads by name. */
#include "observe/meter/stage_threads.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NAME = 16, TEXT = 1024, IO_TICKS_FIELD = 42 };

/* Name prefixes, as set by stk_thread_start and the kernel. */
static const struct {
    const char *name;
    stk_stage   stage;
} names[] = {
    {"stk-reader", STK_STAGE_READ},
    {"stk-ring", STK_STAGE_READ},
    {"iou-", STK_STAGE_READ}, /* the kernel's io_uring workers */
    {"stk-pipeline", STK_STAGE_PREPROCESS},
    {"callbacks", STK_STAGE_OUTPUT},
    {"checkpoint", STK_STAGE_WRITE},
};

/* False if the file cannot be read. */
static bool read_text(int folder, const char *path, char text[TEXT])
{
    const int     file = openat(folder, path, O_RDONLY | O_CLOEXEC);
    const ssize_t size = file < 0 ? -1 : read(file, text, TEXT - 1);
    if (file >= 0) close(file);
    if (size <= 0) return false;
    text[size] = 0;
    return true;
}

static bool read_name(int folder, int id, char name[NAME])
{
    char path[32], text[TEXT];
    snprintf(path, sizeof path, "%d/comm", id);
    name[0] = 0;
    if (!read_text(folder, path, text)) return false;
    snprintf(name, NAME, "%.*s", (int)strcspn(text, "\n"), text);
    return true;
}

static stk_stage stage_of(const char *name, int id, int training, const char *trains)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i].name, strlen(names[i].name)) == 0) return names[i].stage;
    if (training && (id == training || strcmp(name, trains) == 0)) return STK_STAGE_COMPUTE;
    return STK_STAGE_NONE;
}

/* Parses "cpu runnable slices" in nanoseconds. */
static void read_schedule(int folder, stk_stage_thread *thread)
{
    char               path[32], text[TEXT];
    unsigned long long cpu, runnable;
    snprintf(path, sizeof path, "%d/schedstat", thread->id);
    if (!read_text(folder, path, text) || sscanf(text, "%llu %llu", &cpu, &runnable) != 2) return;
    thread->cpu_ns = (double)cpu;
    thread->runnable_ns = (double)runnable;
}

/* The second field, the name, may contain blanks and parentheses. */
static void read_io(int folder, stk_stage_thread *thread, double tick_ns)
{
    char path[32], text[TEXT];
    snprintf(path, sizeof path, "%d/stat", thread->id);
    if (!read_text(folder, path, text)) return;
    char *at = strrchr(text, ')');
    for (int field = 2; at && field < IO_TICKS_FIELD; field++)
        at = strchr(at + 1, ' ');
    if (at) thread->io_ns = (double)strtoull(at + 1, NULL, 10) * tick_ns;
}

/* Current kernels count disk waits only if kernel.task_delayacct is set; older ones without the
 * switch always do. */
static bool io_is_counted(void)
{
    char text[TEXT];
    return !read_text(AT_FDCWD, "/proc/sys/kernel/task_delayacct", text) || text[0] != '0';
}

static void read_all(DIR *list, int training, stk_stage_threads *out)
{
    const int      folder = dirfd(list);
    const bool     io = io_is_counted();
    const double   tick_ns = 1e9 / (double)sysconf(_SC_CLK_TCK);
    char           trains[NAME] = "", name[NAME];
    struct dirent *entry;
    if (training) read_name(folder, training, trains);
    while (out->count < STK_STAGE_THREADS_MAX && (entry = readdir(list))) {
        const int id = atoi(entry->d_name);
        if (id <= 0 || !read_name(folder, id, name)) continue;
        stk_stage_thread *thread = &out->list[out->count++];
        *thread =
            (stk_stage_thread){.id = id, .stage = stage_of(name, id, training, trains), -1, -1, -1};
        read_schedule(folder, thread);
        if (io) read_io(folder, thread, tick_ns);
    }
}

void stk_stage_threads_read(stk_stage_threads *out, int training)
{
    out->count = 0;
    DIR *list = opendir("/proc/self/task");
    if (!list) return;
    read_all(list, training, out);
    closedir(list);
}

static const stk_stage_thread *find(const stk_stage_threads *threads, int id)
{
    for (size_t i = 0; i < threads->count; i++)
        if (threads->list[i].id == id) return &threads->list[i];
    return NULL;
}

static void add(double *sum, double now, const double *before)
{
    if (now < 0) return;
    if (*sum < 0) *sum = 0;
    const double since = before && *before > 0 ? now - *before : now;
    if (since > 0) *sum += since;
}

void stk_stage_threads_since(const stk_stage_threads *before, const stk_stage_threads *now,
                             stk_stage_cpu out[STK_STAGE_COUNT])
{
    for (int s = 0; s < STK_STAGE_COUNT; s++)
        out[s] = (stk_stage_cpu){0, -1, -1, -1};
    for (size_t i = 0; i < now->count; i++) {
        const stk_stage_thread *thread = &now->list[i], *was = find(before, thread->id);
        stk_stage_cpu          *sum = &out[thread->stage];
        sum->threads++;
        add(&sum->cpu_ns, thread->cpu_ns, was ? &was->cpu_ns : NULL);
        add(&sum->runnable_ns, thread->runnable_ns, was ? &was->runnable_ns : NULL);
        add(&sum->io_ns, thread->io_ns, was ? &was->io_ns : NULL);
    }
}
