/* The server's thread: it lets peers in, has libmicrohttpd work, and ends what takes too long. */
#ifndef STK_OBSERVE_REPORT_LIVE_LOOP_H
#define STK_OBSERVE_REPORT_LIVE_LOOP_H

#include "base/threads.h"
#include "observe/report/live_peers.h"
#include <microhttpd.h>

typedef struct stk_live_loop {
    struct MHD_Daemon *daemon;
    int                listening, wake; /* wake: written to when it shall end; -1: none */
    stk_thread         thread;
    stk_live_peers     peers; /* the thread's alone, as is the daemon while it runs */
} stk_live_loop;

/* respond is libmicrohttpd's handler of requests, on the loop's thread. The socket is the loop's
 * from here on, also on failure; stop ends what was begun. */
STK_NODISCARD stk_status stk_live_loop_start(stk_live_loop *loop, int listening,
                                             const stk_live_limits    *limits,
                                             MHD_AccessHandlerCallback respond, void *context,
                                             stk_error *err);
/* Ends connections, whatever they wait for. One that never started is fine. */
void stk_live_loop_stop(stk_live_loop *loop);

/* From the handler: the request is whole and is answered now. */
void stk_live_loop_answers(stk_live_loop *loop, struct MHD_Connection *connection);

#endif
