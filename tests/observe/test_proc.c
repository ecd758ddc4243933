/* What the files of /proc say, from kernels old and new, and from none. */
#include "observe/resources/process_tree.h"
#include "observe/resources/sources.h"
#include "proc_fixture.h"

STK_TEST(cores_are_busy_when_they_neither_idle_nor_wait)
{
    static stk_cpu_ticks cpu;
    stk_cpu_parse(&cpu, "cpu  100 10 50 800 40 0 5 15 60 0\n"
                        "cpu0 50 5 25 400 20 0 5 15 60 0\n"
                        "cpu1 50 5 25 400 20 0 0 0\n"
                        "intr 5 6 7\nctxt 99\nprocesses 4711\n");
    EXPECT_INT_EQ(180, cpu.all.busy);
    EXPECT_INT_EQ(40, cpu.all.iowait);
    EXPECT_INT_EQ(1020, cpu.all.total); /* guests are in user already */
    EXPECT_INT_EQ(2, cpu.core_count);
    EXPECT_INT_EQ(80, cpu.cores[1].busy);
    EXPECT_INT_EQ(4711, cpu.forks);
}

STK_TEST(what_is_missing_is_unknown)
{
    static stk_cpu_ticks cpu;
    stk_memory_bytes     memory;
    stk_disk_counters    disks[4];
    stk_link_counters    links[4];
    stk_process_stat     stat;
    stk_cpu_parse(&cpu, "");
    EXPECT_INT_EQ(-1, cpu.all.total);
    EXPECT_INT_EQ(-1, cpu.forks);
    stk_memory_parse(&memory, "MemTotal: 5 kB\n");
    EXPECT_INT_EQ(5 * 1024, memory.total);
    EXPECT_INT_EQ(-1, memory.used);
    EXPECT_INT_EQ(-1, memory.page_cache);
    EXPECT_INT_EQ(-1, memory.swap_used);
    EXPECT_INT_EQ(0, stk_disks_parse(disks, 4, "nonsense\n 1 2 sda\n\n 1 2 sdb x y z\n"));
    EXPECT_INT_EQ(0, stk_links_parse(links, 4, "eth0 5\n: 1 2\neth1: x\n"));
    EXPECT(!stk_process_stat_parse(&stat, "1 (a) S"));
    EXPECT(!stk_process_stat_parse(&stat, "1 (a"));
    EXPECT(!stk_process_stat_parse(&stat, ""));
}

STK_TEST(memory_is_what_cannot_be_had_any_more)
{
    stk_memory_bytes memory;
    stk_memory_parse(&memory, "MemTotal:       8000 kB\nMemFree:        1000 kB\n"
                              "MemAvailable:   6000 kB\nBuffers:          100 kB\n"
                              "Cached:         4900 kB\nSwapCached:        77 kB\n"
                              "SwapTotal:      2000 kB\nSwapFree:       1500 kB\n");
    EXPECT_INT_EQ(2000 * 1024, memory.used);
    EXPECT_INT_EQ(5000 * 1024, memory.page_cache);
    EXPECT_INT_EQ(500 * 1024, memory.swap_used);
}

static const char diskstats[] = "   7       0 loop0 1 0 8 0 0 0 0 0 0 0 0\n"
                                "   8       0 sda 100 5 2000 30 200 6 4000 70 0 150 100\n"
                                "   8       1 sda1 90 5 1800 30 200 6 4000 70 0 140 100\n"
                                " 259       0 nvme0n1 10 0 20 3 20 0 40 7 0 15 10 0 0 0 0 0 0\n"
                                " 253       0 dm-0 100 5 2000 30 200 6 4000 70 0 150 100\n";

STK_TEST(bytes_of_partitions_count_once)
{
    const char       *root = fixture_root("disks");
    stk_disk_counters disks[8];
    stk_procfs        fs;
    stk_error         err;
    fixture_put(root, "sys/block/sda/size", "1");
    fixture_put(root, "sys/block/nvme0n1/size", "1");
    EXPECT_OK(stk_procfs_open(&fs, root, &err));
    size_t count = stk_disks_parse(disks, 8, diskstats);
    EXPECT_INT_EQ(3, count);
    count = stk_disks_keep_complete(disks, count, &fs);
    EXPECT_INT_EQ(2, count);
    EXPECT_STR_EQ("sda", disks[0].name);
    EXPECT_INT_EQ(100, disks[0].reads);
    EXPECT_INT_EQ(2000 * 512, disks[0].read_bytes);
    EXPECT_INT_EQ(4000 * 512, disks[0].write_bytes);
    EXPECT_INT_EQ(150, disks[0].busy_ms);
    EXPECT_STR_EQ("nvme0n1", disks[1].name);
    stk_procfs_close(&fs);
}

static const char net_dev[] =
    "Inter-|   Receive                            |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs\n"
    "    lo: 999 1 0 0 0 0 0 0 999 1 0 0 0 0 0 0\n"
    "docker0: 50 1 0 0 0 0 0 0 60 1 0 0 0 0 0 0\n"
    "  eth0:5000 9 0 0 0 0 0 0 700 1 0 0 0 0 0 0\n"
    "  eth1: 10 9 0 0 0 0 0 0 20 1 0 0 0 0 0 0\n";

STK_TEST(bytes_of_bridges_count_once)
{
    const char       *root = fixture_root("links");
    stk_link_counters links[8];
    stk_procfs        fs;
    stk_error         err;
    EXPECT_OK(stk_procfs_open(&fs, root, &err));
    size_t count = stk_links_parse(links, 8, net_dev);
    EXPECT_INT_EQ(3, count);
    EXPECT_INT_EQ(2, stk_links_keep_real(links, count, &fs)); /* a container: no hardware */
    fixture_put(root, "sys/class/net/eth0/device/vendor", "1");
    fixture_put(root, "sys/class/net/eth0/speed", "10000\n");
    count = stk_links_keep_real(links, stk_links_parse(links, 8, net_dev), &fs);
    EXPECT_INT_EQ(1, count);
    EXPECT_STR_EQ("eth0", links[0].name);
    EXPECT_INT_EQ(5000, links[0].in_bytes);
    EXPECT_INT_EQ(700, links[0].out_bytes);
    EXPECT(stk_links_speed(links, count, &fs) == 1.25e9);
    fixture_put(root, "sys/class/net/eth0/speed", "-1\n");
    EXPECT(stk_links_speed(links, count, &fs) == -1);
    stk_procfs_close(&fs);
}

STK_TEST(name_of_a_process_may_hold_anything)
{
    stk_process_stat stat;
    EXPECT(stk_process_stat_parse(&stat, "42 (a) b (x) Z 7 1 1 0 -1 4194304 1 2 3 4 100 20 30 4 20 "
                                         "0 9 0 500 1000 10 18446744073709551615 1 1 1 1 1 0 0 0 0 "
                                         "0 0 0 17 1 0 0 55 0 0\n"));
    EXPECT_INT_EQ('Z', stat.state);
    EXPECT_INT_EQ(7, stat.parent);
    EXPECT_INT_EQ(120, stat.cpu_ticks);
    EXPECT_INT_EQ(34, stat.child_ticks);
    EXPECT_INT_EQ(9, stat.threads);
    EXPECT_INT_EQ(55, stat.io_ticks);
}

STK_TEST(file_longer_than_the_room_is_read_whole)
{
    const char  *root = fixture_root("long");
    stk_procfs   fs;
    stk_procfile file;
    stk_error    err;
    const size_t size = 100000;
    char        *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    fixture_put(root, "proc/long", text);
    EXPECT_OK(stk_procfs_open(&fs, root, &err));
    stk_procfile_init(&file, "proc/long");
    for (int i = 0; i < 2; i++) {
        const char *got = stk_procfile_read(&file, &fs);
        EXPECT(got && strlen(got) == size);
    }
    EXPECT_INT_EQ(1, fs.kept);
    stk_procfile_close(&file, &fs);
    EXPECT_INT_EQ(0, fs.kept);
    EXPECT(!stk_procfs_read(&fs, "proc/absent"));
    stk_procfs_close(&fs);
    free(text);
}
