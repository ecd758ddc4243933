/* Connections and their limits. A peer is an address; for IPv6 its /64 network, which one machine
 * may own. */
#ifndef STK_OBSERVE_REPORT_LIVE_PEERS_H
#define STK_OBSERVE_REPORT_LIVE_PEERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum { STK_LIVE_SLOTS = 128 }; /* above the limit: a closing connection stays for a moment */

typedef struct stk_live_limits {
    size_t   connections; /* of all peers; at most half of STK_LIVE_SLOTS */
    size_t   per_peer;
    uint64_t request_ns; /* until a request is complete */
    uint64_t answer_ns;  /* until a response is received */
    /* Data older than stale_ns at its first request is only served after patience_ns; until then
     * the response is 503. */
    uint64_t stale_ns, patience_ns;
} stk_live_limits;

typedef struct stk_live_peer {
    uint8_t address[16]; /* IPv4 as mapped IPv6 */
} stk_live_peer;

typedef struct stk_live_connection {
    bool          used;
    bool          answering; /* its request is complete */
    bool          ended;     /* it is being closed */
    int           fd;
    stk_live_peer peer;
    uint64_t      since_ns; /* waits for the current request since then */
    uint64_t      until_ns; /* deadline */
} stk_live_connection;

typedef struct stk_live_peers {
    stk_live_limits     limits;
    stk_live_connection list[STK_LIVE_SLOTS];
} stk_live_peers;

stk_live_peer stk_live_peer_of(const struct sockaddr *address);

/* The connection to close before peer may open another; NULL: none. If peer has all its
 * connections, one of its own, else one of the peer with most: the one that waits longest. So a
 * peer that holds connections open blocks neither others nor its own next one. */
stk_live_connection *stk_live_peers_victim(stk_live_peers *peers, const stk_live_peer *peer);
/* NULL: the table is full. */
stk_live_connection *stk_live_peers_add(stk_live_peers *peers, int fd, const stk_live_peer *peer,
                                        uint64_t now_ns);
stk_live_connection *stk_live_peers_find(stk_live_peers *peers, int fd);
bool                 stk_live_peers_any(const stk_live_peers *peers);
/* A connection past its deadline; NULL: none. */
stk_live_connection *stk_live_peers_late(stk_live_peers *peers, uint64_t now_ns);

/* Its request is complete; and its response is, so that it waits for the next request. */
void stk_live_peers_answer(const stk_live_peers *peers, stk_live_connection *one, uint64_t now_ns);
void stk_live_peers_wait(const stk_live_peers *peers, stk_live_connection *one, uint64_t now_ns);

#endif
