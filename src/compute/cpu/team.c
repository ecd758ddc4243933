/* Runs a team through libgomp's entry point, which is stable and independent of the compiler.
 * clang's pragma would bring a second OpenMP runtime with a second team. */
#include "compute/cpu/team.h"
#include <stdatomic.h>

void GOMP_parallel(void (*fn)(void *), void *data, unsigned threads, unsigned flags);
int  omp_get_thread_num(void);
int  omp_get_num_threads(void);

typedef struct parallel {
    void (*work)(void *context, int part, int parts);
    void *context;
    /* libgomp's barriers order everything; these make the order visible to ThreadSanitizer. */
    atomic_int begun, done;
} parallel;

static void enter(void *data)
{
    parallel *p = data;
    (void)atomic_load_explicit(&p->begun, memory_order_acquire);
    p->work(p->context, omp_get_thread_num(), omp_get_num_threads());
    atomic_fetch_add_explicit(&p->done, 1, memory_order_release);
}

void stk_team_run(const stk_team *team, void (*work)(void *context, int part, int parts),
                  void           *context)
{
    if (team->threads <= 1) {
        work(context, 0, 1);
        return;
    }
    parallel p = {.work = work, .context = context};
    atomic_store_explicit(&p.begun, 1, memory_order_release);
    GOMP_parallel(enter, &p, (unsigned)team->threads, 0);
    (void)atomic_load_explicit(&p.done, memory_order_acquire);
}
