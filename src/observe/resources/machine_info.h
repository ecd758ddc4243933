/* Static properties of the machine. */
#ifndef STK_OBSERVE_RESOURCES_MACHINE_INFO_H
#define STK_OBSERVE_RESOURCES_MACHINE_INFO_H

#include "observe/resources/sources.h"

/* Fills all but the GPUs. root: the folder that fs was opened with. */
void stk_machine_describe(stk_machine_info *machine, stk_procfs *fs, const char *root);

#endif
