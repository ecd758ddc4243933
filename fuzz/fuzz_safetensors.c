/* safetensors files. Odd first bytes: the rest is a file. Even: the rest is the size of the data
 * (two bytes) and a header, which gets its right length, so that what lies behind that is reached.
 * A file that opens has tensors whose places fill the data, in order; each is found by name and
 * read. All memory is given back. */
#include "memory_filesystem.h"

#include <stoker/stoker.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CEILING = 64 << 20, PREFIX = 8 };

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

static void look_through(const stk_safetensors *file, stk_bytes content)
{
    stk_error err;
    uint64_t  end = 0;
    for (size_t i = 0; i < stk_safetensors_count(file); i++) {
        const stk_safetensors_tensor *t = stk_safetensors_at(file, i);
        demand(stk_safetensors_find(file, t->name) == t);
        demand((i == 0 || t->offset == end) && t->offset + t->bytes <= content.size);
        end = t->offset + t->bytes;
        uint8_t *capacity = malloc(t->bytes ? (size_t)t->bytes : 1);
        demand(capacity != NULL);
        const stk_status st = stk_safetensors_read(file, t, capacity, &err);
        demand(!st || (st == STK_E_DATALOSS && t->has_crc32c));
        demand(!t->bytes || !memcmp(capacity, content.data + t->offset, (size_t)t->bytes));
        free(capacity);
    }
    if (stk_safetensors_count(file)) demand(end == content.size);
    for (size_t i = 0; i < stk_safetensors_text_count(file); i++)
        demand(stk_safetensors_text(file, stk_safetensors_text_key(file, i)) != NULL);
}

static void open_all(stk_bytes content)
{
    stk_error               err = {0};
    stk_ledger_report       report;
    stk_safetensors        *file;
    stk_safetensors_options options = {0};
    const memory_filesystem memory = memory_filesystem_of("fuzz.safetensors", content);
    demand(!stk_ledger_new(&options.ledger, CEILING, &err));
    if (stk_safetensors_open(&file, &memory.fs, memory.path, &options, &err))
        demand(!file && err.message[0]);
    else
        look_through(file, content);
    stk_safetensors_free(file);
    stk_ledger_read(options.ledger, &report);
    demand(!report.bytes);
    stk_ledger_unref(options.ledger);
}

static void open_framed(const uint8_t *data, size_t size)
{
    const size_t data_bytes = (size_t)data[0] | (size_t)data[1] << 8, header = size - 2;
    const size_t whole = PREFIX + header + data_bytes;
    uint8_t     *content = calloc(1, whole);
    demand(content != NULL);
    for (int i = 0; i < PREFIX; i++)
        content[i] = (uint8_t)((uint64_t)header >> 8 * i);
    memcpy(content + PREFIX, data + 2, header);
    open_all(stk_bytes_of(content, whole));
    free(content);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3) return 0;
    if (data[0] & 1)
        open_all(stk_bytes_of(data + 1, size - 1));
    else
        open_framed(data + 1, size - 1);
    return 0;
}
