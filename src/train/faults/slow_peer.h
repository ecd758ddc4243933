/* Somebody far away who gets all gradients and sends them back. */
#ifndef STK_TRAIN_FAULTS_SLOW_PEER_H
#define STK_TRAIN_FAULTS_SLOW_PEER_H

#include "base/threads.h"

typedef struct stk_slow_peer {
    double     sleep_s, bytes_per_s; /* written before the thread starts */
    int        sockets[2];           /* ours, the peer's */
    bool       linked;               /* they are there */
    stk_thread thread;
    uint8_t   *ours, *theirs; /* each touched by its own thread only */
    size_t     bytes;
} stk_slow_peer;

/* Sends so many bytes, the same number every time, and waits until they came back. The first call
 * starts the peer: sleep_s and bytes_per_s are set, all else is zero. */
STK_NODISCARD stk_status stk_slow_peer_share(stk_slow_peer *peer, size_t bytes, stk_error *err);
void                     stk_slow_peer_release(stk_slow_peer *peer);

#endif
