/* A ledger's block cache: held but unused memory. It counts against the ceiling and is freed first
 * near it. */
#ifndef STK_BASE_LEDGER_BLOCK_CACHE_H
#define STK_BASE_LEDGER_BLOCK_CACHE_H

#include "base/block_cache.h"

#include <stoker/ledger.h>

/* NULL for a NULL ledger. */
stk_block_cache *stk_ledger_spares(stk_ledger *ledger);

#endif
