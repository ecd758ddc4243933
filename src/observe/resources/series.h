/* Samples of a complete run in bounded memory. */
#ifndef STK_OBSERVE_RESOURCES_SERIES_H
#define STK_OBSERVE_RESOURCES_SERIES_H

#include <stoker/resources.h>

typedef struct stk_series {
    stk_resource_sample *samples;
    size_t               count, capacity;
    size_t               merged; /* samples merged into each entry */
    size_t               part;   /* of them, those in the last entry */
    stk_resource_sample  peaks;
} stk_series;

/* capacity: at least 2. */
STK_NODISCARD stk_status stk_series_init(stk_series *series, size_t capacity, stk_error *err);
void                     stk_series_release(stk_series *series);
void                     stk_series_add(stk_series *series, const stk_resource_sample *sample);

#endif
