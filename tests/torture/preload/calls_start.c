/* Where counting begins, and threads that cannot be had. */
#include "faults.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

typedef int main_function(int, char **, char **);
int         __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                              void (*fini)(void), void (*rtld_fini)(void), void *stack_end);

static main_function *real_main;

/* What libraries do before main is theirs. */
static int begin(int count, char **arguments, char **environment)
{
    stk_fault_armed = true;
    return real_main(count, arguments, environment);
}

int __libc_start_main(main_function *main, int count, char **arguments, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack_end)
{
    int (*next)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void),
                void *);
    *(void **)&next = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return next(begin, count, arguments, init, fini, rtld_fini, stack_end);
}

int pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument)
{
    int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    const stk_fate fate = stk_fault_next(STK_CALL_THREAD, NULL, -1);
    if (fate == STK_FATE_FAIL) return EAGAIN;
    if (fate == STK_FATE_AFTER || fate == STK_FATE_MIDDLE) stk_fault_die();
    *(void **)&next = dlsym(RTLD_NEXT, "pthread_create");
    return next(out, attributes, run, argument);
}
