/* Encodes chains as edits, which a device applies to images that it holds. */
#ifndef STK_IMAGE_CHAIN_CHAIN_EDIT_H
#define STK_IMAGE_CHAIN_CHAIN_EDIT_H

#include "image/chain/chain.h"

/* The edit that makes of an image of this size (decoded: the chain's decode does not count) what
 * stk_chain_run makes of it with the same randoms: the same bits, but for warps, whose numbers an
 * edit has as float32. By the nearest filter, of images above 128 pixels a side, less than one
 * pixel in 10,000 is a neighbour's; by the bilinear one less than 1 % differ by a level and less
 * than one in 10,000, at the image's edge, by more. out->source and the partner are the caller's.
 *
 * What there is no edit for is STK_E_UNSUPPORTED with the operation as its stage: resizing, a
 * second window that reaches outside, windows after what depends on places, operations without a
 * step, more than STK_EDIT_OPS steps, and whatever says how the result is written. */
STK_NODISCARD stk_status stk_chain_edit(const stk_chain *chain, const stk_image_size *source,
                                        const stk_random *randoms, stk_edit *out, stk_error *err);

/* Whether stk_chain_edit supports the chain and all results have one size (see stk_chain_measure).
 * Tries many random numbers, with every step applied. */
STK_NODISCARD stk_status stk_chain_can_edit(const stk_chain *chain, const stk_image_size *source,
                                            stk_error *err);

#endif
