/* Memory of the host that a device copies from and to by itself. */
#ifndef STK_BACKEND_LENDABLE_H
#define STK_BACKEND_LENDABLE_H

#include "backend/backend.h"

typedef struct stk_lendable stk_lendable;

/* After everything that was taken was given back. NULL is fine. */
void stk_lendable_free(stk_lendable *lendable);

#endif
