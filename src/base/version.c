/* The version of the library that is loaded. */
#include <stoker/version.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

const char *stk_version(void)
{
    return TEXT(STK_VERSION_MAJOR) "." TEXT(STK_VERSION_MINOR) "." TEXT(STK_VERSION_PATCH);
}
