/* Reserve for out-of-memory in oneDNN. Exceptions in its OpenMP threads cannot be caught and abort
 * the process. So a new-handler frees reserved blocks, which let the call complete. The next call
 * fails with STK_E_NOMEM unless the reserve can be refilled. C++ has one new-handler per process:
 * ours is installed while a device is open and chains to the previous one. */
#include "compute/cpu/dnnl_guard.hpp"
#include <atomic>
#include <mutex>
#include <sys/mman.h>

namespace
{

/* Each of many threads may need one block before the first continues. */
enum { BLOCKS = 8, BYTES = 512 << 10 };

std::mutex                    opening; /* guards users and installation of the handler */
int                           users;
std::atomic<std::new_handler> before;
std::atomic<void *>           blocks[BLOCKS];
std::atomic<int>              missing;

/* Frees one block. */
bool spend()
{
    for (auto &block : blocks) {
        void *held = block.exchange(nullptr);
        if (!held) continue;
        missing++;
        munmap(held, BYTES);
        return true;
    }
    return false;
}

/* The new-handler: after it returns, operator new retries. */
void find_memory()
{
    if (spend()) return;
    std::new_handler next = before;
    if (!next) throw std::bad_alloc();
    next();
}

bool fill(std::atomic<void *> &block)
{
    void *none = nullptr;
    if (block) return true;
    void *fresh = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED) return false;
    if (block.compare_exchange_strong(none, fresh))
        missing--;
    else
        munmap(fresh, BYTES);
    return true;
}

void close_all()
{
    if (std::get_new_handler() == find_memory) std::set_new_handler(before);
    while (spend()) {
    }
}

} /* namespace */

bool stk_dnnl_reserve_restore(void) noexcept
{
    if (missing.load(std::memory_order_relaxed) == 0) return true;
    for (auto &block : blocks)
        if (!fill(block)) return false;
    return true;
}

bool stk_dnnl_reserve_open(void) noexcept
{
    const std::lock_guard<std::mutex> guard(opening);
    if (users == 0) {
        missing = BLOCKS;
        before = std::set_new_handler(find_memory);
    }
    if (stk_dnnl_reserve_restore()) {
        users++;
        return true;
    }
    if (users == 0) close_all();
    return false;
}

void stk_dnnl_reserve_close(void) noexcept
{
    const std::lock_guard<std::mutex> guard(opening);
    if (--users == 0) close_all();
}
