/* The list beside the blocks that a cache of files keeps on a disk. First byte: whether the rest is
 * the file as it is, or gets the checksum that it needs to be looked into. */
#include "base/crc32c.h"
#include "storage/file/cached_table.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { CEILING = 64 << 20, SUM_BYTES = 8 };

static void demand(int condition)
{
    if (!condition) __builtin_trap();
}

static void put_sum(stk_blob *list)
{
    stk_error      err;
    uint8_t        sum[SUM_BYTES] = {0};
    const uint32_t crc = stk_crc32c(0, list->data, list->size);
    for (int i = 0; i < 4; i++)
        sum[i] = (uint8_t)(crc >> (8 * i));
    demand(!stk_blob_append(list, sum, sizeof sum, &err));
}

/* What was believed lies inside of what the list speaks of. */
static void check(const stk_cached_table *table, uint64_t used)
{
    for (size_t i = 0; i < table->capacity; i++)
        for (const stk_cached_entry *one = table->buckets[i]; one; one = one->next) {
            demand(stk_cached_table_find(table, one->path) != NULL);
            for (size_t k = 0; k < one->count; k++) {
                const stk_cached_block *block = &one->blocks[k];
                const size_t            bytes = stk_cached_block_bytes(one, k);
                if (block->state == STK_CACHED_THERE)
                    demand(block->at <= used && bytes <= used - block->at);
            }
        }
}

/* What is written again says the same. */
static void read_again(const stk_cached_table *table, stk_ledger *ledger, uint64_t used)
{
    stk_error        err;
    stk_cached_table again = {.ledger = ledger};
    stk_blob         list;
    uint64_t         used_again;
    stk_blob_init(&list, NULL, STK_MEMORY_OUTPUT);
    demand(!stk_cached_list_encode(table, &list, &err));
    demand(stk_cached_list_decode(&again, stk_blob_bytes(&list), &used_again));
    demand(again.count == table->count && used_again <= used);
    stk_cached_table_release(&again);
    stk_blob_release(&list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    stk_error         err;
    stk_ledger       *ledger;
    stk_ledger_report report;
    stk_blob          list;
    uint64_t          used;
    stk_blob_init(&list, NULL, STK_MEMORY_INDEX);
    if (size > 1) demand(!stk_blob_append(&list, data + 1, size - 1, &err));
    if (data[0] & 1) put_sum(&list);
    demand(!stk_ledger_new(&ledger, CEILING, &err));
    stk_cached_table table = {.ledger = ledger};
    if (stk_cached_list_decode(&table, stk_blob_bytes(&list), &used)) {
        check(&table, used);
        read_again(&table, ledger, used);
    } else {
        demand(used == 0 && table.count == 0);
    }
    stk_cached_table_release(&table);
    stk_ledger_read(ledger, &report);
    demand(report.bytes == 0);
    stk_ledger_unref(ledger);
    stk_blob_release(&list);
    return 0;
}
