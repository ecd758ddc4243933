/* Measures the disk with O_DIRECT, which bypasses the page cache without evicting anything. */
#include "base/clock.h"
#include "observe/profile/probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIECE = 1 << 20,
    ALIGNMENT = 4096,
    BYTES_MIN = 4 << 20,
    ENTRIES = 4096,
    PATH_CAPACITY = 1024
};

static const uint64_t long_enough_ns = 300000000;

static double read_pieces(int file, void *piece)
{
    const uint64_t begin = stk_clock_ns();
    uint64_t       bytes = 0, now = begin;
    while (now - begin < long_enough_ns) {
        const ssize_t got = pread(file, piece, PIECE, (off_t)bytes);
        now = stk_clock_ns();
        if (got <= 0) break;
        bytes += (uint64_t)got;
        if (got < PIECE) break;
    }
    return bytes >= BYTES_MIN && now > begin ? (double)bytes / (double)(now - begin) * 1e9 : -1;
}

static double probe_file(const char *path)
{
    const int file = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
    if (file < 0) return -1; /* an in-memory filesystem has no O_DIRECT */
    void        *piece = aligned_alloc(ALIGNMENT, PIECE);
    const double rate = piece ? read_pieces(file, piece) : -1;
    free(piece);
    close(file);
    return rate;
}

/* Probes the first large enough file in the folder or one level below. */
static double probe_folder(const char *folder, int deeper)
{
    DIR                 *list = opendir(folder);
    const struct dirent *entry;
    char                 path[PATH_CAPACITY];
    double               rate = -1;
    for (int i = 0; list && rate < 0 && i < ENTRIES && (entry = readdir(list)); i++) {
        struct stat about;
        const int   length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] == '.' || length >= (int)sizeof path) continue;
        if (stat(path, &about)) continue;
        if (S_ISREG(about.st_mode) && about.st_size >= BYTES_MIN) rate = probe_file(path);
        if (S_ISDIR(about.st_mode) && deeper > 0) rate = probe_folder(path, deeper - 1);
    }
    if (list) closedir(list);
    return rate;
}

double stk_probe_disk(const char *data)
{
    struct stat about;
    if (!data || stat(data, &about)) return -1;
    if (S_ISDIR(about.st_mode)) return probe_folder(data, 1);
    return S_ISREG(about.st_mode) ? probe_file(data) : -1;
}
