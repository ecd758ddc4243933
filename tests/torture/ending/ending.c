/* ending OURS|THEIRS [TAKEN]: takes memory itself first, with TAKEN in the library, too; then ends
 * here or in the library. For test_harness.py, which lets all allocations fail. */
#include "libdnnl_fake.h"

#include <stdlib.h>
#include <string.h>

int main(int count, char **arguments)
{
    free(malloc(64));
    if (count > 2) libdnnl_fake_take();
    if (count > 1 && !strcmp(arguments[1], "THEIRS")) libdnnl_fake_end();
    abort();
}
