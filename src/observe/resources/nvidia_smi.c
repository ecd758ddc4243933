/* nvidia-smi, if the driver's library cannot be loaded: in a statically linked program, or a
 * container with the tool alone. It takes 10 to 500 ms, so it runs at most once a second, and is
 * killed on a timeout. */
#include "base/clock.h"
#include "base/decimal.h"
#include "observe/resources/gpu.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { OUTPUT = 16384, LIMIT_MS = 5000, FIELD = 96 };

static const char query[] =
    "--query-gpu=name,driver_version,memory.total,persistence_mode,utilization.gpu,"
    "utilization.memory,memory.used,power.draw,temperature.gpu,clocks.sm,"
    "clocks_throttle_reasons.active";

typedef struct smi {
    const char *path;
} smi;

/* Copies the next field of a line; false at its end. */
static bool next_field(const char **at, char field[FIELD])
{
    const char *p = *at;
    if (!p || *p == '\n' || !*p) return false;
    const size_t length = strcspn(p, ",\n");
    snprintf(field, FIELD, "%.*s", (int)length, p);
    p += length;
    *at = *p == ',' ? p + 1 + strspn(p + 1, " ") : p;
    return true;
}

/* "[N/A]", "[Not Supported]": not known. */
static double number_of(const char *field, double unit)
{
    const char  *end;
    const double number = stk_decimal_read(field, &end);
    return end == field || number < 0 ? -1 : number * unit;
}

static double throttled_of(const char *field)
{
    char                    *end;
    const unsigned long long reasons = strtoull(field, &end, 16);
    return end == field || strncmp(field, "0x", 2) != 0 ? -1 : stk_gpu_throttled(reasons);
}

static bool parse_line(const char *line, stk_gpu_info *info, char *version, stk_gpu_sample *s)
{
    enum { NAME, VERSION, TOTAL, PERSIST, USE, MEM_USE, USED, WATTS, HEAT, CLOCK, REASONS, COUNT };
    const double mib = 1 << 20;
    char         fields[COUNT][FIELD];
    int          count = 0;
    while (count < COUNT && next_field(&line, fields[count]))
        count++;
    const double total = count == COUNT ? number_of(fields[TOTAL], mib) : -1;
    if (count < COUNT) return false;
    *info = (stk_gpu_info){.persistence = -1,
                           .memory = total > 0 && total < 1e18 ? (uint64_t)total : 0};
    snprintf(info->name, sizeof info->name, "%.*s", (int)sizeof info->name - 1, fields[NAME]);
    if (!strcmp(fields[PERSIST], "Enabled")) info->persistence = 1;
    if (!strcmp(fields[PERSIST], "Disabled")) info->persistence = 0;
    snprintf(version, FIELD, "%s", fields[VERSION]);
    *s = stk_gpu_unknown();
    s->utilisation = number_of(fields[USE], 0.01);
    s->memory_utilisation = number_of(fields[MEM_USE], 0.01);
    s->memory_used = number_of(fields[USED], mib);
    s->watts = number_of(fields[WATTS], 1);
    s->celsius = number_of(fields[HEAT], 1);
    s->clock_mhz = number_of(fields[CLOCK], 1);
    s->throttled = throttled_of(fields[REASONS]);
    return true;
}

bool stk_nvidia_smi_parse(const char *text, stk_machine_info *machine, stk_gpu_readings *out)
{
    char         version[FIELD] = "";
    stk_gpu_info info;
    out->count = 0;
    for (const char *line = text; line && *line && out->count < STK_RESOURCES_GPUS;) {
        if (!parse_line(line, &info, version, &out->gpus[out->count])) return false;
        if (machine) machine->gpus[out->count] = info;
        out->count++;
        line = strchr(line, '\n');
        if (line) line++;
    }
    if (machine && out->count) {
        machine->gpu_count = out->count;
        snprintf(machine->gpu_source, sizeof machine->gpu_source, "nvidia-smi %s", version);
    }
    return out->count > 0;
}

/* Restores default signal handling, which this thread has changed. */
static bool spawn(const char *path, int out, pid_t *child)
{
    char *const argv[] = {(char *)path, (char *)query, (char *)"--format=csv,noheader,nounits",
                          NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t          how;
    sigset_t                   none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK);
    const int failure = posix_spawnp(child, path, &files, &how, argv, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return !failure;
}

/* Reads to the end; false on a timeout. */
static bool read_output(int in, char *text)
{
    const uint64_t deadline = stk_clock_ns() + (uint64_t)LIMIT_MS * 1000000;
    size_t         size = 0;
    for (;;) {
        const uint64_t now = stk_clock_ns();
        struct pollfd  ready = {.fd = in, .events = POLLIN};
        if (now >= deadline) return false;
        const int events = poll(&ready, 1, (int)((deadline - now) / 1000000) + 1);
        if (events < 0 && errno != EINTR) return false;
        if (events <= 0) continue;
        const ssize_t got = read(in, text + size, OUTPUT - 1 - size);
        if (got < 0) return false;
        size += (size_t)got;
        text[size] = '\0';
        if (!got || size + 1 == OUTPUT) return true;
    }
}

/* Runs it and reads its output; false with a note ("" if there is no such program). */
static bool ask(const char *path, char *text, char *note)
{
    int   ends[2], status = 0;
    pid_t child;
    text[0] = '\0';
    if (pipe2(ends, O_CLOEXEC)) return false;
    const bool started = spawn(path, ends[1], &child);
    close(ends[1]);
    const bool complete = started && read_output(ends[0], text);
    close(ends[0]);
    if (!started) return false;
    if (!complete) kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!complete)
        snprintf(note, STK_GPU_NOTE, "nvidia-smi did not answer within %d s", LIMIT_MS / 1000);
    else if (!WIFEXITED(status) || WEXITSTATUS(status))
        snprintf(note, STK_GPU_NOTE, "nvidia-smi failed: %.*s", (int)strcspn(text, "\n"), text);
    return !note[0];
}

static bool read_all(const char *path, stk_machine_info *machine, stk_gpu_readings *out, char *note)
{
    char text[OUTPUT];
    if (!ask(path, text, note)) return false;
    if (stk_nvidia_smi_parse(text, machine, out)) return true;
    snprintf(note, STK_GPU_NOTE, "nvidia-smi said: %.*s", (int)strcspn(text, "\n"), text);
    return false;
}

static bool open_smi(void **state, const char *path, stk_machine_info *machine, char *note)
{
    stk_gpu_readings ignored;
    *state = NULL;
    if (!read_all(path, machine, &ignored, note)) return false;
    smi *s = malloc(sizeof *s);
    if (!s) return false;
    s->path = path;
    *state = s;
    return true;
}

static bool read_smi(void *state, const stk_gpu_pids *pids, stk_gpu_readings *out, char *note)
{
    (void)pids;
    return read_all(((const smi *)state)->path, NULL, out, note);
}

const stk_gpu_source stk_gpu_nvidia_smi = {
    .name = "nvidia-smi", .period_s = 1, .open = open_smi, .read = read_smi, .close = free};
