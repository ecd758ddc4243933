/* Memory descriptors: structs in oneDNN 2, objects in oneDNN 3. */
#include "compute/cpu/dnnl_guard.hpp"
#include <cstdint>
#include <cstring>

bool stk_md_equal(stk_md_ref a, stk_md_ref b) noexcept
{
    return stk_guard_value(false, [&] { return dnnl_memory_desc_equal(a, b) != 0; });
}

size_t stk_md_bytes(stk_md_ref md) noexcept
{
    return stk_guard_value<size_t>(SIZE_MAX / 2, [&] { return dnnl_memory_desc_get_size(md); });
}

#if DNNL_VERSION_MAJOR >= 3

stk_md_ref stk_md_get(const stk_md *md) noexcept
{
    return md->set ? md->desc : nullptr;
}

template <typename Call> static dnnl_status_t set(stk_md *md, Call call) noexcept
{
    dnnl_status_t st = stk_guard_making(call);
    md->set = st == dnnl_success;
    return st;
}

dnnl_status_t stk_md_by_tag(stk_md *md, int rank, const dnnl_dims_t dims, dnnl_data_type_t type,
                            dnnl_format_tag_t tag) noexcept
{
    return set(md,
               [&] { return dnnl_memory_desc_create_with_tag(&md->desc, rank, dims, type, tag); });
}

dnnl_status_t stk_md_by_strides(stk_md *md, int rank, const dnnl_dims_t dims, dnnl_data_type_t type,
                                const dnnl_dims_t strides) noexcept
{
    return set(md, [&] {
        return dnnl_memory_desc_create_with_strides(&md->desc, rank, dims, type, strides);
    });
}

dnnl_status_t stk_md_copy(stk_md *md, stk_md_ref from) noexcept
{
    return set(md, [&] { return dnnl_memory_desc_clone(&md->desc, from); });
}

void stk_md_release(stk_md *md) noexcept
{
    if (md->set) (void)stk_guard([&] { return dnnl_memory_desc_destroy(md->desc); });
    *md = stk_md{};
}

static dnnl_status_t query(stk_md_ref md, dnnl_query_t what, void *out) noexcept
{
    return stk_guard([&] { return dnnl_memory_desc_query(md, what, out); });
}

bool stk_md_blocks_of(stk_md_ref md, stk_md_blocks *out) noexcept
{
    dnnl_format_kind_t kind;
    dnnl_dims_t       *stride, *block, *axis;
    if (query(md, dnnl_query_format_kind, &kind) || kind != dnnl_blocked ||
        query(md, dnnl_query_ndims_s32, &out->rank) || query(md, dnnl_query_strides, &stride) ||
        query(md, dnnl_query_inner_nblks_s32, &out->count) ||
        query(md, dnnl_query_inner_blks, &block) || query(md, dnnl_query_inner_idxs, &axis))
        return false;
    std::memcpy(out->stride, *stride, sizeof out->stride);
    std::memcpy(out->block, *block, sizeof out->block);
    std::memcpy(out->axis, *axis, sizeof out->axis);
    return true;
}

#else

stk_md_ref stk_md_get(const stk_md *md) noexcept
{
    return md->set ? &md->desc : nullptr;
}

dnnl_status_t stk_md_by_tag(stk_md *md, int rank, const dnnl_dims_t dims, dnnl_data_type_t type,
                            dnnl_format_tag_t tag) noexcept
{
    dnnl_status_t st =
        stk_guard([&] { return dnnl_memory_desc_init_by_tag(&md->desc, rank, dims, type, tag); });
    md->set = st == dnnl_success;
    return st;
}

dnnl_status_t stk_md_by_strides(stk_md *md, int rank, const dnnl_dims_t dims, dnnl_data_type_t type,
                                const dnnl_dims_t strides) noexcept
{
    dnnl_status_t st = stk_guard(
        [&] { return dnnl_memory_desc_init_by_strides(&md->desc, rank, dims, type, strides); });
    md->set = st == dnnl_success;
    return st;
}

dnnl_status_t stk_md_copy(stk_md *md, stk_md_ref from) noexcept
{
    *md = stk_md{*from, true};
    return dnnl_success;
}

void stk_md_release(stk_md *md) noexcept
{
    *md = stk_md{};
}

bool stk_md_blocks_of(stk_md_ref md, stk_md_blocks *out) noexcept
{
    const dnnl_blocking_desc_t *from = &md->format_desc.blocking;
    if (md->format_kind != dnnl_blocked) return false;
    out->rank = md->ndims;
    out->count = from->inner_nblks;
    std::memcpy(out->stride, from->strides, sizeof out->stride);
    std::memcpy(out->block, from->inner_blks, sizeof out->block);
    std::memcpy(out->axis, from->inner_idxs, sizeof out->axis);
    return true;
}

#endif
