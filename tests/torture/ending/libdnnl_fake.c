/* Called like oneDNN, by its name: takes memory, and ends the process. */
#include "libdnnl_fake.h"

#include <stdlib.h>

void libdnnl_fake_take(void)
{
    free(malloc(64));
}

void libdnnl_fake_end(void)
{
    abort();
}
