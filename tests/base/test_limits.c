/* Memory and cores, read from trees as containers and hosts have them. */
#include "base/limits.h"
#include "harness.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MIB = 1 << 20 };

/* A root of its own for one test. */
static const char *new_root(const char *name, const char *own_cgroups)
{
    const char *root = stk_test_path(name);
    char        path[512];
    snprintf(path, sizeof path, "mkdir -p '%s/proc/self' '%s/sys/fs/cgroup'", root, root);
    EXPECT_INT_EQ(0, system(path));
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    stk_test_write_file(path, own_cgroups, strlen(own_cgroups));
    return root;
}

static void put(const char *root, const char *folder, const char *file, const char *text)
{
    char path[512];
    snprintf(path, sizeof path, "mkdir -p '%s/sys/fs/cgroup/%s'", root, folder);
    EXPECT_INT_EQ(0, system(path));
    snprintf(path, sizeof path, "%s/sys/fs/cgroup/%s/%s", root, folder, file);
    stk_test_write_file(path, text, strlen(text));
}

static int cores_by_affinity(void)
{
    cpu_set_t allowed;
    EXPECT_INT_EQ(0, sched_getaffinity(0, sizeof allowed, &allowed));
    return CPU_COUNT(&allowed);
}

STK_TEST(machine_without_cgroups_has_all_its_memory_and_cores)
{
    const char    *root = stk_test_path("nothing");
    const uint64_t bytes = stk_limits_memory_bytes_below(root);
    EXPECT(bytes >= 64 * MIB);
    EXPECT_INT_EQ(cores_by_affinity(), stk_limits_cores_below(root));
    EXPECT(stk_limits_memory_bytes() <= bytes);
    EXPECT(stk_limits_cores() >= 1 && stk_limits_cores() <= cores_by_affinity());
}

STK_TEST(smallest_limit_on_the_way_up_binds)
{
    const char *root = new_root("v2", "0::/a/b/c\n");
    put(root, "a/b/c", "memory.max", "max\n");
    put(root, "a/b/c", "cpu.max", "max 100000\n");
    put(root, "a/b", "memory.max", "104857600\n");
    put(root, "a/b", "cpu.max", "150000 100000\n");
    put(root, "a", "memory.max", "209715200\n");
    put(root, "a", "cpu.max", "5000 100000\n");
    EXPECT_INT_EQ(100 * MIB, stk_limits_memory_bytes_below(root));
    EXPECT_INT_EQ(1, stk_limits_cores_below(root));
}

STK_TEST(container_that_sees_its_host_path_reads_the_limits_at_the_mount)
{
    const char *root = new_root("container", "0::/docker/5f0c\n");
    put(root, "", "memory.max", "134217728\n");
    put(root, "", "cpu.max", "100000 100000\n");
    EXPECT_INT_EQ(128 * MIB, stk_limits_memory_bytes_below(root));
    EXPECT_INT_EQ(1, stk_limits_cores_below(root));
}

STK_TEST(limits_of_the_first_cgroup_version_count)
{
    const char *root = new_root("v1", "12:name=memory-hog:/wrong\n7:hugetlb,cpuset:/wrong\n"
                                      "5:memory:/job\n4:cpu,cpuacct:/job\n0::/\n");
    put(root, "memory/wrong", "memory.limit_in_bytes", "67108865\n");
    put(root, "memory/job", "memory.limit_in_bytes", "268435456\n");
    put(root, "memory", "memory.limit_in_bytes", "9223372036854771712\n");
    put(root, "cpu/job", "cpu.cfs_quota_us", "90000\n");
    put(root, "cpu/job", "cpu.cfs_period_us", "100000\n");
    put(root, "cpu", "cpu.cfs_quota_us", "-1\n");
    put(root, "cpu", "cpu.cfs_period_us", "100000\n");
    EXPECT_INT_EQ(256 * MIB, stk_limits_memory_bytes_below(root));
    EXPECT_INT_EQ(1, stk_limits_cores_below(root));
}

STK_TEST(nonsense_in_a_limit_is_no_limit_and_a_tiny_one_is_raised)
{
    const char *root = new_root("odd", "garbage\n0::/x\n");
    put(root, "x", "memory.max", "99999999999999999999999\n");
    put(root, "x", "cpu.max", "9223372036854775807 1\n");
    put(root, "", "cpu.max", "100000\n");
    EXPECT_INT_EQ(cores_by_affinity(), stk_limits_cores_below(root));
    EXPECT(stk_limits_memory_bytes_below(root) > 64 * MIB);
    put(root, "", "memory.max", "4096\n");
    EXPECT_INT_EQ(64 * MIB, stk_limits_memory_bytes_below(root));
}
