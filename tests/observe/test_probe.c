/* What the machine gives is measured, or left as it was. */
#include "harness.h"

#include <stdlib.h>
#include <stoker/profile.h>
#include <string.h>

static stk_machine_peaks probe(int threads, const char *data)
{
    stk_profile p;
    stk_profile_init(&p);
    stk_profile_probe(&p.limits, threads, data);
    return p.limits;
}

STK_TEST(arithmetic_memory_and_copies_are_measured)
{
    const stk_machine_peaks l = probe(2, NULL);
    EXPECT(l.flops > 1e7 && l.memory_bytes > 1e7 && l.copy_bytes > 1e7);
    EXPECT(l.disk_bytes == -1 && l.launch_ns == -1 && l.link_bytes == -1);
}

STK_TEST(threads_that_make_no_sense_are_one)
{
    EXPECT(probe(0, NULL).flops > 1e7);
    EXPECT(probe(-7, NULL).flops > 1e7);
}

STK_TEST(a_disk_is_known_by_a_large_file_or_not_at_all)
{
    enum { LARGE = 8 << 20 };
    uint8_t *bytes = calloc(1, LARGE);
    EXPECT(bytes);
    stk_test_write_file(stk_test_path("small"), bytes, 100);
    EXPECT(probe(1, stk_test_path("small")).disk_bytes == -1);
    EXPECT(probe(1, stk_test_folder()).disk_bytes == -1);
    EXPECT(probe(1, stk_test_path("nowhere")).disk_bytes == -1);
    stk_test_write_file(stk_test_path("large"), bytes, LARGE);
    const double rate = probe(1, stk_test_path("large")).disk_bytes;
    EXPECT(rate == -1 || rate > 1e5); /* a file system in memory gives none */
    free(bytes);
}
