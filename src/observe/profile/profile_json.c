/* Profiles as JSON. */
#include <math.h>
#include <stoker/params.h>
#include <stoker/profile.h>

/* Upper bound of rows per list: a file with more is not a profile. */
enum { MOST_ROWS = 1 << 20 };

static const char *stage_word(size_t stage)
{
    return stk_stage_name((stk_stage)stage);
}

static const stk_param run_fields[] = {
    {STK_PARAM_ROW(stk_profile_run, command, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, data, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, version, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, source, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, model, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, backend, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, precision, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, inject, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, kind, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, cache, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, unit, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_run, data_count, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, stored_width, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, stored_height, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, batch, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, size, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, classes, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, parameters, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, seed, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_profile_run, threads, STK_PARAM_INT32)},
    {STK_PARAM_ROW(stk_profile_run, input_threads, STK_PARAM_INT32)},
    STK_PARAM_MEASURED(stk_profile_run, unix_time),
    STK_PARAM_MEASURED(stk_profile_run, startup_s),
};
static const stk_params run_table = {STK_PARAM_TABLE(run_fields, stk_profile_run)};

static const stk_param gpu_info_fields[] = {
    {STK_PARAM_ROW(stk_gpu_info, name, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_gpu_info, memory, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_gpu_info, persistence, STK_PARAM_INT32)},
};
static const stk_params gpu_info_table = {STK_PARAM_TABLE(gpu_info_fields, stk_gpu_info)};

static const stk_param machine_fields[] = {
    {STK_PARAM_ROW(stk_machine_info, host, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_machine_info, cpu, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_machine_info, kernel, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_machine_info, gpu_source, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_machine_info, cores, STK_PARAM_INT32)},
    {STK_PARAM_ROW(stk_machine_info, memory, STK_PARAM_UINT64)},
    STK_PARAM_MEASURED(stk_machine_info, link_bytes),
    {STK_PARAM_COUNTED(stk_machine_info, gpus, STK_PARAM_STRUCTS, gpu_count),
     .count = STK_RESOURCES_GPUS, .table = &gpu_info_table},
};
static const stk_params machine_table = {STK_PARAM_TABLE(machine_fields, stk_machine_info)};

static const stk_param limits_fields[] = {
    STK_PARAM_MEASURED(stk_machine_peaks, flops),
    STK_PARAM_MEASURED(stk_machine_peaks, memory_bytes),
    STK_PARAM_MEASURED(stk_machine_peaks, copy_bytes),
    STK_PARAM_MEASURED(stk_machine_peaks, disk_bytes),
    STK_PARAM_MEASURED(stk_machine_peaks, link_bytes),
    STK_PARAM_MEASURED(stk_machine_peaks, launch_ns),
};
static const stk_params limits_table = {STK_PARAM_TABLE(limits_fields, stk_machine_peaks)};

static const stk_param device_fields[] = {
    {STK_PARAM_ROW(stk_profile_device, name, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_device, driver, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_device, runtime, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_device, libraries, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_device, processors, STK_PARAM_INT32)},
    STK_PARAM_MEASURED(stk_profile_device, memory),
    STK_PARAM_MEASURED(stk_profile_device, work_ns),
    STK_PARAM_MEASURED(stk_profile_device, copy_ns),
    STK_PARAM_MEASURED(stk_profile_device, launch_ns),
    STK_PARAM_MEASURED(stk_profile_device, runs),
};
static const stk_params device_table = {STK_PARAM_TABLE(device_fields, stk_profile_device)};

static const stk_param program_fields[] = {
    {STK_PARAM_ROW(stk_profile_program, framework, STK_PARAM_TEXT)},
    STK_PARAM_MEASURED(stk_profile_program, workers),
    STK_PARAM_MEASURED(stk_profile_program, prefetches),
    STK_PARAM_MEASURED(stk_profile_program, parallel_maps),
    STK_PARAM_MEASURED(stk_profile_program, caches),
    STK_PARAM_MEASURED(stk_profile_program, float64),
    STK_PARAM_MEASURED(stk_profile_program, float16),
    STK_PARAM_MEASURED(stk_profile_program, channels_first),
    STK_PARAM_MEASURED(stk_profile_program, fixed_ns),
    STK_PARAM_MEASURED(stk_profile_program, operations),
    STK_PARAM_MEASURED(stk_profile_program, pageable_ns),
    STK_PARAM_MEASURED(stk_profile_program, scalar_ns),
    STK_PARAM_MEASURED(stk_profile_program, pause_ns),
    {STK_PARAM_ROW(stk_profile_program, slow_input, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_program, slow_write, STK_PARAM_TEXT)},
};
static const stk_params program_table = {STK_PARAM_TABLE(program_fields, stk_profile_program)};

static const stk_param stage_fields[] = {
    {STK_PARAM_ROW(stk_profile_stage, exposed_ns, STK_PARAM_DOUBLE), .max = INFINITY},
    STK_PARAM_MEASURED(stk_profile_stage, busy_ns),
    STK_PARAM_MEASURED(stk_profile_stage, starved_ns),
    STK_PARAM_MEASURED(stk_profile_stage, blocked_ns),
    STK_PARAM_MEASURED(stk_profile_stage, items),
    STK_PARAM_MEASURED(stk_profile_stage, bytes),
    STK_PARAM_MEASURED(stk_profile_stage, servers),
    STK_PARAM_MEASURED(stk_profile_stage, cpu_ns),
    STK_PARAM_MEASURED(stk_profile_stage, runnable_ns),
    STK_PARAM_MEASURED(stk_profile_stage, io_ns),
};
static const stk_params stage_table = {STK_PARAM_TABLE(stage_fields, stk_profile_stage)};

static const stk_param input_fields[] = {
    {STK_PARAM_ROW(stk_profile_input, name, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_input, stage, STK_PARAM_ENUM), .count = STK_STAGE_COUNT,
     .word = stage_word},
    {STK_PARAM_ROW(stk_profile_input, depth, STK_PARAM_INT32)},
    {STK_PARAM_ROW(stk_profile_input, has_queue, STK_PARAM_BOOL)},
    STK_PARAM_MEASURED(stk_profile_input, items),
    STK_PARAM_MEASURED(stk_profile_input, bytes),
    STK_PARAM_MEASURED(stk_profile_input, busy_ns),
    STK_PARAM_MEASURED(stk_profile_input, starved_ns),
    STK_PARAM_MEASURED(stk_profile_input, blocked_ns),
    STK_PARAM_MEASURED(stk_profile_input, queue_mean),
    STK_PARAM_MEASURED(stk_profile_input, queue_capacity),
    STK_PARAM_MEASURED(stk_profile_input, queue_empty),
    STK_PARAM_MEASURED(stk_profile_input, queue_full),
    {STK_PARAM_ROW(stk_profile_input, device_items, STK_PARAM_DOUBLE), .flags = STK_PARAM_ABSENT,
     .renamed_from = "by_device"},
};
static const stk_params input_table = {STK_PARAM_TABLE(input_fields, stk_profile_input)};

static const stk_param input_op_fields[] = {
    {STK_PARAM_ROW(stk_profile_input_op, name, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_input_op, depth, STK_PARAM_INT32)},
    STK_PARAM_MEASURED(stk_profile_input_op, items),
    STK_PARAM_MEASURED(stk_profile_input_op, busy_ns),
};
static const stk_params input_op_table = {STK_PARAM_TABLE(input_op_fields, stk_profile_input_op)};

static const stk_param op_fields[] = {
    {STK_PARAM_ROW(stk_profile_op, operation, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_op, name, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_op, kernel, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_op, phase, STK_PARAM_TEXT), .renamed_from = "part"},
    STK_PARAM_MEASURED(stk_profile_op, flops),
    STK_PARAM_MEASURED(stk_profile_op, bytes),
    {STK_PARAM_ROW(stk_profile_op, runs, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_profile_op, ns, STK_PARAM_UINT64)},
};
static const stk_params op_table = {STK_PARAM_TABLE(op_fields, stk_profile_op)};

static const stk_param callback_fields[] = {
    {STK_PARAM_ROW(stk_profile_callback, name, STK_PARAM_TEXT)},
    {STK_PARAM_ROW(stk_profile_callback, calls, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_profile_callback, ns, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_profile_callback, on_training_thread, STK_PARAM_BOOL)},
    {STK_PARAM_ROW(stk_profile_callback, slow, STK_PARAM_BOOL)},
};
static const stk_params callback_table = {STK_PARAM_TABLE(callback_fields, stk_profile_callback)};

static const stk_param memory_fields[] = {
    {STK_PARAM_ROW(stk_profile_memory, name, STK_PARAM_TEXT)},
    STK_PARAM_MEASURED(stk_profile_memory, bytes),
};
static const stk_params memory_table = {STK_PARAM_TABLE(memory_fields, stk_profile_memory)};

static const stk_param batch_fields[] = {
    {STK_PARAM_ROW(stk_profile_batch, batch, STK_PARAM_INT64)},
    STK_PARAM_MEASURED(stk_profile_batch, samples_per_s),
    STK_PARAM_MEASURED(stk_profile_batch, bytes),
};
static const stk_params batch_table = {STK_PARAM_TABLE(batch_fields, stk_profile_batch)};

static const stk_param overhead_fields[] = {
    {STK_PARAM_ROW(stk_profile_overhead, measured, STK_PARAM_BOOL)},
    STK_PARAM_MEASURED(stk_profile_overhead, share),
    STK_PARAM_MEASURED(stk_profile_overhead, low),
    STK_PARAM_MEASURED(stk_profile_overhead, high),
};
static const stk_params overhead_table = {STK_PARAM_TABLE(overhead_fields, stk_profile_overhead)};

static const stk_param step_fields[] = {
    {STK_PARAM_ROW(stk_step_record, step, STK_PARAM_INT64)},
    {STK_PARAM_ROW(stk_step_record, begin_ns, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_step_record, ns, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_step_record, samples, STK_PARAM_UINT32)},
    {STK_PARAM_ROW(stk_step_record, marks, STK_PARAM_UINT32)},
    {STK_PARAM_ROW(stk_step_record, exposed_ns, STK_PARAM_COUNTS), .count = STK_STAGE_COUNT},
    {STK_PARAM_ROW(stk_step_record, work_ns, STK_PARAM_COUNTS), .count = STK_STAGE_COUNT},
};
static const stk_params step_table = {STK_PARAM_TABLE(step_fields, stk_step_record)};

static const stk_param window_fields[] = {
    {STK_PARAM_ROW(stk_meter_window, begin_ns, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_meter_window, ns, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_meter_window, steps, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_meter_window, samples, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_meter_window, longest_ns, STK_PARAM_UINT64)},
    {STK_PARAM_ROW(stk_meter_window, exposed_ns, STK_PARAM_COUNTS), .count = STK_STAGE_COUNT},
};
static const stk_params window_table = {STK_PARAM_TABLE(window_fields, stk_meter_window)};

static const stk_param gpu_fields[] = {
    STK_PARAM_MEASURED(stk_gpu_sample, utilisation),
    STK_PARAM_MEASURED(stk_gpu_sample, memory_used),
    STK_PARAM_MEASURED(stk_gpu_sample, memory_utilisation),
    STK_PARAM_MEASURED(stk_gpu_sample, watts),
    STK_PARAM_MEASURED(stk_gpu_sample, celsius),
    STK_PARAM_MEASURED(stk_gpu_sample, clock_mhz),
    STK_PARAM_MEASURED(stk_gpu_sample, throttled),
    STK_PARAM_MEASURED(stk_gpu_sample, pcie_in),
    STK_PARAM_MEASURED(stk_gpu_sample, pcie_out),
    STK_PARAM_MEASURED(stk_gpu_sample, own_memory),
};
static const stk_params gpu_table = {STK_PARAM_TABLE(gpu_fields, stk_gpu_sample)};

static const stk_param resource_fields[] = {
    STK_PARAM_MEASURED(stk_resource_sample, seconds),
    STK_PARAM_MEASURED(stk_resource_sample, cpu),
    STK_PARAM_MEASURED(stk_resource_sample, iowait),
    STK_PARAM_MEASURED(stk_resource_sample, own_cores),
    STK_PARAM_MEASURED(stk_resource_sample, own_memory),
    STK_PARAM_MEASURED(stk_resource_sample, memory_used),
    STK_PARAM_MEASURED(stk_resource_sample, page_cache),
    STK_PARAM_MEASURED(stk_resource_sample, swap_used),
    STK_PARAM_MEASURED(stk_resource_sample, disk_read),
    STK_PARAM_MEASURED(stk_resource_sample, disk_write),
    STK_PARAM_MEASURED(stk_resource_sample, disk_reads),
    STK_PARAM_MEASURED(stk_resource_sample, disk_writes),
    STK_PARAM_MEASURED(stk_resource_sample, disk_busy),
    STK_PARAM_MEASURED(stk_resource_sample, own_read),
    STK_PARAM_MEASURED(stk_resource_sample, own_write),
    STK_PARAM_MEASURED(stk_resource_sample, net_in),
    STK_PARAM_MEASURED(stk_resource_sample, net_out),
    STK_PARAM_MEASURED(stk_resource_sample, switches),
    STK_PARAM_MEASURED(stk_resource_sample, own_waiting),
    STK_PARAM_MEASURED(stk_resource_sample, rate),
    {STK_PARAM_COUNTED(stk_resource_sample, gpus, STK_PARAM_STRUCTS, gpu_count),
     .count = STK_RESOURCES_GPUS, .table = &gpu_table},
};
static const stk_params resource_table = {STK_PARAM_TABLE(resource_fields, stk_resource_sample)};

static const stk_param profile_fields[] = {
    {STK_PARAM_ROW(stk_profile, run, STK_PARAM_STRUCT), .table = &run_table},
    {STK_PARAM_ROW(stk_profile, machine, STK_PARAM_STRUCT), .table = &machine_table},
    {STK_PARAM_ROW(stk_profile, limits, STK_PARAM_STRUCT), .table = &limits_table},
    {STK_PARAM_ROW(stk_profile, device, STK_PARAM_STRUCT), .table = &device_table},
    {STK_PARAM_ROW(stk_profile, program, STK_PARAM_STRUCT), .table = &program_table},
    {STK_PARAM_ROW(stk_profile, measured_ns, STK_PARAM_DOUBLE), .max = INFINITY},
    {STK_PARAM_ROW(stk_profile, steps, STK_PARAM_DOUBLE), .max = INFINITY},
    {STK_PARAM_ROW(stk_profile, samples, STK_PARAM_DOUBLE), .max = INFINITY},
    {STK_PARAM_ROW(stk_profile, evaluation_ns, STK_PARAM_DOUBLE), .max = INFINITY},
    {STK_PARAM_ROW(stk_profile, evaluations, STK_PARAM_DOUBLE), .max = INFINITY},
    {STK_PARAM_ROW(stk_profile, evaluation_stages_ns, STK_PARAM_COUNTS), .count = STK_STAGE_COUNT},
    {STK_PARAM_ROW(stk_profile, stages, STK_PARAM_STRUCTS), .count = STK_STAGE_COUNT,
     .table = &stage_table},
    {STK_PARAM_COUNTED(stk_profile, inputs, STK_PARAM_STRUCTS, input_count),
     .count = STK_PROFILE_STAGES, .table = &input_table},
    {STK_PARAM_ROW(stk_profile, input_limit, STK_PARAM_TEXT)},
    {STK_PARAM_COUNTED(stk_profile, input_ops, STK_PARAM_STRUCTS, input_op_count),
     .count = STK_PROFILE_INPUT_OPS, .table = &input_op_table},
    {STK_PARAM_COUNTED(stk_profile, callbacks, STK_PARAM_STRUCTS, callback_count),
     .count = STK_PROFILE_CALLBACKS, .table = &callback_table},
    STK_PARAM_MEASURED(stk_profile, arena_bytes),
    STK_PARAM_MEASURED(stk_profile, variable_bytes),
    {STK_PARAM_ROW(stk_profile, largest_batch, STK_PARAM_INT64)},
    {STK_PARAM_COUNTED(stk_profile, memory, STK_PARAM_STRUCTS, memory_count),
     .count = STK_PROFILE_PARTS, .table = &memory_table},
    {STK_PARAM_ROW(stk_profile, overhead, STK_PARAM_STRUCTS), .count = STK_PROFILE_LEVELS,
     .table = &overhead_table},
    STK_PARAM_MEASURED(stk_profile, trace_events),
    STK_PARAM_MEASURED(stk_profile, trace_dropped),
    {STK_PARAM_COUNTED(stk_profile, step_list, STK_PARAM_ROWS, step_count), .count = MOST_ROWS,
     .table = &step_table},
    {STK_PARAM_COUNTED(stk_profile, windows, STK_PARAM_ROWS, window_count), .count = MOST_ROWS,
     .table = &window_table},
    {STK_PARAM_COUNTED(stk_profile, ops, STK_PARAM_ROWS, op_count), .count = MOST_ROWS,
     .table = &op_table},
    {STK_PARAM_COUNTED(stk_profile, resources, STK_PARAM_ROWS, resource_count), .count = MOST_ROWS,
     .table = &resource_table},
    {STK_PARAM_COUNTED(stk_profile, batches, STK_PARAM_ROWS, batch_count), .count = MOST_ROWS,
     .table = &batch_table},
};
static const stk_params profile_table = {STK_PARAM_TABLE(profile_fields, stk_profile)};

stk_status stk_profile_write(const stk_profile *profile, stk_blob *out, stk_error *err)
{
    stk_json_writer w;
    stk_json_begin(&w, out, 0);
    stk_params_write_json(&w, &profile_table, profile);
    return stk_json_end(&w, err);
}

/* A document without steps or stages is something else. */
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
    if (!st) st = stk_params_read_json(stk_json_root(doc), &profile_table, out, "profile", err);
    stk_json_document_free(doc);
    return st;
}
