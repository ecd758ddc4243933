/* stoker/version.h - which Stoker this is. */
#ifndef STOKER_VERSION_H
#define STOKER_VERSION_H

#include <stoker/export.h>

STK_BEGIN_DECLS

#define STK_VERSION_MAJOR 0
#define STK_VERSION_MINOR 1
#define STK_VERSION_PATCH 0

/* "0.1.0": of the library that is loaded, which may differ from the header's. */
STK_API const char *stk_version(void);

STK_END_DECLS
#endif
