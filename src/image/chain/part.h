/* What the time of a chain is told by. Part 0 is decoding; part 1 + i is step i: painting, or a
 * pass over the pixels that carries step i out together with steps after it; the last part is a
 * pass that only copies. */
#ifndef STK_IMAGE_CHAIN_PART_H
#define STK_IMAGE_CHAIN_PART_H

#include "image/chain/chain.h"

size_t stk_chain_part_count(const stk_chain *chain);
/* "random_resized_crop + flip + normalize": what is done in that part. Returns text. */
char *stk_chain_part_name(const stk_chain *chain, size_t part, char *text, size_t capacity);

#endif
