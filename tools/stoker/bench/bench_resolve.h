/* A recipe for steps without data. */
#ifndef CLI_TOOLS_BENCH_RESOLVE_H
#define CLI_TOOLS_BENCH_RESOLVE_H

#include <stoker/train.h>

/* Settles what is not said as for training, on images as the network likes them. classes 0: the
 * network's. */
STK_NODISCARD stk_status cli_bench_resolve(stk_train_recipe *recipe, int64_t classes,
                                           stk_error *err);

#endif
