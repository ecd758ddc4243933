/* Tracks connections. The table is short and searched once per connection. */
#include "observe/report/live_peers.h"
#include <netinet/in.h>
#include <string.h>

enum { NETWORK_BYTES = 8 };

stk_live_peer stk_live_peer_of(const struct sockaddr *address)
{
    stk_live_peer peer = {{0}};
    if (address->sa_family == AF_INET) {
        const struct sockaddr_in *v4 = (const void *)address;
        memset(peer.address + 10, 0xFF, 2);
        memcpy(peer.address + 12, &v4->sin_addr, 4);
    } else if (address->sa_family == AF_INET6) {
        const struct sockaddr_in6 *v6 = (const void *)address;
        const bool                 is_v4 =
            IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) || IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
        memcpy(peer.address, &v6->sin6_addr, is_v4 ? sizeof peer.address : NETWORK_BYTES);
    }
    return peer;
}

static bool is_same(const stk_live_peer *a, const stk_live_peer *b)
{
    return memcmp(a->address, b->address, sizeof a->address) == 0;
}

static bool counts(const stk_live_connection *one)
{
    return one->used && !one->ended;
}

/* Connections of a peer, or of all (NULL). */
static size_t count_of(const stk_live_peers *peers, const stk_live_peer *peer)
{
    size_t count = 0;
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++)
        count += counts(&peers->list[i]) && (!peer || is_same(&peers->list[i].peer, peer));
    return count;
}

static const stk_live_peer *largest_peer(const stk_live_peers *peers)
{
    const stk_live_peer *largest = NULL;
    size_t               max = 0;
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++) {
        if (!counts(&peers->list[i])) continue;
        const size_t count = count_of(peers, &peers->list[i].peer);
        if (count > max) {
            max = count;
            largest = &peers->list[i].peer;
        }
    }
    return largest;
}

/* Connections that wait for a request are closed before those with a response in progress. */
static bool goes_before(const stk_live_connection *a, const stk_live_connection *b)
{
    return a->answering != b->answering ? !a->answering : a->since_ns < b->since_ns;
}

stk_live_connection *stk_live_peers_victim(stk_live_peers *peers, const stk_live_peer *peer)
{
    stk_live_connection *victim = NULL;
    const bool           full = count_of(peers, NULL) >= peers->limits.connections;
    const bool           has_all = count_of(peers, peer) >= peers->limits.per_peer;
    if (!full && !has_all) return NULL;
    /* If every peer has one connection, the one that waits longest is closed. */
    const stk_live_peer *largest = has_all ? peer : largest_peer(peers);
    const bool           any = !has_all && count_of(peers, largest) == 1;
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++) {
        stk_live_connection *one = &peers->list[i];
        if (!counts(one) || (!any && !is_same(&one->peer, largest))) continue;
        if (!victim || goes_before(one, victim)) victim = one;
    }
    return victim;
}

stk_live_connection *stk_live_peers_add(stk_live_peers *peers, int fd, const stk_live_peer *peer,
                                        uint64_t now_ns)
{
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++) {
        stk_live_connection *one = &peers->list[i];
        if (one->used) continue;
        *one = (stk_live_connection){.used = true, .fd = fd, .peer = *peer};
        stk_live_peers_wait(peers, one, now_ns);
        return one;
    }
    return NULL;
}

stk_live_connection *stk_live_peers_find(stk_live_peers *peers, int fd)
{
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++)
        if (peers->list[i].used && peers->list[i].fd == fd) return &peers->list[i];
    return NULL;
}

bool stk_live_peers_any(const stk_live_peers *peers)
{
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++)
        if (peers->list[i].used) return true;
    return false;
}

stk_live_connection *stk_live_peers_late(stk_live_peers *peers, uint64_t now_ns)
{
    for (size_t i = 0; i < STK_LIVE_SLOTS; i++)
        if (counts(&peers->list[i]) && now_ns >= peers->list[i].until_ns) return &peers->list[i];
    return NULL;
}

void stk_live_peers_answer(const stk_live_peers *peers, stk_live_connection *one, uint64_t now_ns)
{
    one->answering = true;
    one->until_ns = now_ns + peers->limits.answer_ns;
}

void stk_live_peers_wait(const stk_live_peers *peers, stk_live_connection *one, uint64_t now_ns)
{
    one->answering = false;
    one->since_ns = now_ns;
    one->until_ns = now_ns + peers->limits.request_ns;
}
