/* Tensors in memory to a safetensors file: checksums in a first pass, bytes in a second. */
#include "storage/weights/safetensors_format.h"

static stk_bytes data_of(const stk_safetensors_item *item, uint64_t bytes)
{
    return stk_bytes_of(bytes ? item->data : "", (size_t)bytes);
}

static stk_status describe(stk_safetensors_writer *writer, const stk_safetensors_item *item,
                           stk_error *err)
{
    uint64_t bytes = 0;
    uint32_t crc = 0;
    /* Invalid input is left to the writer, which knows the file. */
    if (!stk_safetensors_bytes(item->dtype, &item->shape, &bytes, NULL) &&
        stk_safetensors_dtype_name(item->dtype))
        crc = stk_safetensors_crc32c(data_of(item, bytes));
    return stk_safetensors_writer_add(writer, item->name, item->dtype, &item->shape, &crc, err);
}

static stk_status write_all(stk_safetensors_writer *writer, const stk_safetensors_item *items,
                            size_t count, const stk_safetensors_text_item *texts, size_t text_count,
                            stk_error *err)
{
    size_t index;
    for (size_t i = 0; i < text_count; i++)
        STK_TRY(stk_safetensors_writer_text(writer, texts[i].key, texts[i].text, err));
    for (size_t i = 0; i < count; i++)
        STK_TRY(describe(writer, &items[i], err));
    for (;;) {
        uint64_t bytes;
        STK_TRY(stk_safetensors_writer_next(writer, &index, err));
        if (index == SIZE_MAX) return stk_safetensors_writer_commit(writer, err);
        STK_TRY(stk_safetensors_bytes(items[index].dtype, &items[index].shape, &bytes, err));
        STK_TRY(stk_safetensors_writer_write(writer, data_of(&items[index], bytes), err));
    }
}

stk_status stk_safetensors_save(const stk_filesystem *fs, const char *path,
                                const stk_safetensors_item *items, size_t count,
                                const stk_safetensors_text_item *texts, size_t text_count,
                                stk_ledger *ledger, stk_error *err)
{
    stk_safetensors_writer *writer;
    STK_TRY(stk_safetensors_writer_open(&writer, fs, path, ledger, err));
    const stk_status st = write_all(writer, items, count, texts, text_count, err);
    stk_safetensors_writer_free(writer);
    return st;
}
