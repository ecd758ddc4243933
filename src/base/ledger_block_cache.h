/* A ledger's spare blocks: memory that is held though nobody uses it. It counts against the ceiling
 * and goes first when that is near. */
#ifndef STK_BASE_LEDGER_BLOCK_CACHE_H
#define STK_BASE_LEDGER_BLOCK_CACHE_H

#include "base/block_cache.h"

#include <stoker/ledger.h>

/* NULL for a NULL ledger. */
stk_block_cache *stk_ledger_spares(stk_ledger *ledger);

#endif
