/* /proc/PID: usage of the watched processes. When a child ends, the kernel adds its counters to the
 * parent that waits for it. What was counted before is subtracted there, so nothing counts twice
 * and short-lived children count too. */
#include "observe/resources/process_tree.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const stk_process_counters unknown = {-1, -1, -1, -1};

stk_status stk_process_tree_open(stk_process_tree *tree, stk_procfs *fs, int process, bool is_real,
                                 stk_error *err)
{
    enum { PROCESSES = 16, THREADS = 64, PAIRS = 4096 };
    *tree = (stk_process_tree){.fs = fs, .is_real = is_real, .forks = -1, .searched_forks = -1};
    tree->page = sysconf(_SC_PAGESIZE);
    tree->ticks = sysconf(_SC_CLK_TCK);
    tree->cpu_ns = tree->read = tree->write = tree->switches = tree->waiting_ns = tree->resident =
        -1;
    tree->processes = calloc(PROCESSES, sizeof *tree->processes);
    tree->threads = calloc(THREADS, sizeof *tree->threads);
    tree->pairs = calloc(PAIRS, sizeof *tree->pairs);
    if (!tree->processes || !tree->threads || !tree->pairs) {
        stk_process_tree_close(tree);
        return stk_fail(err, STK_E_NOMEM, "resources", NULL, "no memory for the watched processes");
    }
    tree->process_capacity = PROCESSES;
    tree->thread_capacity = THREADS;
    tree->pair_capacity = PAIRS;
    stk_process_tree_add(tree, process, 0);
    return STK_OK;
}

static void close_process(stk_process_tree *tree, stk_process_tree_process *p)
{
    stk_procfile_close(&p->stat, tree->fs);
    stk_procfile_close(&p->statm, tree->fs);
    stk_procfile_close(&p->io, tree->fs);
}

void stk_process_tree_close(stk_process_tree *tree)
{
    for (size_t i = 0; i < tree->process_count; i++)
        close_process(tree, &tree->processes[i]);
    for (size_t i = 0; i < tree->thread_count; i++)
        stk_procfile_close(&tree->threads[i].schedstat, tree->fs);
    free(tree->processes);
    free(tree->threads);
    free(tree->pairs);
    *tree = (stk_process_tree){0};
}

void stk_process_tree_add(stk_process_tree *tree, int id, int parent)
{
    if (tree->process_count == tree->process_capacity) {
        const size_t              capacity = tree->process_capacity * 2;
        stk_process_tree_process *larger = NULL;
        if (capacity <= STK_TREE_PROCESSES)
            larger = realloc(tree->processes, capacity * sizeof *larger);
        if (!larger) return;
        tree->processes = larger;
        tree->process_capacity = capacity;
    }
    stk_process_tree_process *p = &tree->processes[tree->process_count++];
    *p = (stk_process_tree_process){.id = id, .parent = parent, .is_new = true, .now = unknown};
    p->is_baseline = !tree->has_sample; /* its usage before the watch is not counted */
    stk_procfile_init(&p->stat, "proc/%d/stat", id);
    stk_procfile_init(&p->statm, "proc/%d/statm", id);
    stk_procfile_init(&p->io, "proc/%d/io", id);
}

bool stk_process_stat_parse(stk_process_stat *out, const char *text)
{
    const char *at =
        strrchr(text, ')'); /* the name may contain anything, also blanks and brackets */
    if (!at || at[1] != ' ' || !at[2]) return false;
    at += 2;
    out->state = *at++;
    out->parent = (int)stk_proc_number(&at);
    stk_proc_skip(&at, 9); /* group session tty owner flags, four kinds of faults */
    const int64_t user = stk_proc_number(&at), system = stk_proc_number(&at);
    const int64_t child_user = stk_proc_number(&at), child_system = stk_proc_number(&at);
    stk_proc_skip(&at, 2); /* priority nice */
    out->threads = (int)stk_proc_number(&at);
    stk_proc_skip(&at, 21);
    out->io_ticks = stk_proc_number(&at);
    if (user < 0 || system < 0 || child_user < 0 || child_system < 0) return false;
    return !__builtin_add_overflow(user, system, &out->cpu_ticks) &&
           !__builtin_add_overflow(child_user, child_system, &out->child_ticks);
}

/* The process's CPU clock in nanoseconds; the file has hundredths of a second. */
static int64_t read_cpu_clock(const stk_process_tree *tree, int id)
{
    clockid_t       clock;
    struct timespec time;
    if (!tree->is_real || clock_getcpuclockid(id, &clock) || clock_gettime(clock, &time)) return -1;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static int64_t ticks_to_ns(const stk_process_tree *tree, int64_t ticks)
{
    const int64_t tick_ns = 1000000000 / tree->ticks;
    return ticks < 0 || ticks > INT64_MAX / tick_ns ? -1 : ticks * tick_ns;
}

static void read_memory(stk_process_tree *tree, stk_process_tree_process *p)
{
    const char *text = stk_procfile_read(&p->statm, tree->fs);
    if (!text) return;
    stk_proc_skip(&text, 1);
    const int64_t resident = stk_proc_number(&text), shared = stk_proc_number(&text);
    if (resident < 0 || shared < 0 || resident > INT64_MAX / tree->page) return;
    p->resident = resident * tree->page;
    p->shared = (shared < resident ? shared : resident) * tree->page;
}

/* Not readable for other users' processes. */
static void read_io(stk_process_tree *tree, stk_process_tree_process *p)
{
    const char *text = stk_procfile_read(&p->io, tree->fs);
    for (; text; text = stk_proc_line(text)) {
        const char *at = text;
        stk_proc_skip(&at, 1);
        if (!strncmp(text, "read_bytes:", 11)) p->now.read = stk_proc_number(&at);
        if (!strncmp(text, "write_bytes:", 12)) p->now.write = stk_proc_number(&at);
    }
}

static void read_process(stk_process_tree *tree, stk_process_tree_process *p)
{
    stk_process_stat stat;
    const char      *text = stk_procfile_read(&p->stat, tree->fs);
    p->exited = !text || !stk_process_stat_parse(&stat, text);
    if (p->exited) return;
    p->threads = stat.threads;
    p->now.cpu_ns = read_cpu_clock(tree, p->id);
    if (p->now.cpu_ns < 0) p->now.cpu_ns = ticks_to_ns(tree, stat.cpu_ticks);
    p->now.child_cpu_ns = ticks_to_ns(tree, stat.child_ticks);
    p->resident = p->shared = 0;
    if (stat.state != 'Z') { /* a zombie has no memory, but keeps its counters */
        read_memory(tree, p);
        read_io(tree, p);
    }
    if (p->is_new) p->before = p->is_baseline ? p->now : (stk_process_counters){0};
    p->is_new = false;
}

static stk_process_tree_process *find(stk_process_tree *tree, int id)
{
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].id == id) return &tree->processes[i];
    return NULL;
}

static void add_known(int64_t *sum, int64_t more)
{
    if (more > 0) *sum += more;
}

/* The nearest living ancestor will receive the ended child's counters. */
static void hand_up(stk_process_tree *tree, const stk_process_tree_process *exited)
{
    stk_process_tree_process *heir = find(tree, exited->parent);
    while (heir && heir->exited)
        heir = find(tree, heir->parent);
    if (!heir) return;
    add_known(&heir->owed.child_cpu_ns, exited->now.cpu_ns);
    add_known(&heir->owed.child_cpu_ns, exited->now.child_cpu_ns);
    add_known(&heir->owed.read, exited->now.read);
    add_known(&heir->owed.write, exited->now.write);
}

/* Increase of a counter, less the debt. A debt is kept for one more sample, since parent and child
 * are not read at the same moment; then it was never added. */
static int64_t advance(int64_t now, int64_t before, int64_t *owed, int64_t *owed_before)
{
    if (now < 0 || before < 0) return 0;
    int64_t more = now > before ? now - before : 0;
    for (int i = 0; i < 2; i++) {
        int64_t      *debt = i ? owed : owed_before;
        const int64_t paid = *debt < more ? *debt : more;
        more -= paid;
        *debt -= paid;
    }
    *owed_before = *owed;
    *owed = 0;
    return more;
}

static void count_process(stk_process_tree *tree, stk_process_tree_process *p)
{
    int64_t none = 0, none_before = 0;
    tree->cpu_ns += advance(p->now.cpu_ns, p->before.cpu_ns, &none, &none_before);
    tree->cpu_ns += advance(p->now.child_cpu_ns, p->before.child_cpu_ns, &p->owed.child_cpu_ns,
                            &p->owed_before.child_cpu_ns);
    tree->read += advance(p->now.read, p->before.read, &p->owed.read, &p->owed_before.read);
    tree->write += advance(p->now.write, p->before.write, &p->owed.write, &p->owed_before.write);
    p->before = p->now;
}

static void drop_gone(stk_process_tree *tree)
{
    size_t kept = 0;
    for (size_t i = 0; i < tree->process_count; i++) {
        if (tree->processes[i].exited)
            close_process(tree, &tree->processes[i]);
        else
            tree->processes[kept++] = tree->processes[i];
    }
    tree->process_count = kept;
}

/* Shared memory is mapped by several processes but exists once: the largest part counts. */
static int64_t sum_memory(const stk_process_tree *tree)
{
    int64_t own = 0, shared = 0;
    for (size_t i = 0; i < tree->process_count; i++) {
        const stk_process_tree_process *p = &tree->processes[i];
        own += p->resident - p->shared;
        if (p->shared > shared) shared = p->shared;
    }
    return tree->process_count ? own + shared : -1;
}

static bool io_is_known(const stk_process_tree *tree)
{
    return tree->process_count && tree->processes[0].now.read >= 0;
}

void stk_process_tree_update(stk_process_tree *tree, int64_t forks, uint64_t now_ns,
                             double elapsed_s)
{
    stk_process_tree_search(tree, forks, now_ns);
    bool changed = !tree->has_sample;
    for (size_t i = 0; i < tree->process_count; i++)
        read_process(tree, &tree->processes[i]);
    for (size_t i = 0; i < tree->process_count; i++) {
        changed |= tree->processes[i].exited;
        if (tree->processes[i].exited) hand_up(tree, &tree->processes[i]);
    }
    drop_gone(tree);
    if (!tree->has_sample && tree->process_count) {
        tree->cpu_ns = tree->switches = tree->waiting_ns = 0;
        tree->read = tree->write = io_is_known(tree) ? 0 : -1;
    }
    const int64_t read = tree->read, write = tree->write;
    for (size_t i = 0; tree->cpu_ns >= 0 && i < tree->process_count; i++)
        count_process(tree, &tree->processes[i]);
    if (read < 0) tree->read = read;
    if (write < 0) tree->write = write;
    tree->resident = sum_memory(tree);
    stk_process_tree_read_threads(tree, changed || forks < 0 || forks != tree->forks, elapsed_s);
    tree->forks = forks;
    tree->has_sample = true;
}
