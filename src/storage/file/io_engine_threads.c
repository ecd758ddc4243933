/* Reader threads: each runs one request at a time, and takes the next before it sleeps. They do not
 * spin: many of them on few cores would take time from computing threads. */
#include "storage/file/io_engine_parts.h"

#include <stdlib.h>

/* NULL when the engine stops. */
static stk_io_request *take(stk_io *io)
{
    pthread_mutex_lock(&io->lock);
    io->coming--;
    while (!io->readable.first && !io->stopping) {
        io->idle++;
        pthread_cond_wait(&io->work, &io->lock);
        io->idle--;
    }
    stk_io_request *request = io->stopping ? NULL : stk_io_list_pop(&io->readable);
    pthread_mutex_unlock(&io->lock);
    return request;
}

static void *work(void *context)
{
    stk_io *io = context;
    for (stk_io_request *request; (request = take(io));) {
        stk_io_run(request);
        stk_io_finish(io, request, true);
    }
    return NULL;
}

static stk_status start_one(stk_io *io, stk_error *err)
{
    io->coming++;
    stk_status st = stk_thread_start(&io->readers[io->started], "stk-reader", work, io, err);
    if (st)
        io->coming--;
    else
        io->started++;
    return st;
}

stk_status stk_io_start_readers(stk_io *io, stk_error *err)
{
    io->readers = calloc((size_t)io->threads_max, sizeof *io->readers);
    if (!io->readers)
        return stk_fail(err, STK_E_NOMEM, "threads", NULL, "no memory for %d threads",
                        io->threads_max);
    return start_one(io, err);
}

/* A thread that the system refuses is not missed: those that run will take the request. Readers
 * that come from done count as idle: a request that is submitted again and again from there would
 * else start another thread whenever the one before is held up, and each keeps memory of its own.
 */
void stk_io_call_reader(stk_io *io)
{
    if (io->readable.count <= io->coming) return;
    if (io->readable.count > io->idle + io->coming && io->started < io->threads_max)
        (void)!start_one(io, NULL);
    else
        pthread_cond_signal(&io->work);
}

void stk_io_join_readers(stk_io *io)
{
    for (int i = 0; i < io->started; i++)
        stk_thread_join(&io->readers[i]);
}
