/* CRC-32C: bytes per second by size and implementation, and the cost of a record's length. */
#include "base/crc32c.h"
#include "bench.h"

typedef struct job {
    stk_crc32c_fn  crc;
    const uint8_t *data;
    size_t         size, times;
    uint32_t       sum; /* keeps the work alive */
} job;

static void checksum(void *context)
{
    job *j = context;
    for (size_t i = 0; i < j->times; i++)
        j->sum ^= j->crc(j->sum, j->data, j->size);
}

static void measure(const char *kind, stk_crc32c_fn crc, const uint8_t *data, size_t size)
{
    const size_t total = (size_t)256 << 20;
    job          j = {.crc = crc, .data = data, .size = size, .times = total / size};
    if (j.times > 4000000) j.times = 4000000;
    const bench_result r = bench_run(checksum, &j, 9);
    char               name[64];
    snprintf(name, sizeof name, "crc32c/%s/%zu", kind, size);
    bench_print(name, r, (double)(j.times * size) * 1e-9, "GB/s");
    if (size <= 64) printf("%-44s %12.3g ns/call\n", "", r.median * 1e9 / (double)j.times);
}

int main(void)
{
    static const size_t sizes[] = {8, 64, 200, 1024, 10000, 100000, (size_t)64 << 20};
    const size_t        count = sizeof sizes / sizeof sizes[0];
    uint8_t            *data = malloc(sizes[count - 1]);
    if (!data) return 1;
    for (size_t i = 0; i < sizes[count - 1]; i++)
        data[i] = (uint8_t)(i * 2654435761u >> 13);
    for (size_t i = 0; i < count; i++)
        measure("best", stk_crc32c, data, sizes[i]);
    for (size_t i = 0; i < count; i += 2)
        measure("table", stk_crc32c_table(), data, sizes[i]);
    free(data);
    return 0;
}
