/* Memory for oneDNN's worst moment. It allocates in OpenMP's threads, too, and what is thrown there
 * nobody can catch: the process ends. So `new` is told where more is to be had: in blocks that are
 * kept for that. What they are good for is finished; then, unless there is memory again, the border
 * says that it is short.
 * C++ has one handler for the whole process; ours is there while a device is open, and passes on to
 * the one before it. */
#include "compute/cpu/dnnl_guard.hpp"
#include <atomic>
#include <mutex>
#include <sys/mman.h>

namespace
{

/* Of many threads, each may come here once before the first goes on. */
enum { BLOCKS = 8, BYTES = 512 << 10 };

std::mutex                    opening; /* users, and the handler of the process */
int                           users;
std::atomic<std::new_handler> before;
std::atomic<void *>           blocks[BLOCKS];
std::atomic<int>              missing;

/* Gives one block back to the system. */
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

/* After this returns, `new` tries again. */
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

} // namespace

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
