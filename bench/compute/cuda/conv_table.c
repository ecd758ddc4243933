/* How fast every convolution of ResNet-50 can be on this GPU: alone, and with what stands around it
 * in a training step.
 *
 *   conv_table [--batch 256] [--csv FILE] [--seconds 150] [--sections a,b] [--threads 15]
 *              [--start CASE] [--append] [--list] [--dry DEVICE.json]
 *
 * Sections come in the order of their worth; after --seconds no other case begins. A case that
 * fails says why, and the next one follows; one that breaks the CUDA context makes the program
 * start itself again behind it. --dry needs no GPU: it builds all plans for the device that a file
 * describes, and says which there are. */
#include "base/clock.h"
#include "base/threads.h"
#include "conv_case.h"
#include "conv_check.h"
#include "gemm_lt.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CASES = 1200, CHUNK = 24, TOTALS = 64, THREADS = 64, JSON_BYTES = 8192 };

static const double peak_flops = 790e12, peak_bytes = 4.3e12;
static const size_t arena_bytes = 12ull << 30, workspace_bytes = 512ull << 20;

typedef struct section {
    const char       *name, *what;
    cudnnDataType_t   type;
    const char       *patterns[12]; /* NULL: cuBLASLt */
    const conv_shape *shapes;
    int               shape_count;
    int               compiled;
} section;

/* Plain and specialised plans are nearly all compiled before; generic ones at run time, a second or
 * two each. */
static const section sections[] = {
    {"plain16",
     "fp16, nothing fused",
     CUDNN_DATA_HALF,
     {"fwd", "dgrad", "wgrad"},
     conv_shapes,
     CONV_SHAPES,
     1},
    {"fused16",
     "fp16, cuDNN's own patterns",
     CUDNN_DATA_HALF,
     {"genstats", "sbr_genstats", "sbr_wgrad", "dgrad_bn", "dgrad_add_bn", "dbarcs", "barcs"},
     conv_shapes,
     CONV_SHAPES,
     1},
    {"stem16",
     "fp16, forms of the stem",
     CUDNN_DATA_HALF,
     {"fwd", "wgrad", "genstats"},
     conv_stems,
     CONV_STEMS,
     2},
    {"gemm16", "fp16, 1x1 by cuBLASLt", CUDNN_DATA_HALF, {NULL}, conv_shapes, CONV_SHAPES, 0},
    {"plainb16",
     "bf16, nothing fused",
     CUDNN_DATA_BFLOAT16,
     {"fwd", "dgrad", "wgrad"},
     conv_shapes,
     CONV_SHAPES,
     1},
    {"genericb16",
     "bf16, generic fusion",
     CUDNN_DATA_BFLOAT16,
     {"prologue_sums", "dgrad_relu_sums", "sums", "dgrad_add_relu"},
     conv_shapes,
     CONV_SHAPES,
     3},
    {"stemb16",
     "bf16, forms of the stem",
     CUDNN_DATA_BFLOAT16,
     {"fwd", "wgrad"},
     conv_stems,
     CONV_STEMS,
     2},
    {"gemmb16", "bf16, 1x1 by cuBLASLt", CUDNN_DATA_BFLOAT16, {NULL}, conv_shapes, CONV_SHAPES, 0},
    {"generic16",
     "fp16, generic fusion",
     CUDNN_DATA_HALF,
     {"dgrad_add", "dgrad_add_relu", "dgrad_relu_sums", "prologue_sums"},
     conv_shapes,
     CONV_SHAPES,
     3},
    {"moreb16",
     "bf16, other generic fusion",
     CUDNN_DATA_BFLOAT16,
     {"dgrad_add", "dgrad_relu", "prologue", "genstats"},
     conv_shapes,
     CONV_SHAPES,
     3},
};
enum { SECTIONS = sizeof sections / sizeof sections[0] };

typedef struct total {
    const char     *name;
    cudnnDataType_t type;
    double          us;
    int             done, failed;
} total;

typedef struct table {
    int64_t                  batch;
    const char              *csv_path, *only, *dry;
    double                   seconds;
    int                      threads, start;
    bool                     append, list;
    uint64_t                 begin_ns;
    FILE                    *csv;
    conv_case               *cases;
    int                      count;
    total                    totals[TOTALS];
    int                      total_count;
    cudnnBackendDescriptor_t device; /* of a dry run */
    cudnnHandle_t            handles[THREADS];
    conv_memory              memory;
    cublasLtHandle_t         lt;
} table;

static const char *const pass_names[] = {"gemm_fwd", "gemm_dgrad", "gemm_wgrad"};

static const char *case_name(const conv_case *c)
{
    return c->pattern ? c->pattern->name : pass_names[c->pass];
}

static const char *type_name(cudnnDataType_t type)
{
    return type == CUDNN_DATA_HALF ? "fp16" : "bf16";
}

static double seconds_since(uint64_t begin_ns)
{
    return (double)(stk_clock_ns() - begin_ns) / 1e9;
}

static const conv_pattern *find_pattern(const char *name)
{
    for (int i = 0; i < 3; i++)
        if (!strcmp(conv_plain[i].name, name)) return &conv_plain[i];
    for (int i = 0; i < conv_fused_count; i++)
        if (!strcmp(conv_fused[i].name, name)) return &conv_fused[i];
    return NULL;
}

static void add_case(table *t, const section *s, const conv_pattern *pattern, int pass,
                     const conv_shape *conv)
{
    if (t->count == CASES) return;
    conv_case *c = &t->cases[t->count++];
    c->section = s->name;
    c->pattern = pattern;
    c->pass = pass;
    c->conv = conv;
    c->type = s->type;
    c->compiled = s->compiled;
    snprintf(c->name, sizeof c->name, "%s %s %lld,%lld,%lld,%lld,%lld", type_name(c->type),
             case_name(c), (long long)conv->cin, (long long)conv->cout, (long long)conv->kernel,
             (long long)conv->stride, (long long)conv->size);
}

static void add_products(table *t, const section *s)
{
    for (int pass = 0; pass < 3; pass++)
        for (int i = 0; i < s->shape_count; i++)
            if (conv_is_gemm(&s->shapes[i])) add_case(t, s, NULL, pass, &s->shapes[i]);
}

/* Stems have no pattern but their own: what a pattern asks of a shape is not asked of them. */
static void add_patterns(table *t, const section *s)
{
    for (int p = 0; s->patterns[p]; p++) {
        const conv_pattern *pattern = find_pattern(s->patterns[p]);
        for (int i = 0; pattern && i < s->shape_count; i++)
            if (s->shapes == conv_stems || !pattern->applies || pattern->applies(&s->shapes[i]))
                add_case(t, s, pattern, 0, &s->shapes[i]);
    }
}

static bool wanted(const table *t, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = t->only; at && *at;) {
        const char  *comma = strchr(at, ',');
        const size_t here = comma ? (size_t)(comma - at) : strlen(at);
        if (here == length && !memcmp(at, name, length)) return true;
        at = comma ? comma + 1 : NULL;
    }
    return !t->only;
}

static void list_cases(table *t)
{
    for (int i = 0; i < SECTIONS; i++) {
        if (!wanted(t, sections[i].name)) continue;
        const int before = t->count;
        if (sections[i].patterns[0])
            add_patterns(t, &sections[i]);
        else
            add_products(t, &sections[i]);
        if (t->list)
            printf("%-10s %3d cases from %3d: %s\n", sections[i].name, t->count - before, before,
                   sections[i].what);
    }
}

static void count_total(table *t, const conv_case *c)
{
    int i = 0;
    while (i < t->total_count &&
           (t->totals[i].type != c->type || strcmp(t->totals[i].name, case_name(c)) != 0))
        i++;
    if (strncmp(c->section, "stem", 4) == 0 || i == TOTALS) return;
    if (i == t->total_count)
        t->totals[t->total_count++] = (total){.name = case_name(c), .type = c->type};
    t->totals[i].us += c->status ? 0 : c->us * c->conv->count;
    t->totals[i].done += !c->status;
    t->totals[i].failed += c->status != STK_OK;
}

static void write_csv(table *t, const conv_case *c, double flops, double bytes, double roof)
{
    if (!t->csv) return;
    const conv_shape *v = c->conv;
    fprintf(t->csv, "%s,%s,%s,%lld,%lld,%lld,%lld,%lld,%d,", c->section, type_name(c->type),
            case_name(c), (long long)v->cin, (long long)v->cout, (long long)v->kernel,
            (long long)v->stride, (long long)v->size, v->count);
    if (c->status)
        fprintf(t->csv, ",,,%.2f,,,,,\"%.300s\"\n", roof, c->err.message);
    else
        fprintf(t->csv, "%.2f,%.1f,%.0f,%.2f,%.3f,%.3g,%zu,%s,\n", c->us, flops / c->us / 1e6,
                bytes / c->us / 1e3, roof, c->us / roof, c->error, c->workspace, c->engine);
    fflush(t->csv);
}

static void report(table *t, const conv_case *c)
{
    const double flops = (double)conv_flops(c->conv, t->batch);
    const double bytes = (double)stk_cudnn_spec_bytes(&c->spec);
    const double math = flops / peak_flops, traffic = bytes / peak_bytes;
    const double roof = 1e6 * (math > traffic ? math : traffic);
    if (c->status)
        printf("%-44s x%d failed: %s\n", c->name, c->conv->count, c->err.message);
    else
        printf("%-44s x%d %7.1f us %6.0f TF %6.0f GB/s roof %6.1f x%.2f err %8.1e n%-2d [%s]\n",
               c->name, c->conv->count, c->us, flops / c->us / 1e6, bytes / c->us / 1e3, roof,
               c->us / roof, c->error, c->timed, c->engine);
    fflush(stdout);
    write_csv(t, c, flops, bytes, roof);
    count_total(t, c);
}

/* Threads that prepare cases share this; each has a handle of its own. */
typedef struct prepare_job {
    table     *t;
    int        first, count;
    atomic_int next, thread;
} prepare_job;

static void *prepare_some(void *context)
{
    prepare_job           *job = context;
    const int              self = atomic_fetch_add(&job->thread, 1);
    const stk_cudnn_target target = {.handle = job->t->handles[self], .device = job->t->device};
    if (target.handle) cudaSetDevice(0);
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < job->count;)
        conv_case_prepare(&job->t->cases[job->first + i], job->t->batch, &target, workspace_bytes);
    return NULL;
}

static void prepare_chunk(table *t, int first, int count)
{
    prepare_job job = {.t = t, .first = first, .count = count};
    stk_thread  thread[THREADS] = {0};
    for (int i = 1; i < t->threads; i++)
        if (stk_thread_start(&thread[i], "prepare", prepare_some, &job, NULL)) break;
    prepare_some(&job);
    for (int i = 1; i < t->threads; i++)
        stk_thread_join(&thread[i]);
}

static void build_chunk(table *t, int first, int count)
{
    stk_cudnn_search *searches[2 * CHUNK];
    stk_error         err;
    int               found = 0;
    for (int i = first; i < first + count; i++) {
        if (t->cases[i].search) searches[found++] = t->cases[i].search;
        if (t->cases[i].small_search) searches[found++] = t->cases[i].small_search;
    }
    const double left = t->seconds - seconds_since(t->begin_ns);
    if (stk_cudnn_search_build(searches, found, t->threads, left, NULL, &err))
        printf("building failed: %s\n", err.message);
}

/* The tensors of a product are those of the plain pattern. */
static void time_product(table *t, conv_case *c)
{
    c->spec = (stk_cudnn_spec){.name = c->name};
    conv_plain[c->pass].build(&c->spec, c->conv, t->batch, c->type);
    const int sets = conv_memory_set_count(&c->spec);
    void    **data = conv_memory_sets(&t->memory, &c->spec, sets);
    if (!data) {
        c->status = stk_fail(&c->err, STK_E_NOMEM, "memory", c->name, "no space for %d sets", sets);
        return;
    }
    const gemm_stage stage = {.handle = t->lt,
                              .stream = t->memory.stream,
                              .data = data,
                              .sets = sets,
                              .workspace = t->memory.workspace,
                              .workspace_bytes = 64 << 20};
    int              algo = 0;
    c->status = gemm_time(&stage, c->conv, t->batch, c->type, c->pass, &c->us, &algo, &c->err);
    snprintf(c->engine, sizeof c->engine, "lt %d", algo);
    free(data);
}

/* A broken context cannot be mended; a new process has a new one. */
static void start_again(const table *t, int next, char **argv)
{
    char  start[16], seconds[32];
    char *args[64];
    int   count = 0;
    while (argv[count] && count < 56) {
        args[count] = argv[count];
        count++;
    }
    snprintf(start, sizeof start, "%d", next);
    snprintf(seconds, sizeof seconds, "%.1f", t->seconds - seconds_since(t->begin_ns));
    char *const more[] = {"--start", start, "--seconds", seconds, "--append", NULL};
    memcpy(args + count, more, sizeof more);
    printf("starting again at case %d\n", next);
    fflush(stdout);
    if (t->csv) fclose(t->csv);
    execv("/proc/self/exe", args);
    perror("execv");
}

static void time_case(table *t, conv_case *c)
{
    if (!c->pattern)
        time_product(t, c);
    else
        conv_case_time(c, &t->memory);
    if (c->status) return;
    const double us = c->us;
    conv_case_check(c, &t->memory);
    if (c->status && c->status != STK_E_IO) { /* the time stays good */
        printf("%s: check failed: %s\n", c->name, c->err.message);
        c->status = STK_OK;
        c->us = us;
    }
}

static bool context_broken(void)
{
    cudaGetLastError();
    return cudaDeviceSynchronize() != cudaSuccess;
}

static void dry_report(const conv_case *c)
{
    if (c->status)
        printf("%-44s failed: %s\n", c->name, c->err.message);
    else
        printf("%-44s plans %d, check %d\n", c->name,
               c->search ? stk_cudnn_search_built(c->search) : -1,
               c->small_search ? stk_cudnn_search_built(c->small_search) : -1);
    fflush(stdout);
}

static int run_chunk(table *t, int first, char **argv)
{
    int count = t->count - first < CHUNK ? t->count - first : CHUNK;
    prepare_chunk(t, first, count);
    build_chunk(t, first, count);
    for (int i = first; i < first + count; i++) {
        conv_case *c = &t->cases[i];
        if (t->dry) {
            dry_report(c);
            conv_case_release(c);
            continue;
        }
        if (seconds_since(t->begin_ns) > t->seconds) return -1;
        time_case(t, c);
        report(t, c);
        if (c->status && context_broken()) {
            start_again(t, i + 1, argv);
            return -1;
        }
    }
    for (int i = first; i < first + count; i++)
        conv_case_release(&t->cases[i]);
    return count;
}

static void print_totals(const table *t)
{
    printf("\nsum over the network, ms (shapes done, failed):\n");
    for (int i = 0; i < t->total_count; i++)
        printf("%s %-16s %8.3f (%d, %d)\n", type_name(t->totals[i].type), t->totals[i].name,
               t->totals[i].us / 1e3, t->totals[i].done, t->totals[i].failed);
}

static bool ok(cudaError_t status, const char *what)
{
    if (status == cudaSuccess) return true;
    printf("%s: %s\n", what, cudaGetErrorString(status));
    return false;
}

static bool open_handles(table *t)
{
    for (int i = 0; i < t->threads; i++)
        if (cudnnCreate(&t->handles[i])) {
            char text[400] = "";
            cudnnGetLastErrorString(text, sizeof text);
            printf("cudnnCreate: %s\n", text);
            return false;
        }
    if (cudnnCreate(&t->memory.handle) || cudnnSetStream(t->memory.handle, t->memory.stream))
        return false;
    if (cublasLtCreate(&t->lt)) printf("cublasLtCreate failed\n");
    return true;
}

static bool open_device(table *t)
{
    struct cudaDeviceProp p;
    int                   driver = 0;
    if (!ok(cudaSetDevice(0), "cudaSetDevice")) return false;
    if (!ok(cudaGetDeviceProperties(&p, 0), "cudaGetDeviceProperties")) return false;
    cudaDriverGetVersion(&driver);
    printf("%s, %d multiprocessors, L2 %d MB, driver %d, cuDNN %zu, cublasLt %zu\n", p.name,
           p.multiProcessorCount, p.l2CacheSize >> 20, driver, cudnnGetVersion(),
           cublasLtGetVersion());
    t->memory.arena_bytes = arena_bytes;
    t->memory.workspace_bytes = workspace_bytes;
    return ok(cudaStreamCreateWithFlags(&t->memory.stream, cudaStreamNonBlocking), "stream") &&
           ok(cudaMalloc((void **)&t->memory.arena, arena_bytes), "cudaMalloc") &&
           ok(cudaMalloc((void **)&t->memory.workspace, workspace_bytes), "cudaMalloc") &&
           ok(cudaMalloc((void **)&t->memory.sums, 2 * sizeof(double)), "cudaMalloc") &&
           open_handles(t);
}

static bool open_dry(table *t)
{
    static char json[JSON_BYTES];
    stk_error   err;
    FILE       *file = fopen(t->dry, "r");
    if (!file) {
        perror(t->dry);
        return false;
    }
    json[fread(json, 1, sizeof json - 1, file)] = 0;
    fclose(file);
    if (!stk_cudnn_device_from_json(&t->device, json, &err)) return true;
    printf("%s\n", err.message);
    return false;
}

static bool open_csv(table *t)
{
    if (!t->csv_path) return true;
    t->csv = fopen(t->csv_path, t->append ? "a" : "w");
    if (!t->csv) perror(t->csv_path);
    if (t->csv && !t->append)
        fprintf(t->csv, "section,type,pattern,cin,cout,kernel,stride,size,count,us,tflops,gbps,"
                        "roof_us,ratio,error,workspace,engine,reason\n");
    return t->csv != NULL;
}

static bool parse(table *t, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const char *flag = argv[i], *value = i + 1 < argc ? argv[i + 1] : "";
        bool        alone = true;
        if (!strcmp(flag, "--append"))
            t->append = true;
        else if (!strcmp(flag, "--list"))
            t->list = true;
        else
            alone = false;
        if (alone) continue;
        i++;
        if (!strcmp(flag, "--batch"))
            t->batch = atoll(value);
        else if (!strcmp(flag, "--csv"))
            t->csv_path = value;
        else if (!strcmp(flag, "--seconds"))
            t->seconds = atof(value);
        else if (!strcmp(flag, "--sections"))
            t->only = value;
        else if (!strcmp(flag, "--threads"))
            t->threads = atoi(value);
        else if (!strcmp(flag, "--start"))
            t->start = atoi(value);
        else if (!strcmp(flag, "--dry"))
            t->dry = value;
        else
            return false;
    }
    if (t->threads < 1) t->threads = 1;
    if (t->threads > THREADS) t->threads = THREADS;
    return t->batch > 0 && t->start >= 0;
}

int main(int argc, char **argv)
{
    static table t = {.batch = 256, .seconds = 150, .threads = 15};
    t.begin_ns = stk_clock_ns();
    if (!parse(&t, argc, argv)) {
        fprintf(stderr, "usage: see the head of conv_table.c\n");
        return 2;
    }
    t.cases = calloc(CASES, sizeof *t.cases);
    if (!t.cases) return 1;
    list_cases(&t);
    if (t.list) return 0;
    if (t.dry ? !open_dry(&t) : !open_device(&t)) return 1;
    if (!open_csv(&t)) return 1;
    for (int at = t.start, done; at < t.count; at += done) {
        if (seconds_since(t.begin_ns) > t.seconds) break;
        printf("-- %s, case %d of %d, %.1f s\n", t.cases[at].section, at, t.count,
               seconds_since(t.begin_ns));
        fflush(stdout);
        done = run_chunk(&t, at, argv);
        if (done < 0) break;
    }
    print_totals(&t);
    printf("%.1f s\n", seconds_since(t.begin_ns));
    if (t.csv) fclose(t.csv);
    fflush(stdout);
    _exit(0); /* plans and handles go with the process */
}
