/* The header of a safetensors file, read and checked. */
#ifndef STK_STORAGE_WEIGHTS_SAFETENSORS_HEADER_H
#define STK_STORAGE_WEIGHTS_SAFETENSORS_HEADER_H

#include "base/arena.h"
#include "storage/weights/safetensors_format.h"

typedef struct stk_safetensors_header {
    stk_safetensors_tensor        *tensors; /* by place */
    const stk_safetensors_tensor **by_name;
    size_t                         count;
    stk_safetensors_text_item     *texts;
    size_t                         text_count;
    stk_arena                      arena; /* all of the above */
} stk_safetensors_header;

void stk_safetensors_header_init(stk_safetensors_header *header, stk_ledger *ledger);
void stk_safetensors_header_release(stk_safetensors_header *header);

/* Fills header from its JSON text. data_offset is where the data begins, file_bytes where it ends.
 * path is for errors; err is not NULL. */
STK_NODISCARD stk_status stk_safetensors_header_parse(stk_safetensors_header *header,
                                                      stk_bytes text, uint64_t data_offset,
                                                      uint64_t file_bytes, bool skip_checksums,
                                                      const char *path, stk_error *err);

const stk_safetensors_tensor *stk_safetensors_header_find(const stk_safetensors_header *header,
                                                          const char                   *name);

#endif
