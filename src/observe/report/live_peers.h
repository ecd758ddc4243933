/* Who is connected, and who has to go for another. A peer is an address (IPv6: the network of it,
 * 64 bits, which one machine may have to itself). */
#ifndef STK_OBSERVE_REPORT_LIVE_PEERS_H
#define STK_OBSERVE_REPORT_LIVE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { STK_LIVE_SLOTS = 128 }; /* more than may be: who was told to go is still there a moment */

typedef struct stk_live_limits {
    size_t   connections; /* of all peers together; at most half of STK_LIVE_SLOTS */
    size_t   per_peer;
    uint64_t request_ns; /* for a whole request to come, however its bytes drip */
    uint64_t answer_ns;  /* for a whole answer to be taken */
    /* Data that nobody asked for until it was stale_ns old is given patience_ns later at the
     * earliest; until then the answer is 503. */
    uint64_t stale_ns, patience_ns;
} stk_live_limits;

typedef struct stk_live_peer {
    uint8_t address[16]; /* IPv4 as the IPv6 that maps it */
} stk_live_peer;

typedef struct stk_live_connection {
    bool          used;
    bool          answering; /* its request is whole */
    bool          ended;     /* it was told to go */
    int           fd;
    stk_live_peer peer;
    uint64_t      since_ns; /* the request at hand is waited for since then */
    uint64_t      until_ns; /* and is given up then */
} stk_live_connection;

typedef struct stk_live_peers {
    stk_live_limits     limits;
    stk_live_connection list[STK_LIVE_SLOTS];
} stk_live_peers;

stk_live_peer stk_live_peer_of(const struct sockaddr *address);

/* Who has to go before peer may have one more; NULL: nobody. Of a peer that has all it may have it
 * is one of its own, else one of the peer that has most: the one that is waited for longest. So a
 * peer that holds connections open keeps out neither others nor its own next one. */
stk_live_connection *stk_live_peers_victim(stk_live_peers *peers, const stk_live_peer *peer);
/* NULL: no slot is free. */
stk_live_connection *stk_live_peers_add(stk_live_peers *peers, int fd, const stk_live_peer *peer,
                                        uint64_t now_ns);
stk_live_connection *stk_live_peers_find(stk_live_peers *peers, int fd);
bool                 stk_live_peers_any(const stk_live_peers *peers);
/* One whose time is up; NULL: none. */
stk_live_connection *stk_live_peers_late(stk_live_peers *peers, uint64_t now_ns);

/* Its request is whole; and its answer is, so that the next request is waited for. */
void stk_live_peers_answer(const stk_live_peers *peers, stk_live_connection *one, uint64_t now_ns);
void stk_live_peers_wait(const stk_live_peers *peers, stk_live_connection *one, uint64_t now_ns);

#endif
