/* Profiles as JSON. */
#include "base/params.h"

#include <stoker/profile.h>

/* Most rows of a list that are read: a file that claims more is no profile. */
enum { MOST_ROWS = 1 << 20 };

static const char *stage_word(unsigned stage)
{
    return stk_stage_name((stk_stage)stage);
}

static const stk_param run_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_run, command),
    STK_FIELD_OF_TEXT(stk_profile_run, data),
    STK_FIELD_OF_TEXT(stk_profile_run, version),
    STK_FIELD_OF_TEXT(stk_profile_run, source),
    STK_FIELD_OF_TEXT(stk_profile_run, model),
    STK_FIELD_OF_TEXT(stk_profile_run, backend),
    STK_FIELD_OF_TEXT(stk_profile_run, precision),
    STK_FIELD_OF_TEXT(stk_profile_run, inject),
    STK_FIELD_OF_TEXT(stk_profile_run, kind),
    STK_FIELD_OF_TEXT(stk_profile_run, cache),
    STK_FIELD_OF_TEXT(stk_profile_run, unit),
    STK_FIELD(stk_profile_run, data_count, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, stored_width, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, stored_height, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, batch, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, size, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, classes, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, parameters, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, seed, STK_FIELD_INT64),
    STK_FIELD(stk_profile_run, threads, STK_FIELD_INT),
    STK_FIELD(stk_profile_run, input_threads, STK_FIELD_INT),
    STK_FIELD(stk_profile_run, unix_time, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_run, startup_s, STK_FIELD_NUMBER),
};
static const stk_fields run_table = STK_FIELDS(run_fields, stk_profile_run);

static const stk_param gpu_info_fields[] = {
    STK_FIELD_OF_TEXT(stk_gpu_info, name),
    STK_FIELD(stk_gpu_info, memory, STK_FIELD_UINT64),
    STK_FIELD(stk_gpu_info, persistence, STK_FIELD_INT),
};
static const stk_fields gpu_info_table = STK_FIELDS(gpu_info_fields, stk_gpu_info);

static const stk_param machine_fields[] = {
    STK_FIELD_OF_TEXT(stk_machine_info, host),
    STK_FIELD_OF_TEXT(stk_machine_info, cpu),
    STK_FIELD_OF_TEXT(stk_machine_info, kernel),
    STK_FIELD_OF_TEXT(stk_machine_info, gpu_source),
    STK_FIELD(stk_machine_info, cores, STK_FIELD_INT),
    STK_FIELD(stk_machine_info, memory, STK_FIELD_UINT64),
    STK_FIELD(stk_machine_info, link_bytes, STK_FIELD_NUMBER),
    {STK_FIELD_COUNTED(stk_machine_info, gpus, STK_FIELD_STRUCTS, gpu_count),
     .most = STK_RESOURCES_GPUS, .table = &gpu_info_table},
};
static const stk_fields machine_table = STK_FIELDS(machine_fields, stk_machine_info);

static const stk_param limits_fields[] = {
    STK_FIELD(stk_profile_limits, flops, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_limits, memory_bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_limits, copy_bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_limits, disk_bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_limits, link_bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_limits, launch_ns, STK_FIELD_NUMBER),
};
static const stk_fields limits_table = STK_FIELDS(limits_fields, stk_profile_limits);

static const stk_param device_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_device, name),
    STK_FIELD_OF_TEXT(stk_profile_device, driver),
    STK_FIELD_OF_TEXT(stk_profile_device, runtime),
    STK_FIELD_OF_TEXT(stk_profile_device, libraries),
    STK_FIELD(stk_profile_device, processors, STK_FIELD_INT),
    STK_FIELD(stk_profile_device, memory, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_device, work_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_device, copy_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_device, launch_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_device, runs, STK_FIELD_NUMBER),
};
static const stk_fields device_table = STK_FIELDS(device_fields, stk_profile_device);

static const stk_param program_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_program, framework),
    STK_FIELD(stk_profile_program, workers, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, prefetches, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, parallel_maps, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, caches, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, float64, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, float16, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, channels_first, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, fixed_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, operations, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, pageable_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, scalar_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_program, pause_ns, STK_FIELD_NUMBER),
    STK_FIELD_OF_TEXT(stk_profile_program, slow_input),
    STK_FIELD_OF_TEXT(stk_profile_program, slow_write),
};
static const stk_fields program_table = STK_FIELDS(program_fields, stk_profile_program);

static const stk_param stage_fields[] = {
    STK_FIELD(stk_profile_stage, exposed_ns, STK_FIELD_AMOUNT),
    STK_FIELD(stk_profile_stage, busy_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, starved_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, blocked_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, items, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, servers, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, cpu_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, runnable_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_stage, io_ns, STK_FIELD_NUMBER),
};
static const stk_fields stage_table = STK_FIELDS(stage_fields, stk_profile_stage);

static const stk_param input_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_input, name),
    {.key = "stage",
     .kind = STK_FIELD_WORD,
     .offset = offsetof(stk_profile_input, stage),
     .most = STK_STAGE_COUNT,
     .word = stage_word},
    STK_FIELD(stk_profile_input, depth, STK_FIELD_INT),
    STK_FIELD(stk_profile_input, has_queue, STK_FIELD_BOOL),
    STK_FIELD(stk_profile_input, items, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, busy_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, starved_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, blocked_ns, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, queue_mean, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, queue_capacity, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, queue_empty, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, queue_full, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input, by_device, STK_FIELD_NUMBER),
};
static const stk_fields input_table = STK_FIELDS(input_fields, stk_profile_input);

static const stk_param input_op_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_input_op, name),
    STK_FIELD(stk_profile_input_op, depth, STK_FIELD_INT),
    STK_FIELD(stk_profile_input_op, items, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_input_op, busy_ns, STK_FIELD_NUMBER),
};
static const stk_fields input_op_table = STK_FIELDS(input_op_fields, stk_profile_input_op);

static const stk_param op_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_op, operation),
    STK_FIELD_OF_TEXT(stk_profile_op, name),
    STK_FIELD_OF_TEXT(stk_profile_op, kernel),
    STK_FIELD_OF_TEXT(stk_profile_op, part),
    STK_FIELD(stk_profile_op, flops, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_op, bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_op, runs, STK_FIELD_UINT64),
    STK_FIELD(stk_profile_op, ns, STK_FIELD_UINT64),
};
static const stk_fields op_table = STK_FIELDS(op_fields, stk_profile_op);

static const stk_param callback_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_callback, name),
    STK_FIELD(stk_profile_callback, calls, STK_FIELD_UINT64),
    STK_FIELD(stk_profile_callback, ns, STK_FIELD_UINT64),
    STK_FIELD(stk_profile_callback, on_training_thread, STK_FIELD_BOOL),
    STK_FIELD(stk_profile_callback, slow, STK_FIELD_BOOL),
};
static const stk_fields callback_table = STK_FIELDS(callback_fields, stk_profile_callback);

static const stk_param memory_fields[] = {
    STK_FIELD_OF_TEXT(stk_profile_memory, name),
    STK_FIELD(stk_profile_memory, bytes, STK_FIELD_NUMBER),
};
static const stk_fields memory_table = STK_FIELDS(memory_fields, stk_profile_memory);

static const stk_param batch_fields[] = {
    STK_FIELD(stk_profile_batch, batch, STK_FIELD_INT64),
    STK_FIELD(stk_profile_batch, samples_per_s, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_batch, bytes, STK_FIELD_NUMBER),
};
static const stk_fields batch_table = STK_FIELDS(batch_fields, stk_profile_batch);

static const stk_param overhead_fields[] = {
    STK_FIELD(stk_profile_overhead, measured, STK_FIELD_BOOL),
    STK_FIELD(stk_profile_overhead, share, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_overhead, low, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile_overhead, high, STK_FIELD_NUMBER),
};
static const stk_fields overhead_table = STK_FIELDS(overhead_fields, stk_profile_overhead);

static const stk_param step_fields[] = {
    STK_FIELD(stk_step_record, step, STK_FIELD_INT64),
    STK_FIELD(stk_step_record, begin_ns, STK_FIELD_UINT64),
    STK_FIELD(stk_step_record, ns, STK_FIELD_UINT64),
    STK_FIELD(stk_step_record, samples, STK_FIELD_UINT32),
    STK_FIELD(stk_step_record, marks, STK_FIELD_UINT32),
    {.key = "exposed_ns",
     .kind = STK_FIELD_UINT64S,
     .offset = offsetof(stk_step_record, exposed_ns),
     .most = STK_STAGE_COUNT},
    {.key = "work_ns",
     .kind = STK_FIELD_UINT64S,
     .offset = offsetof(stk_step_record, work_ns),
     .most = STK_STAGE_COUNT},
};
static const stk_fields step_table = STK_FIELDS(step_fields, stk_step_record);

static const stk_param window_fields[] = {
    STK_FIELD(stk_meter_window, begin_ns, STK_FIELD_UINT64),
    STK_FIELD(stk_meter_window, ns, STK_FIELD_UINT64),
    STK_FIELD(stk_meter_window, steps, STK_FIELD_UINT64),
    STK_FIELD(stk_meter_window, samples, STK_FIELD_UINT64),
    STK_FIELD(stk_meter_window, longest_ns, STK_FIELD_UINT64),
    {.key = "exposed_ns",
     .kind = STK_FIELD_UINT64S,
     .offset = offsetof(stk_meter_window, exposed_ns),
     .most = STK_STAGE_COUNT},
};
static const stk_fields window_table = STK_FIELDS(window_fields, stk_meter_window);

static const stk_param gpu_fields[] = {
    STK_FIELD(stk_gpu_sample, utilisation, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, memory_used, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, memory_utilisation, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, watts, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, celsius, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, clock_mhz, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, throttled, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, pcie_in, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, pcie_out, STK_FIELD_NUMBER),
    STK_FIELD(stk_gpu_sample, own_memory, STK_FIELD_NUMBER),
};
static const stk_fields gpu_table = STK_FIELDS(gpu_fields, stk_gpu_sample);

static const stk_param resource_fields[] = {
    STK_FIELD(stk_resource_sample, seconds, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, cpu, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, iowait, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, own_cores, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, own_memory, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, memory_used, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, page_cache, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, swap_used, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, disk_read, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, disk_write, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, disk_reads, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, disk_writes, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, disk_busy, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, own_read, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, own_write, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, net_in, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, net_out, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, switches, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, own_waiting, STK_FIELD_NUMBER),
    STK_FIELD(stk_resource_sample, rate, STK_FIELD_NUMBER),
    {STK_FIELD_COUNTED(stk_resource_sample, gpus, STK_FIELD_STRUCTS, gpu_count),
     .most = STK_RESOURCES_GPUS, .table = &gpu_table},
};
static const stk_fields resource_table = STK_FIELDS(resource_fields, stk_resource_sample);

static const stk_param profile_fields[] = {
    {.key = "run",
     .kind = STK_FIELD_STRUCT,
     .offset = offsetof(stk_profile, run),
     .table = &run_table},
    {.key = "machine",
     .kind = STK_FIELD_STRUCT,
     .offset = offsetof(stk_profile, machine),
     .table = &machine_table},
    {.key = "limits",
     .kind = STK_FIELD_STRUCT,
     .offset = offsetof(stk_profile, limits),
     .table = &limits_table},
    {.key = "device",
     .kind = STK_FIELD_STRUCT,
     .offset = offsetof(stk_profile, device),
     .table = &device_table},
    {.key = "program",
     .kind = STK_FIELD_STRUCT,
     .offset = offsetof(stk_profile, program),
     .table = &program_table},
    STK_FIELD(stk_profile, measured_ns, STK_FIELD_AMOUNT),
    STK_FIELD(stk_profile, steps, STK_FIELD_AMOUNT),
    STK_FIELD(stk_profile, samples, STK_FIELD_AMOUNT),
    STK_FIELD(stk_profile, evaluation_ns, STK_FIELD_AMOUNT),
    STK_FIELD(stk_profile, evaluations, STK_FIELD_AMOUNT),
    {.key = "evaluation_stages_ns",
     .kind = STK_FIELD_UINT64S,
     .offset = offsetof(stk_profile, evaluation_stages_ns),
     .most = STK_STAGE_COUNT},
    {.key = "stages",
     .kind = STK_FIELD_STRUCTS,
     .offset = offsetof(stk_profile, stages),
     .most = STK_STAGE_COUNT,
     .table = &stage_table},
    {STK_FIELD_COUNTED(stk_profile, inputs, STK_FIELD_STRUCTS, input_count),
     .most = STK_PROFILE_STAGES, .table = &input_table},
    STK_FIELD_OF_TEXT(stk_profile, input_limit),
    {STK_FIELD_COUNTED(stk_profile, input_ops, STK_FIELD_STRUCTS, input_op_count),
     .most = STK_PROFILE_INPUT_OPS, .table = &input_op_table},
    {STK_FIELD_COUNTED(stk_profile, callbacks, STK_FIELD_STRUCTS, callback_count),
     .most = STK_PROFILE_CALLBACKS, .table = &callback_table},
    STK_FIELD(stk_profile, arena_bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile, variable_bytes, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile, largest_batch, STK_FIELD_INT64),
    {STK_FIELD_COUNTED(stk_profile, memory, STK_FIELD_STRUCTS, memory_count),
     .most = STK_PROFILE_PARTS, .table = &memory_table},
    {.key = "overhead",
     .kind = STK_FIELD_STRUCTS,
     .offset = offsetof(stk_profile, overhead),
     .most = STK_PROFILE_LEVELS,
     .table = &overhead_table},
    STK_FIELD(stk_profile, trace_events, STK_FIELD_NUMBER),
    STK_FIELD(stk_profile, trace_dropped, STK_FIELD_NUMBER),
    {STK_FIELD_COUNTED(stk_profile, step_list, STK_FIELD_LIST, step_count), .most = MOST_ROWS,
     .table = &step_table},
    {STK_FIELD_COUNTED(stk_profile, windows, STK_FIELD_LIST, window_count), .most = MOST_ROWS,
     .table = &window_table},
    {STK_FIELD_COUNTED(stk_profile, ops, STK_FIELD_LIST, op_count), .most = MOST_ROWS,
     .table = &op_table},
    {STK_FIELD_COUNTED(stk_profile, resources, STK_FIELD_LIST, resource_count), .most = MOST_ROWS,
     .table = &resource_table},
    {STK_FIELD_COUNTED(stk_profile, batches, STK_FIELD_LIST, batch_count), .most = MOST_ROWS,
     .table = &batch_table},
};
static const stk_fields profile_table = STK_FIELDS(profile_fields, stk_profile);

stk_status stk_profile_write(const stk_profile *profile, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_fields_write(&w, &profile_table, profile);
    return stk_json_end(&w, err);
}

/* A document without steps or stages is somebody else's. */
static stk_status check_kind(const stk_json_value *root, stk_error *err)
{
    if (stk_json_get(root, "stages") && stk_json_get(root, "run")) return STK_OK;
    return stk_fail(err, STK_E_INVALID, "profile", "profile",
                    "this JSON is no profile: it has no \"run\" or no \"stages\"; 'stoker profile' "
                    "writes one");
}

stk_status stk_profile_read(stk_profile *out, stk_bytes json, stk_error *err)
{
    stk_json_document *doc;
    stk_profile_init(out);
    STK_TRY(stk_json_parse(&doc, json, "profile", err));
    stk_status st = check_kind(stk_json_root(doc), err);
    if (!st) st = stk_fields_read(stk_json_root(doc), &profile_table, out, "profile", err);
    stk_json_document_free(doc);
    return st;
}
