/* The server's thread: accepts connections, runs libmicrohttpd, and enforces timeouts. */
#ifndef STK_OBSERVE_REPORT_LIVE_LOOP_H
#define STK_OBSERVE_REPORT_LIVE_LOOP_H

#include "base/threads.h"
#include "observe/report/live_peers.h"
#include <microhttpd.h>

typedef struct stk_live_loop {
    struct MHD_Daemon *daemon;
    int                listening, wake; /* wake: written to stop the thread; -1: none */
    stk_thread         thread;
    stk_live_peers     peers; /* used by the thread alone, like the running daemon */
} stk_live_loop;

/* respond: libmicrohttpd's request handler, called on the loop's thread. Takes ownership of the
 * socket, also on failure; call stop in any case. */
STK_NODISCARD stk_status stk_live_loop_start(stk_live_loop *loop, int listening,
                                             const stk_live_limits    *limits,
                                             MHD_AccessHandlerCallback respond, void *context,
                                             stk_error *err);
/* Ends all connections and joins the thread. Fine if it never started. */
void stk_live_loop_stop(stk_live_loop *loop);

/* For the handler: the request is complete and gets its response now. */
void stk_live_loop_answers(stk_live_loop *loop, struct MHD_Connection *connection);

#endif
