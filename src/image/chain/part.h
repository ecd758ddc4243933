/* The timed parts of a chain. Part 0 is decoding; part 1 + i is step i: a pixel op, or a pass over
 * the pixels that fuses step i with following steps; the last part is a plain copy. */
#ifndef STK_IMAGE_CHAIN_PART_H
#define STK_IMAGE_CHAIN_PART_H

#include "image/chain/chain.h"

size_t stk_chain_part_count(const stk_chain *chain);
/* Writes the name of a part, "random_resized_crop + flip + normalize". Returns text. */
char *stk_chain_part_name(const stk_chain *chain, size_t part, char *text, size_t capacity);

#endif
