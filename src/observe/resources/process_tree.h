/* The watched process, its descendants, and all their threads. */
#ifndef STK_OBSERVE_RESOURCES_PROCESS_TREE_H
#define STK_OBSERVE_RESOURCES_PROCESS_TREE_H

#include "observe/resources/procfile.h"

#include <stoker/resources.h>

enum { STK_TREE_PROCESSES = 4096, STK_TREE_THREADS = 4096 };

/* Usage of a process since its start. -1: not known. */
typedef struct stk_process_counters {
    int64_t cpu_ns;       /* its own threads, also ended ones */
    int64_t child_cpu_ns; /* of children that were waited for */
    int64_t read, write;  /* storage bytes, including such children */
} stk_process_counters;

/* The used fields of /proc/PID/stat. */
typedef struct stk_process_stat {
    int     parent, threads;
    char    state;                  /* 'Z': a zombie */
    int64_t cpu_ticks, child_ticks; /* user and system */
    int64_t io_ticks;               /* waiting for disks; of a thread */
} stk_process_stat;

/* False if text has another form. */
bool stk_process_stat_parse(stk_process_stat *out, const char *text);
/* "ns on a core, ns waiting for one, times put on one" */
typedef struct stk_thread_times {
    int64_t cpu_ns, runnable_ns, switches;
} stk_thread_times;
bool stk_thread_times_parse(stk_thread_times *out, const char *text);

typedef struct stk_process_tree_thread {
    int              id, process;
    bool             seen, is_new;
    stk_procfile     schedstat;
    stk_thread_times now, before;
    double           cpu; /* fraction of the time between the last two samples */
} stk_process_tree_thread;

typedef struct stk_process_tree_process {
    int                  id, parent, threads;
    bool                 exited, is_new, is_baseline;
    stk_procfile         stat, statm, io;
    stk_process_counters now, before;
    /* Counters of ended children that were counted before and will be added to this process. */
    stk_process_counters owed, owed_before;
    int64_t              resident, shared; /* bytes */
} stk_process_tree_process;

typedef struct stk_process_tree_pair {
    int id, parent;
} stk_process_tree_pair;

typedef struct stk_process_tree {
    stk_procfs               *fs;
    bool                      is_real; /* the real /proc: CPU clocks are readable */
    int64_t                   page, ticks;
    stk_process_tree_process *processes; /* parents before children */
    size_t                    process_count, process_capacity;
    stk_process_tree_thread  *threads;
    size_t                    thread_count, thread_capacity;
    stk_process_tree_pair    *pairs; /* found by a search; reused */
    size_t                    pair_count, pair_capacity;
    int64_t                   forks; /* of the machine, at the last listing of threads */
    uint64_t                  searched_ns;
    int64_t                   searched_forks;
    bool                      has_sample;
    /* Since the first update; monotonic. -1: not known. */
    int64_t cpu_ns, read, write, switches, waiting_ns; /* waiting_ns: for a core */
    int64_t resident;                                  /* current bytes */
} stk_process_tree;

/* Watches process, which need not exist. is_real: fs is this machine's. */
STK_NODISCARD stk_status stk_process_tree_open(stk_process_tree *tree, stk_procfs *fs, int process,
                                               bool is_real, stk_error *err);
void                     stk_process_tree_close(stk_process_tree *tree);
/* Reads all counters. forks: of the machine, -1: not known; elapsed_s: since the previous
 * update. */
void stk_process_tree_update(stk_process_tree *tree, int64_t forks, uint64_t now_ns,
                             double elapsed_s);
/* Writes the busiest threads; returns how many. */
size_t stk_process_tree_busiest(stk_process_tree *tree, stk_thread_sample *out, size_t capacity);

/* Parts of update, one per file. */

/* Finds new children. */
void stk_process_tree_search(stk_process_tree *tree, int64_t forks, uint64_t now_ns);
/* Lists and reads the threads. */
void stk_process_tree_read_threads(stk_process_tree *tree, bool changed, double elapsed_s);
/* Adds a process; it is not watched if the table is full or memory is short. */
void stk_process_tree_add(stk_process_tree *tree, int id, int parent);

#endif
