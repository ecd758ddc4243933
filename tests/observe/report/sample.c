/* The profile and the trace of a run that never was. */
#include "observe/report/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 6, RESOURCES = 120, BATCH = 64, EVENT_CAPACITY = 160 };

/* Small, and the same everywhere. */
static double draw(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / (double)(1ull << 53);
}

static stk_step_record make_step(int64_t number, uint64_t begin, uint64_t *seed)
{
    stk_step_record s = {.step = number, .begin_ns = begin, .samples = BATCH};
    s.exposed_ns[STK_STAGE_NONE] = 40000;
    s.exposed_ns[STK_STAGE_PREPROCESS] = (uint64_t)(3e6 + draw(seed) * 6e6);
    s.exposed_ns[STK_STAGE_HOST_TO_DEVICE] = (uint64_t)(2.5e5 + draw(seed) * 1e5);
    s.exposed_ns[STK_STAGE_COMPUTE] = (uint64_t)(9.2e6 + draw(seed) * 6e5);
    s.exposed_ns[STK_STAGE_DEVICE_TO_HOST] = 120000;
    s.exposed_ns[STK_STAGE_OUTPUT] = (uint64_t)(draw(seed) * 4e5);
    s.work_ns[STK_STAGE_READ] = 3000000;
    s.work_ns[STK_STAGE_PREPROCESS] = (uint64_t)(2.8e7 + draw(seed) * 6e6);
    if (number == 0) s.marks |= STK_STEP_FIRST;
    if (number % 50 == 49) s.marks |= STK_STEP_REPORT;
    if (number % 200 == 199) {
        s.marks |= STK_STEP_CHECKPOINT;
        s.exposed_ns[STK_STAGE_WRITE] = 61000000;
    }
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        s.ns += s.exposed_ns[i];
    return s;
}

static void add_steps(stk_profile *p)
{
    uint64_t seed = 3, at = 0;
    for (; p->step_count < STK_SAMPLE_STEPS; p->step_count++) {
        const stk_step_record s = make_step((int64_t)p->step_count, at, &seed);
        stk_meter_window     *w = &p->windows[p->step_count / WINDOW];
        p->step_list[p->step_count] = s;
        if (!w->steps++) w->begin_ns = at;
        w->ns += s.ns;
        w->samples += s.samples;
        if (s.ns > w->longest_ns) w->longest_ns = s.ns;
        for (int i = 0; i < STK_STAGE_COUNT; i++) {
            w->exposed_ns[i] += s.exposed_ns[i];
            p->stages[i].exposed_ns += (double)s.exposed_ns[i];
            p->stages[i].busy_ns += (double)(s.exposed_ns[i] + s.work_ns[i]);
        }
        at += s.ns;
    }
    p->window_count = STK_SAMPLE_STEPS / WINDOW;
    p->measured_ns = (double)at;
    p->steps = STK_SAMPLE_STEPS;
    p->samples = STK_SAMPLE_STEPS * BATCH;
}

static void add_stages(stk_profile *p)
{
    static const double bytes[STK_STAGE_COUNT] = {0, 1.6e9, 5.8e9, 5.8e9, 0, 0, 1e5, 0, 2e8};
    for (int i = STK_STAGE_READ; i < STK_STAGE_COUNT; i++) {
        p->stages[i].bytes = bytes[i];
        if (i <= STK_STAGE_COMPUTE) p->stages[i].items = p->samples;
    }
    for (int i = STK_STAGE_READ; i <= STK_STAGE_PREPROCESS; i++) {
        stk_profile_stage *s = &p->stages[i];
        s->servers = i;
        s->starved_ns = s->busy_ns * 0.04;
        s->blocked_ns = s->busy_ns * 0.02;
        s->cpu_ns = s->busy_ns * 0.8;
        s->runnable_ns = s->busy_ns * 0.1;
    }
}

static void add_inputs(stk_profile *p)
{
    static const struct {
        const char *name;
        stk_stage   stage;
        bool        has_queue;
        double      items, busy, mean, capacity, empty, full;
    } parts[] = {
        {"prefetch", STK_STAGE_PREPROCESS, true, 600, 1e7, 0.4, 4, 0.91, 0.01},
        {"batch 64", STK_STAGE_PREPROCESS, false, 600, 4e8, -1, -1, -1, -1},
        {"map decode+crop+flip", STK_STAGE_PREPROCESS, false, 38400, 1.8e10, -1, -1, -1, -1},
        {"tfrecord", STK_STAGE_READ, true, 38400, 2e9, 7.1, 8, 0.02, 0.88},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        stk_profile_input *in = &p->inputs[p->input_count++];
        snprintf(in->name, sizeof in->name, "%s", parts[i].name);
        in->stage = parts[i].stage;
        in->depth = (int)i;
        in->has_queue = parts[i].has_queue;
        in->items = parts[i].items;
        in->busy_ns = parts[i].busy;
        in->queue_mean = parts[i].mean;
        in->queue_capacity = parts[i].capacity;
        in->queue_empty = parts[i].empty;
        in->queue_full = parts[i].full;
    }
    strcpy(p->input_limit, "map decode+crop+flip is 93 % of the input's work");
    static const char *const names[] = {"decode_image", "random_crop + flip + normalize"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        stk_profile_input_op *op = &p->input_ops[p->input_op_count++];
        *op = (stk_profile_input_op){.depth = 2, .items = 38400, .busy_ns = i ? 4e9 : 1.4e10};
        snprintf(op->name, sizeof op->name, "%s", names[i]);
    }
}

static void add_ops(stk_profile *p)
{
    static const char *const kinds[] = {"conv2d", "matmul", "batch_norm", "relu", "add"};
    uint64_t                 seed = 9;
    for (; p->op_count < STK_SAMPLE_OPS; p->op_count++) {
        stk_profile_op *op = &p->ops[p->op_count];
        const int       n = (int)p->op_count;
        snprintf(op->operation, sizeof op->operation, "%s", kinds[n % 5]);
        snprintf(op->name, sizeof op->name, "layer%d.%d.%s", n / 10 + 1, n % 10 / 2, kinds[n % 5]);
        snprintf(op->kernel, sizeof op->kernel, "onednn jit:avx512_core");
        snprintf(op->phase, sizeof op->phase, "%s", n % 2 ? "backward" : "forward");
        op->flops = 1e6 + draw(&seed) * 9e8 * (n % 5 < 2);
        op->bytes = 1e5 + draw(&seed) * 9e6;
        op->runs = 8;
        const double least = op->flops / 180 > op->bytes / 22 ? op->flops / 180 : op->bytes / 22;
        op->ns = (uint64_t)(8 * least * (1.1 + draw(&seed) * 4));
    }
    strcpy(p->ops[STK_SAMPLE_OPS - 1].name, STK_SAMPLE_NASTY);
}

static void add_resources(stk_profile *p)
{
    uint64_t seed = 21;
    for (; p->resource_count < RESOURCES; p->resource_count++) {
        stk_resource_sample *r = &p->resources[p->resource_count];
        const double         at = (double)p->resource_count / RESOURCES;
        *r = (stk_resource_sample){.seconds = at * p->measured_ns / 1e9, .iowait = 0.01};
        r->cpu = 0.88 + draw(&seed) * 0.1;
        r->own_cores = 3.4 + draw(&seed) * 0.4;
        r->own_memory = 1.2e9 + at * 2e7;
        r->memory_used = 5e9;
        r->page_cache = 3e9;
        r->disk_read = draw(&seed) * 2e8;
        r->disk_write = draw(&seed) * 2e6;
        r->disk_reads = 300;
        r->disk_busy = 0.2 + draw(&seed) * 0.1;
        r->own_read = r->disk_read * 0.9;
        r->net_in = r->net_out = -1;
        r->switches = 9000 + draw(&seed) * 500;
        r->rate = 3500 + draw(&seed) * 500;
        r->gpu_count = 1;
        r->gpus[0] = (stk_gpu_sample){.utilisation = 0.5 + draw(&seed) * 0.1, .watts = 210};
        r->gpus[0].memory_used = 9e9;
        r->gpus[0].celsius = 61;
    }
}

static void add_memory(stk_profile *p)
{
    static const stk_profile_memory parts[] = {{"activations", 7.1e8},
                                               {"workspace", 1.3e8},
                                               {"parameters", 4.7e7},
                                               {"gradients", 4.7e7},
                                               {"optimiser", 4.7e7}};
    static const stk_profile_batch  batches[] = {
         {32, 5200, 4.2e8}, {64, 6700, 8.4e8}, {128, 7300, 1.68e9}, {256, 7500, 3.3e9}};
    memcpy(p->memory, parts, sizeof parts);
    p->memory_count = sizeof parts / sizeof *parts;
    memcpy(p->batches, batches, sizeof batches);
    p->batch_count = sizeof batches / sizeof *batches;
    p->arena_bytes = 8.4e8;
    p->variable_bytes = 1.41e8;
    p->largest_batch = 512;
}

static void add_card(stk_profile *p)
{
    stk_profile_run *r = &p->run;
    strcpy(r->command, "stoker profile --data 'photos </script>' --model resnet18 --batch 64");
    strcpy(r->data, "/data/photos");
    strcpy(r->version, "0.1.0");
    strcpy(r->source, "stoker");
    strcpy(r->model, "resnet18");
    strcpy(r->backend, "cpu");
    strcpy(r->precision, "float32");
    r->batch = BATCH;
    r->size = 224;
    r->classes = 1000;
    r->parameters = 11689512;
    r->seed = 7;
    r->threads = r->input_threads = 2;
    r->unix_time = 1789000000;
    r->startup_s = 1.83;
    strcpy(p->machine.host, "trainer-3");
    strcpy(p->machine.cpu, "AMD EPYC 9B14");
    strcpy(p->machine.gpu_source, "NVML 580.65");
    strcpy(p->machine.gpus[0].name, "NVIDIA A10");
    p->machine.gpus[0].memory = 24000000000u;
    p->machine.gpu_count = 1;
    p->machine.cores = 4;
    p->machine.memory = 16000000000u;
    p->limits = (stk_machine_peaks){1.8e11, 2.2e10, 1.1e10, 5.2e8, -1, 1800};
    p->callback_count = 1;
    strcpy(p->callbacks[0].name, "progress");
    p->callbacks[0].calls = STK_SAMPLE_STEPS;
    p->callbacks[0].ns = 110000000;
    p->callbacks[0].on_training_thread = true;
    p->overhead[0] = (stk_profile_overhead){true, 0.0004, -0.001, 0.0018};
    p->overhead[2] = (stk_profile_overhead){true, 0.012, 0.008, 0.016};
    p->trace_events = 182000;
    p->trace_dropped = 0;
}

stk_status stk_sample_profile(stk_profile *out, stk_error *err)
{
    stk_profile_init(out);
    out->step_list = calloc(STK_SAMPLE_STEPS, sizeof *out->step_list);
    out->windows = calloc(STK_SAMPLE_STEPS / WINDOW, sizeof *out->windows);
    out->ops = calloc(STK_SAMPLE_OPS, sizeof *out->ops);
    out->resources = calloc(RESOURCES, sizeof *out->resources);
    out->batches = calloc(4, sizeof *out->batches);
    if (!out->step_list || !out->windows || !out->ops || !out->resources || !out->batches) {
        stk_profile_release(out);
        return stk_fail(err, STK_E_NOMEM, "sample", NULL, "no memory");
    }
    for (int i = 0; i < STK_STAGE_COUNT; i++)
        out->stages[i] = (stk_profile_stage){.cpu_ns = -1, .runnable_ns = -1, .io_ns = -1};
    add_steps(out);
    add_stages(out);
    add_inputs(out);
    add_ops(out);
    add_resources(out);
    add_memory(out);
    add_card(out);
    return STK_OK;
}

static stk_estimate around(double value)
{
    return (stk_estimate){value, value * 0.98, value * 1.02};
}

static void add_row(stk_diagnosis *d, stk_stage stage, const char *name, double rate, double used)
{
    stk_stage_throughput *row = &d->rows[d->row_count++];
    snprintf(row->name, sizeof row->name, "%s", name ? name : stk_stage_name(stage));
    row->stage = stage;
    row->samples_per_s = rate;
    row->utilisation = used;
    row->binding = used > 0.9;
}

static void add_fix(stk_diagnosis *d, stk_stage stage, const char *title, const char *command,
                    const char *recipe, double gain)
{
    stk_fix *fix = &d->fixes[d->fix_count++];
    fix->stage = stage;
    snprintf(fix->title, sizeof fix->title, "%s", title);
    snprintf(fix->why, sizeof fix->why, "Images are 2.9 times larger than needed.");
    snprintf(fix->command, sizeof fix->command, "%s", command);
    snprintf(fix->recipe, sizeof fix->recipe, "%s", recipe);
    fix->samples_per_s = around(d->samples_per_s.value * (1 + gain));
    fix->gain = gain;
    fix->changes_training = stage == STK_STAGE_COMPUTE;
}

static void add_words(stk_diagnosis *d)
{
    strcpy(d->verdict, "S2 preprocess limits: training waits for it 35.2 % of every step, and all "
                       "4 cores are in use.");
    strcpy(d->evidence[d->evidence_count++], "queue S2>S3 is empty 91 % of the time");
    strcpy(d->evidence[d->evidence_count++], "cores 3.7 of 4 in use");
    strcpy(d->warnings[d->warning_count++],
           "Threads of this run waited 8 % of their time for a core.");
}

void stk_sample_diagnosis(stk_diagnosis *d, const stk_profile *p)
{
    memset(d, 0, sizeof *d);
    d->samples_per_s = around(p->samples / p->measured_ns * 1e9);
    d->compute_share = p->stages[STK_STAGE_COMPUTE].exposed_ns / p->measured_ns;
    d->confidence = 0.98;
    d->limit = (stk_bottleneck){.stage = STK_STAGE_PREPROCESS, .cause = STK_CAUSE_CORES};
    d->limit.share = around(0.352);
    d->limit.if_removed = around(d->samples_per_s.value * 1.5);
    d->limit.next = STK_STAGE_COMPUTE;
    d->limits[d->limit_count++] = d->limit;
    static const char *const names[] = {"train", "evaluate", "checkpoint"};
    for (size_t i = 0; i < 3; i++) {
        stk_phase_verdict *phase = &d->phases[d->phase_count++];
        *phase = (stk_phase_verdict){
            .ns = i ? 2e9 : 6e9, .share = i ? 0.2 : 0.6, .times = i ? 3 : 600, .stage_share = 0.7};
        phase->stage = i == 0 ? STK_STAGE_COMPUTE : i == 1 ? STK_STAGE_PREPROCESS : STK_STAGE_WRITE;
        snprintf(phase->name, sizeof phase->name, "%s", names[i]);
        snprintf(phase->sentence, sizeof phase->sentence, "%s takes 70 %% of it",
                 stk_stage_name(phase->stage));
    }
    d->limits[d->limit_count] =
        (stk_bottleneck){.stage = STK_STAGE_WRITE, .cause = STK_CAUSE_WRITE};
    d->limits[d->limit_count].share = around(0.018);
    strcpy(d->limits[d->limit_count++].sentence, "Checkpoints are written by the training thread.");
    add_row(d, STK_STAGE_READ, NULL, 21000, 0.18);
    add_row(d, STK_STAGE_PREPROCESS, NULL, 4010, 0.97);
    add_row(d, STK_STAGE_HOST_TO_DEVICE, NULL, 88000, 0.03);
    add_row(d, STK_STAGE_COMPUTE, NULL, 6700, 0.56);
    add_row(d, STK_STAGE_WRITE, NULL, -1, -1);
    add_row(d, STK_STAGE_NONE, "cores", 4100, 0.93);
    add_row(d, STK_STAGE_NONE, "disk", 12500, 0.3);
    add_fix(d, STK_STAGE_PREPROCESS, "Pack the images at the size of training",
            "stoker pack photos -o photos-256 --resize 256", "", 0.45);
    add_fix(d, STK_STAGE_PREPROCESS, "Keep decoded images in memory", "", "data: {cache: memory}",
            0.41);
    add_fix(d, STK_STAGE_COMPUTE, "Batch 128 instead of 64", "stoker train --batch 128", "", 0.03);
    add_words(d);
}

static stk_status put_span(stk_blob *out, const char *name, const char *stage, int thread,
                           double begin, double ns, stk_error *err)
{
    char      text[EVENT_CAPACITY];
    const int size =
        snprintf(text, sizeof text,
                 ",\n{\"ph\":\"X\",\"name\":\"%s\",\"cat\":\"%s\",\"pid\":1,\"tid\":%d,"
                 "\"ts\":%.3f,\"dur\":%.3f}",
                 name, stage, thread, begin / 1e3, ns / 1e3);
    return stk_blob_append(out, text, (size_t)size, err);
}

/* A step, what it waited, copied and computed, and count operations in that. */
static stk_status put_step(stk_blob *out, const stk_step_record *s, size_t count, stk_error *err)
{
    static const char *const kinds[] = {"conv2d", "batch_norm", "relu"};
    char                     name[32];
    double                   at = (double)s->begin_ns;
    const double             waits =
        (double)(s->exposed_ns[STK_STAGE_READ] + s->exposed_ns[STK_STAGE_PREPROCESS]);
    const double compute = (double)s->exposed_ns[STK_STAGE_COMPUTE];
    snprintf(name, sizeof name, "ProfilerStep#%lld", (long long)s->step);
    STK_TRY(put_span(out, name, "user_annotation", 1, at, (double)s->ns, err));
    STK_TRY(put_span(out, "wait for a batch", "S2 preprocess", 1, at, waits, err));
    at += waits;
    STK_TRY(put_span(out, "forward and backward", "S4 compute", 1, at, compute, err));
    for (size_t i = 0; i < count; i++)
        STK_TRY(put_span(out, kinds[i % 3], "S4 compute", 1,
                         at + compute * (double)i / (double)count,
                         compute / (double)count * (0.4 + 0.2 * (double)(i % 3)), err));
    return STK_OK;
}

static stk_status put_trace(const stk_profile *profile, size_t events, stk_blob *out,
                            stk_error *err)
{
    static const char head[] =
        "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"tid\":0,\"args\":{"
        "\"name\":\"stoker\"}},{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":1,\"args\":"
        "{"
        "\"name\":\"train\"}},{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":2,\"args\":{"
        "\"name\":\"input </script>\"}}";
    const size_t a_step = events / STK_SAMPLE_STEPS, ops = a_step > 6 ? (a_step - 3) / 2 : 1;
    STK_TRY(stk_blob_append(out, head, sizeof head - 1, err));
    for (size_t i = 0; i < profile->step_count; i++) {
        const stk_step_record *s = &profile->step_list[i];
        STK_TRY(put_step(out, s, ops, err));
        for (size_t k = 0; k < ops; k++)
            STK_TRY(put_span(out, k % 2 ? "crop" : "decode", "S2 preprocess", 2,
                             (double)s->begin_ns + (double)s->ns * (double)k / (double)ops,
                             (double)s->ns / (double)ops * 0.9, err));
    }
    return stk_blob_append(out, "\n]}\n", 4, err);
}

stk_status stk_sample_timeline(stk_timeline **out, const stk_profile *profile, size_t events,
                               const char *path, stk_error *err)
{
    stk_blob    text;
    stk_output *file = NULL;
    *out = NULL;
    stk_blob_init(&text, NULL, STK_MEMORY_OUTPUT);
    stk_status st = put_trace(profile, events, &text, err);
    if (!st) st = stk_output_create(&file, NULL, path, err);
    if (!st) st = stk_output_write(file, text.data, text.size, err);
    if (!st) st = stk_output_commit(file, err);
    stk_output_close(file);
    stk_blob_release(&text);
    return st ? st : stk_timeline_read(out, path, NULL, err);
}
