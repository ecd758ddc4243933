/* Searches /proc for children of the watched processes. */
#include "observe/resources/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { SEARCH_NS = 1000000000 }; /* minimum interval: a search reads every process */

static bool is_watched(const stk_process_tree *tree, int id)
{
    for (size_t i = 0; i < tree->process_count; i++)
        if (tree->processes[i].id == id) return true;
    return false;
}

/* Lists the parent of every process. */
static void list_pairs(stk_process_tree *tree, DIR *folder)
{
    struct dirent *entry;
    tree->pair_count = 0;
    while ((entry = readdir(folder)) != NULL) {
        stk_process_stat stat;
        const int        id = atoi(entry->d_name);
        if (id <= 0 || is_watched(tree, id)) continue;
        const char *text = stk_procfs_read(tree->fs, "proc/%d/stat", id);
        if (!text || !stk_process_stat_parse(&stat, text)) continue;
        if (tree->pair_count == tree->pair_capacity) {
            const size_t           capacity = tree->pair_capacity * 2;
            stk_process_tree_pair *larger = realloc(tree->pairs, capacity * sizeof *larger);
            if (!larger) return; /* continues with the processes found so far */
            tree->pairs = larger;
            tree->pair_capacity = capacity;
        }
        tree->pairs[tree->pair_count++] = (stk_process_tree_pair){id, stat.parent};
    }
}

/* Children mostly follow their parents; after a wrap of process ids another pass finds them. */
static bool add_children(stk_process_tree *tree)
{
    bool found = false;
    for (size_t i = 0; i < tree->pair_count; i++) {
        stk_process_tree_pair *pair = &tree->pairs[i];
        if (!pair->id || !is_watched(tree, pair->parent)) continue;
        const size_t count = tree->process_count;
        stk_process_tree_add(tree, pair->id, pair->parent);
        found |= tree->process_count > count;
        pair->id = 0;
    }
    return found;
}

/* Without newly started processes there are no new children. */
void stk_process_tree_search(stk_process_tree *tree, int64_t forks, uint64_t now_ns)
{
    const bool first = !tree->has_sample;
    if (!tree->process_count) return;
    if (!first && forks >= 0 && forks == tree->searched_forks) return;
    if (!first && now_ns - tree->searched_ns < SEARCH_NS) return;
    tree->searched_ns = now_ns;
    tree->searched_forks = forks;
    const int fd = openat(tree->fs->root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR      *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (!folder) {
        if (fd >= 0) close(fd);
        return;
    }
    list_pairs(tree, folder);
    closedir(folder);
    while (add_children(tree)) {
    }
}
