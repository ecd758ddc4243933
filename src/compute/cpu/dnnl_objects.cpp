/* oneDNN objects: engine, stream, attributes, primitives, memories. */
#include "compute/cpu/dnnl_guard.hpp"

/* Creates an object. A failing call may have written to *object all the same. */
template <typename Object, typename Call>
static dnnl_status_t make(Object *object, Call call) noexcept
{
    *object = nullptr;
    dnnl_status_t st = stk_guard_making(call);
    if (st) *object = nullptr;
    return st;
}

/* Status of destructors is ignored. */
template <typename Object, typename Call> static void destroy(Object object, Call call) noexcept
{
    if (object) (void)stk_guard([&] { return call(object); });
}

int stk_onednn_major(void) noexcept
{
    return stk_guard_value(0, [] { return dnnl_version()->major; });
}

bool stk_onednn_has_isa(dnnl_cpu_isa_t isa) noexcept
{
    return stk_guard_value(false, [&] { return (dnnl_get_effective_cpu_isa() & isa) == isa; });
}

void stk_onednn_limit_isa(dnnl_cpu_isa_t isa) noexcept
{
    (void)stk_guard([&] { return dnnl_set_max_cpu_isa(isa); });
}

dnnl_status_t stk_onednn_engine_create(dnnl_engine_t *engine) noexcept
{
    return make(engine, [&] { return dnnl_engine_create(engine, dnnl_cpu, 0); });
}

void stk_onednn_engine_destroy(dnnl_engine_t engine) noexcept
{
    destroy(engine, dnnl_engine_destroy);
}

dnnl_status_t stk_onednn_stream_create(dnnl_stream_t *stream, dnnl_engine_t engine) noexcept
{
    return make(stream,
                [&] { return dnnl_stream_create(stream, engine, dnnl_stream_default_flags); });
}

void stk_onednn_stream_destroy(dnnl_stream_t stream) noexcept
{
    destroy(stream, dnnl_stream_destroy);
}

static dnnl_status_t append(dnnl_post_ops_t ops, const stk_dnnl_eltwise *after)
{
#if DNNL_VERSION_MAJOR >= 3
    return dnnl_post_ops_append_eltwise(ops, after->algorithm, after->a, after->b);
#else
    return dnnl_post_ops_append_eltwise(ops, 1, after->algorithm, after->a, after->b);
#endif
}

static dnnl_status_t set_post_ops(dnnl_primitive_attr_t attr, const stk_dnnl_eltwise *after,
                                  int count) noexcept
{
    dnnl_post_ops_t ops;
    dnnl_status_t   st = make(&ops, [&] { return dnnl_post_ops_create(&ops); });
    for (int i = 0; i < count && !st; i++)
        st = stk_guard_making([&] { return append(ops, &after[i]); });
    if (!st) st = stk_guard_making([&] { return dnnl_primitive_attr_set_post_ops(attr, ops); });
    destroy(ops, dnnl_post_ops_destroy);
    return st;
}

dnnl_status_t stk_onednn_attr_create(dnnl_primitive_attr_t *attr, const stk_dnnl_eltwise *after,
                                     int count) noexcept
{
    dnnl_status_t st = make(attr, [&] { return dnnl_primitive_attr_create(attr); });
    if (!st)
        st = stk_guard([&] {
            return dnnl_primitive_attr_set_scratchpad_mode(*attr, dnnl_scratchpad_mode_user);
        });
    if (!st && count > 0) st = set_post_ops(*attr, after, count);
    if (!st) return st;
    stk_onednn_attr_destroy(*attr);
    *attr = nullptr;
    return st;
}

void stk_onednn_attr_destroy(dnnl_primitive_attr_t attr) noexcept
{
    destroy(attr, dnnl_primitive_attr_destroy);
}

dnnl_status_t stk_onednn_reorder_create(dnnl_primitive_desc_t *pd, dnnl_engine_t engine,
                                        stk_md_ref from, stk_md_ref to,
                                        dnnl_primitive_attr_t attr) noexcept
{
    return make(
        pd, [&] { return dnnl_reorder_primitive_desc_create(pd, from, engine, to, engine, attr); });
}

void stk_onednn_pd_destroy(dnnl_primitive_desc_t pd) noexcept
{
    destroy(pd, dnnl_primitive_desc_destroy);
}

const char *stk_onednn_pd_name(dnnl_primitive_desc_t pd) noexcept
{
    const char   *name = nullptr;
    dnnl_status_t st = stk_guard(
        [&] { return dnnl_primitive_desc_query(pd, dnnl_query_impl_info_str, 0, &name); });
    return st || !name ? "" : name;
}

stk_md_ref stk_onednn_pd_md(dnnl_primitive_desc_t pd, dnnl_query_t query, int index) noexcept
{
    return stk_guard_value<stk_md_ref>(
        nullptr, [&] { return dnnl_primitive_desc_query_md(pd, query, index); });
}

dnnl_status_t stk_onednn_primitive_create(dnnl_primitive_t     *primitive,
                                          dnnl_primitive_desc_t pd) noexcept
{
    return make(primitive, [&] { return dnnl_primitive_create(primitive, pd); });
}

void stk_onednn_primitive_destroy(dnnl_primitive_t primitive) noexcept
{
    destroy(primitive, dnnl_primitive_destroy);
}

dnnl_status_t stk_onednn_execute(dnnl_primitive_t primitive, dnnl_stream_t stream, int count,
                                 const dnnl_exec_arg_t *args) noexcept
{
    dnnl_status_t st =
        stk_guard([&] { return dnnl_primitive_execute(primitive, stream, count, args); });
    return st || stk_dnnl_reserve_restore() ? st : dnnl_out_of_memory;
}

dnnl_status_t stk_onednn_memory_create(dnnl_memory_t *memory, stk_md_ref md,
                                       dnnl_engine_t engine) noexcept
{
    return make(memory, [&] { return dnnl_memory_create(memory, md, engine, DNNL_MEMORY_NONE); });
}

dnnl_status_t stk_onednn_memory_point(dnnl_memory_t memory, const void *at) noexcept
{
    return stk_guard([&] { return dnnl_memory_set_data_handle(memory, const_cast<void *>(at)); });
}

void stk_onednn_memory_destroy(dnnl_memory_t memory) noexcept
{
    destroy(memory, dnnl_memory_destroy);
}
