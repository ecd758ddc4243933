/* "STKP", version, head, state of the root node, CRC-32C of all before it. Version 2, written only
 * if needed, adds the number of results to skip. */
#include "pipeline/iterator/iterator_checkpoint.h"

#include "base/crc32c.h"

#include <inttypes.h>

enum { PLAIN = 1, WITH_AFTER = 2, MAGIC_BYTES = 4, CRC_BYTES = 4 };

static const char magic[] = "STKP";

static stk_status put_crc(stk_blob *out, size_t from, stk_error *err)
{
    const uint32_t crc = stk_crc32c(0, out->data + from, out->size - from);
    uint8_t        bytes[CRC_BYTES];
    for (int i = 0; i < CRC_BYTES; i++)
        bytes[i] = (uint8_t)(crc >> (8 * i));
    return stk_blob_append(out, bytes, sizeof bytes, err);
}

static stk_status write_head(stk_blob *blob, const stk_checkpoint *head, stk_error *err)
{
    stk_state_out out = {.blob = blob};
    STK_TRY(stk_blob_append(blob, magic, MAGIC_BYTES, err));
    STK_TRY(stk_state_put_u64(&out, head->after ? WITH_AFTER : PLAIN, err));
    STK_TRY(stk_state_put_u64(&out, head->fingerprint, err));
    STK_TRY(stk_state_put_u64(&out, head->seed, err));
    STK_TRY(stk_state_put_u64(&out, head->generation, err));
    STK_TRY(stk_state_put_u64(&out, head->elements, err));
    return head->after ? stk_state_put_u64(&out, head->after, err) : STK_OK;
}

static stk_status write_all(stk_blob *blob, const stk_checkpoint *head, stk_node *root,
                            stk_error *err)
{
    const size_t  from = blob->size;
    stk_state_out out = {.blob = blob};
    STK_TRY(write_head(blob, head, err));
    STK_TRY(stk_node_save(root, &out, err));
    return put_crc(blob, from, err);
}

stk_status stk_checkpoint_write(stk_blob *out, const stk_checkpoint *head, stk_node *root,
                                stk_error *err)
{
    const size_t before = out->size;
    stk_status   st = write_all(out, head, root, err);
    if (st) out->size = before;
    return st;
}

stk_status stk_checkpoint_write_state(stk_blob *out, const stk_checkpoint *head, stk_bytes state,
                                      stk_error *err)
{
    const size_t before = out->size;
    stk_status   st = write_head(out, head, err);
    if (!st) st = stk_blob_append(out, state.data, state.size, err);
    if (!st) st = put_crc(out, before, err);
    if (st) out->size = before;
    return st;
}

static bool crc_is_right(stk_bytes saved)
{
    const size_t size = saved.size - CRC_BYTES;
    uint32_t     want = 0;
    for (int i = 0; i < CRC_BYTES; i++)
        want |= (uint32_t)saved.data[size + (size_t)i] << (8 * i);
    return stk_crc32c(0, saved.data, size) == want;
}

stk_status stk_checkpoint_read(stk_bytes saved, stk_checkpoint *head, stk_state_in *in,
                               const stk_dataset *plan, stk_error *err)
{
    uint64_t version;
    *in = (stk_state_in){.component = "checkpoint"};
    if (saved.size < MAGIC_BYTES + CRC_BYTES || memcmp(saved.data, magic, MAGIC_BYTES) != 0)
        return stk_fail(err, STK_E_DATALOSS, "checkpoint", NULL,
                        "these %zu bytes are no checkpoint of a pipeline", saved.size);
    if (!crc_is_right(saved))
        return stk_fail(err, STK_E_DATALOSS, "checkpoint", NULL,
                        "the checkpoint is damaged (its checksum is wrong); go back to an older "
                        "one");
    in->left = stk_bytes_of(saved.data + MAGIC_BYTES, saved.size - MAGIC_BYTES - CRC_BYTES);
    STK_TRY(stk_state_get_u64(in, &version, err));
    if (version != PLAIN && version != WITH_AFTER)
        return stk_fail(err, STK_E_INVALID, "checkpoint", NULL,
                        "the checkpoint has version %" PRIu64 ", this program reads %d and %d",
                        version, PLAIN, WITH_AFTER);
    STK_TRY(stk_state_get_u64(in, &head->fingerprint, err));
    STK_TRY(stk_state_get_u64(in, &head->seed, err));
    STK_TRY(stk_state_get_u64(in, &head->generation, err));
    STK_TRY(stk_state_get_u64(in, &head->elements, err));
    head->after = 0;
    if (version == WITH_AFTER) STK_TRY(stk_state_get_u64(in, &head->after, err));
    if (head->fingerprint != plan->fingerprint)
        return stk_fail(err, STK_E_INVALID, "checkpoint", NULL,
                        "the checkpoint is of another pipeline (%016" PRIx64 ", this one is "
                        "%016" PRIx64 "): stages, parameters and passes must be the same",
                        head->fingerprint, plan->fingerprint);
    return STK_OK;
}
