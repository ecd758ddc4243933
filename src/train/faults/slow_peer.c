/* S5: gradients go through a socket to a peer that is late or slow, and come back. */
#include "train/faults/slow_peer.h"
#include "train/faults/burn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* False at the end: the other side is gone. */
static bool take(int socket, uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t got = recv(socket, data + done, size - done, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return false;
        done += (size_t)got;
    }
    return true;
}

static bool give(int socket, const uint8_t *data, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t put = send(socket, data + done, size - done, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return false;
        done += (size_t)put;
    }
    return true;
}

static void *run(void *context)
{
    const stk_slow_peer *p = context;
    const double         seconds =
        p->sleep_s + (p->bytes_per_s > 0 ? (double)p->bytes / p->bytes_per_s : 0);
    while (take(p->sockets[1], p->theirs, p->bytes)) {
        stk_burn_sleep(seconds);
        if (!give(p->sockets[1], p->theirs, p->bytes)) break;
    }
    return NULL;
}

static stk_status start(stk_slow_peer *p, size_t bytes, stk_error *err)
{
    p->bytes = bytes;
    p->ours = malloc(bytes);
    p->theirs = malloc(bytes);
    if (!p->ours || !p->theirs)
        return stk_fail(err, STK_E_NOMEM, "inject", "allreduce",
                        "no memory for %zu bytes of gradients", bytes);
    memset(p->ours, 1, bytes);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p->sockets))
        return stk_fail_errno(err, errno, "inject", "allreduce", "make a pair of sockets");
    p->linked = true;
    return stk_thread_start(&p->thread, "injected peer", run, p, err);
}

stk_status stk_slow_peer_share(stk_slow_peer *peer, size_t bytes, stk_error *err)
{
    if (!bytes) return STK_OK;
    if (!peer->thread.running) STK_TRY(start(peer, bytes, err));
    if (give(peer->sockets[0], peer->ours, bytes) && take(peer->sockets[0], peer->ours, bytes))
        return STK_OK;
    return stk_fail_errno(err, errno, "inject", "allreduce", "send gradients to the peer");
}

void stk_slow_peer_release(stk_slow_peer *peer)
{
    if (peer->linked) shutdown(peer->sockets[0], SHUT_RDWR);
    stk_thread_join(&peer->thread);
    for (int i = 0; i < 2; i++)
        if (peer->linked) close(peer->sockets[i]);
    free(peer->ours);
    free(peer->theirs);
    *peer = (stk_slow_peer){0};
}
