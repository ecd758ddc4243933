/* Work for nothing: a fault that costs a core's time must not cost less because the core was taken
 * away meanwhile, so it is counted in rounds and not by the clock. */
#ifndef STK_TRAIN_FAULTS_BURN_H
#define STK_TRAIN_FAULTS_BURN_H

#include <stdint.h>

/* Rounds that an undisturbed core does in a second: takes some milliseconds. */
double stk_burn_measure(void);
void   stk_burn(double rounds);
void   stk_burn_sleep(double seconds);

#endif
