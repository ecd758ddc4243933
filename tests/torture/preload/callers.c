/* Which library a memory call is made for, and which one ends the process. oneDNN goes on with
 * address 0 where some of its allocations fail, what it throws in OpenMP's threads nobody can
 * catch, and OpenMP ends the process: such cases are told apart by this. */
#include "faults.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <signal.h>
#include <string.h>

enum { FRAMES = 48, LIBRARIES = 2 };

static const struct {
    const char *file, *told;
} libraries[LIBRARIES] = {{"libdnnl", "in oneDNN"}, {"libgomp", "in OpenMP"}};

/* Whether this thread was refused memory for them. */
static _Thread_local bool refused[LIBRARIES];

/* What stands between a library and this one: it allocates and aborts for others. */
static bool is_between(const char *file)
{
    static const char *const between[] = {"libstoker_faults", "libstdc++", "libgcc_s",
                                          "libc.so",          "libc-",     "ld-linux"};
    for (size_t i = 0; i < sizeof between / sizeof *between; i++)
        if (strstr(file, between[i])) return true;
    return false;
}

/* The row of the library whose code the thread is in; LIBRARIES: it is in other code. */
static int find_library(void)
{
    void     *frames[FRAMES];
    const int count = backtrace(frames, FRAMES);
    for (int i = 0; i < count; i++) {
        Dl_info info;
        if (!dladdr(frames[i], &info) || !info.dli_fname || is_between(info.dli_fname)) continue;
        for (int k = 0; k < LIBRARIES; k++)
            if (strstr(info.dli_fname, libraries[k].file)) return k;
        break;
    }
    return LIBRARIES;
}

static const char *told_of(int library)
{
    return library < LIBRARIES ? libraries[library].told : "";
}

/* A library's end counts as its own where it was refused memory in this thread. */
static void tell_end(int number)
{
    const int library = find_library();
    if (library < LIBRARIES && refused[library]) stk_fault_note_end(told_of(library));
    signal(number, SIG_DFL);
    raise(number);
}

/* The first backtrace loads a library, and takes memory for it. */
__attribute__((constructor)) static void prepare(void)
{
    void *frame;
    (void)backtrace(&frame, 1);
    signal(SIGABRT, tell_end);
    signal(SIGSEGV, tell_end);
}

const char *stk_caller(void)
{
    return told_of(find_library());
}

void stk_caller_refused(void)
{
    const int library = find_library();
    if (library < LIBRARIES) refused[library] = true;
}
