/* The view of stoker watch, letter by letter. The command is no library, so its sources are taken
 * in here. With STOKER_GOLDEN=FOLDER the images are written there instead of compared. */
#include "../../tools/stoker/canvas.c"
#include "../../tools/stoker/format.c"
#include "../../tools/stoker/graph.c"
#include "../../tools/stoker/watch_panels.c"
#include "../../tools/stoker/watch_view.c"

#include "harness.h"

#include <math.h>

enum { COUNT = 300 };

static stk_resource_sample samples[COUNT];
static stk_thread_sample   threads[12];
static const double        two_cores[] = {0.97, 0.31};

/* Waves, so that every level of a graph occurs. */
static stk_machine_info make_samples(int gpus)
{
    stk_machine_info machine = {.cores = 16, .memory = 64000000000u, .link_bytes = 1.25e9};
    machine.gpu_count = gpus;
    for (int g = 0; g < gpus; g++)
        machine.gpus[g] = (stk_gpu_info){"NVIDIA H200", 143771ull << 20, 1};
    for (int i = 0; i < COUNT; i++) {
        stk_resource_sample *s = &samples[i];
        const double         wave = 0.5 + 0.5 * sin(i / 9.0), slow = i / (double)COUNT;
        *s = (stk_resource_sample){.seconds = 0.5 * (i + 1), .gpu_count = gpus};
        s->cpu = 0.15 + 0.8 * wave;
        s->own_cores = 12.3 * wave;
        s->own_memory = 3e9 + 5e9 * slow;
        s->memory_used = 21e9;
        s->page_cache = 30e9;
        s->disk_read = 3e8 * wave;
        s->disk_write = i % 40 < 3 ? 2e8 : 1e5;
        s->disk_reads = 1200;
        s->disk_writes = 35;
        s->disk_busy = 0.42;
        s->net_in = 9e7 * (1 - wave);
        s->net_out = 2e5;
        for (int g = 0; g < gpus; g++)
            s->gpus[g] = (stk_gpu_sample){0.3 + 0.6 * wave, 4e10, 0.2, 412.7, 61, 1755, 1, 1, 1, 1};
    }
    for (int i = 0; i < 12; i++) {
        threads[i] = (stk_thread_sample){.id = 100 + i, .cpu = 1.0 / (i + 1)};
        snprintf(threads[i].name, sizeof threads[i].name, "worker-%d", i);
    }
    return machine;
}

static cli_view make_view(const stk_machine_info *machine, int width, int height)
{
    static stk_usage usage;
    stk_usage_analyze(&usage, machine, samples + COUNT - 120, 120, NULL);
    return (cli_view){.title = "python train.py --epochs 90",
                      .machine = machine,
                      .samples = samples,
                      .count = COUNT,
                      .threads = threads,
                      .thread_count = 12,
                      .cores = two_cores,
                      .core_count = 2,
                      .usage = &usage,
                      .note = "",
                      .interval_s = 0.5,
                      .seconds = 134,
                      .own = 0.004,
                      .unicode = true,
                      .width = width,
                      .height = height};
}

static stk_blob render(const cli_view *view)
{
    stk_blob  text;
    stk_error err;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    EXPECT_OK(cli_view_render(view, &text, &err));
    return text;
}

static void compare(const cli_view *view, const char *name)
{
    stk_blob    text = render(view);
    const char *folder = getenv("STOKER_GOLDEN");
    char        path[512];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : STK_TEST_DATA "/watch", name);
    if (folder) {
        stk_test_write_file(path, text.data, text.size);
    } else {
        const stk_bytes expected = stk_test_read_file(path);
        if (!stk_bytes_equal(expected, stk_blob_bytes(&text)))
            print_error("%s: this is drawn instead:\n%.*s", name, (int)text.size,
                        (const char *)text.data);
        EXPECT(stk_bytes_equal(expected, stk_blob_bytes(&text)));
    }
    stk_blob_release(&text);
}

STK_TEST(usual_terminal_shows_all_panels)
{
    const stk_machine_info machine = make_samples(1);
    const cli_view         view = make_view(&machine, 80, 24);
    compare(&view, "80x24.txt");
}

STK_TEST(machine_without_a_gpu_shows_its_cores)
{
    const stk_machine_info machine = make_samples(0);
    cli_view               view = make_view(&machine, 80, 24);
    for (int i = 0; i < COUNT; i++)
        samples[i].own_cores = samples[i].own_memory = -1;
    view.thread_count = 0;
    view.title = "this machine";
    compare(&view, "80x24-machine.txt");
}

STK_TEST(large_terminal_has_larger_graphs)
{
    const stk_machine_info machine = make_samples(2);
    const cli_view         view = make_view(&machine, 120, 40);
    compare(&view, "120x40.txt");
}

STK_TEST(small_terminal_has_a_line_each)
{
    const stk_machine_info machine = make_samples(1);
    const cli_view         view = make_view(&machine, 40, 12);
    compare(&view, "40x12.txt");
}

STK_TEST(terminal_without_unicode_gets_ascii)
{
    const stk_machine_info machine = make_samples(1);
    cli_view               view = make_view(&machine, 80, 24);
    view.unicode = false;
    compare(&view, "80x24-ascii.txt");
}

static void check_lines(const stk_blob *text, int width, int height)
{
    int lines = 0, columns = 0;
    for (size_t i = 0; i < text->size; i++) {
        const uint8_t c = text->data[i];
        if (c == '\n') {
            EXPECT(columns <= width);
            columns = 0;
            lines++;
        } else if ((c & 0xc0) != 0x80) {
            columns++;
        }
    }
    EXPECT_INT_EQ(height, lines);
}

STK_TEST(every_size_is_filled_and_never_passed)
{
    for (int gpus = 0; gpus <= 8; gpus += 4) {
        const stk_machine_info machine = make_samples(gpus);
        for (int width = 1; width < 230; width += 3)
            for (int height = 1; height < 70; height += 4) {
                const cli_view view = make_view(&machine, width, height);
                stk_blob       text = render(&view);
                check_lines(&text, width, height);
                stk_blob_release(&text);
            }
    }
}

STK_TEST(metric_of_the_command_is_shown_at_every_size)
{
    const stk_machine_info machine = make_samples(1);
    const int              sizes[][2] = {{120, 40}, {80, 24}, {60, 20}, {40, 12}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        cli_view view = make_view(&machine, sizes[i][0], sizes[i][1]);
        view.metric = "metric 0.25";
        stk_blob text = render(&view);
        check_lines(&text, sizes[i][0], sizes[i][1]);
        EXPECT(memmem(text.data, text.size, "metric 0.25", 11) != NULL);
        stk_blob_release(&text);
    }
}

STK_TEST(first_moment_has_no_samples)
{
    const stk_machine_info machine = make_samples(1);
    cli_view               view = make_view(&machine, 100, 30);
    view.count = view.thread_count = view.core_count = 0;
    view.usage = NULL;
    view.note = NULL;
    stk_blob text = render(&view);
    check_lines(&text, 100, 30);
    stk_blob_release(&text);
}

STK_TEST(names_cannot_drive_the_terminal)
{
    const stk_machine_info machine = make_samples(0);
    cli_view               view = make_view(&machine, 80, 24);
    view.title = "evil\033[2Jname\x9b";
    snprintf(threads[0].name, sizeof threads[0].name, "\033]0;x\a");
    stk_blob text = render(&view);
    EXPECT(!memchr(text.data, 033, text.size));
    EXPECT(!memchr(text.data, '\a', text.size));
    stk_blob_release(&text);
}

STK_TEST(time_without_samples_is_a_gap_in_the_graph)
{
    const stk_machine_info machine = make_samples(0);
    cli_view               view = make_view(&machine, 80, 24);
    double                 values[40];
    for (int i = COUNT - 10; i < COUNT; i++)
        samples[i].seconds += 5; /* ten samples are missing */
    EXPECT_INT_EQ(40, collect(&view, offsetof(stk_resource_sample, cpu), values, 40));
    for (int i = 0; i < 40; i++)
        EXPECT(isnan(values[i]) == (i >= 20 && i < 30));
}
