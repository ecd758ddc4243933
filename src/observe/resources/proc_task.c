/* /proc/PID/task: the threads of the watched processes. */
#include "observe/resources/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool stk_thread_times_parse(stk_thread_times *out, const char *text)
{
    out->cpu_ns = stk_proc_number(&text);
    out->runnable_ns = stk_proc_number(&text);
    out->switches = stk_proc_number(&text);
    return out->cpu_ns >= 0 && out->runnable_ns >= 0 && out->switches >= 0;
}

static stk_process_tree_thread *find_thread(stk_process_tree *tree, int process, int id)
{
    for (size_t i = 0; i < tree->thread_count; i++)
        if (tree->threads[i].id == id && tree->threads[i].process == process)
            return &tree->threads[i];
    return NULL;
}

static stk_process_tree_thread *add_thread(stk_process_tree *tree, int process, int id)
{
    if (tree->thread_count == tree->thread_capacity) {
        const size_t             capacity = tree->thread_capacity * 2;
        stk_process_tree_thread *larger = NULL;
        if (capacity <= STK_TREE_THREADS)
            larger = realloc(tree->threads, capacity * sizeof *larger);
        if (!larger) return NULL;
        tree->threads = larger;
        tree->thread_capacity = capacity;
    }
    stk_process_tree_thread *thread = &tree->threads[tree->thread_count++];
    *thread = (stk_process_tree_thread){.id = id, .process = process, .is_new = true};
    stk_procfile_init(&thread->schedstat, "proc/%d/task/%d/schedstat", process, id);
    return thread;
}

static void list_threads(stk_process_tree *tree, const stk_process_tree_process *p)
{
    char path[STK_PROCFILE_PATH];
    snprintf(path, sizeof path, "proc/%d/task", p->id);
    const int fd = openat(tree->fs->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR      *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        const int id = atoi(entry->d_name);
        if (id <= 0) continue;
        stk_process_tree_thread *thread = find_thread(tree, p->id, id);
        if (!thread) thread = add_thread(tree, p->id, id);
        if (thread) thread->seen = true;
    }
    closedir(folder);
}

static void drop_unseen(stk_process_tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->thread_count; i++) {
        if (!tree->threads[i].seen)
            stk_procfile_close(&tree->threads[i].schedstat, tree->fs);
        else
            tree->threads[kept++] = tree->threads[i];
    }
    tree->thread_count = kept;
}

/* A thread that ends between two samples is missed; its time is in the process's clock. */
static void read_thread(stk_process_tree *tree, stk_process_tree_thread *t, double elapsed_s)
{
    const char *text = stk_procfile_read(&t->schedstat, tree->fs);
    if (!text || !stk_thread_times_parse(&t->now, text)) {
        t->cpu = 0;
        return;
    }
    if (t->is_new) t->before = tree->has_sample ? (stk_thread_times){0} : t->now;
    t->is_new = false;
    const double fraction =
        elapsed_s > 0 ? (double)(t->now.cpu_ns - t->before.cpu_ns) * 1e-9 / elapsed_s : 0;
    t->cpu = fraction < 0 ? 0 : fraction > 1 ? 1 : fraction;
    if (tree->switches >= 0 && t->now.switches > t->before.switches)
        tree->switches += t->now.switches - t->before.switches;
    if (tree->waiting_ns >= 0 && t->now.runnable_ns > t->before.runnable_ns)
        tree->waiting_ns += t->now.runnable_ns - t->before.runnable_ns;
    t->before = t->now;
}

void stk_process_tree_read_threads(stk_process_tree *tree, bool changed, double elapsed_s)
{
    if (changed) {
        for (size_t i = 0; i < tree->thread_count; i++)
            tree->threads[i].seen = false;
        for (size_t i = 0; i < tree->process_count; i++)
            list_threads(tree, &tree->processes[i]);
        drop_unseen(tree);
    }
    for (size_t i = 0; i < tree->thread_count; i++)
        read_thread(tree, &tree->threads[i], elapsed_s);
}

static int by_cpu(const void *a, const void *b)
{
    const stk_process_tree_thread *x = a, *y = b;
    if (x->cpu != y->cpu) return x->cpu < y->cpu ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Disk waits are counted if kernel.task_delayacct is set. */
static double read_io_wait(stk_process_tree *tree, const stk_process_tree_thread *t)
{
    stk_process_stat stat;
    const char      *text = stk_procfs_read(tree->fs, "proc/sys/kernel/task_delayacct");
    if (text && text[0] == '0') return -1;
    text = stk_procfs_read(tree->fs, "proc/%d/task/%d/stat", t->process, t->id);
    if (!text || !stk_process_stat_parse(&stat, text) || stat.io_ticks < 0) return -1;
    return (double)stat.io_ticks / (double)tree->ticks;
}

size_t stk_process_tree_busiest(stk_process_tree *tree, stk_thread_sample *out, size_t capacity)
{
    const size_t count = tree->thread_count < capacity ? tree->thread_count : capacity;
    qsort(tree->threads, tree->thread_count, sizeof *tree->threads, by_cpu);
    for (size_t i = 0; i < count; i++) {
        const stk_process_tree_thread *t = &tree->threads[i];
        out[i] = (stk_thread_sample){.id = t->id, .cpu = t->cpu};
        out[i].cpu_s = (double)t->now.cpu_ns * 1e-9;
        out[i].runnable_s = (double)t->now.runnable_ns * 1e-9;
        out[i].io_s = read_io_wait(tree, t);
        const char *name = stk_procfs_read(tree->fs, "proc/%d/task/%d/comm", t->process, t->id);
        if (name) snprintf(out[i].name, sizeof out[i].name, "%.*s", (int)strcspn(name, "\n"), name);
    }
    return count;
}
