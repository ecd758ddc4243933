/* Kinds of sources, from the library's table. */
#include "source_kinds.h"

#include "text.h"

#include <stoker/source.h>
#include <string.h>

const char *cli_source_kind_choice(size_t index)
{
    size_t                 count;
    const stk_source_kind *kinds = stk_source_kinds(&count);
    return index < count ? kinds[index].name : NULL;
}

const char *cli_inspect_kind_choice(size_t index)
{
    const char *name;
    size_t      listed = 1;
    if (index == 0) return "tfrecord";
    for (size_t i = 0; (name = cli_source_kind_choice(i)) != NULL; i++)
        if (strcmp(name, "tfrecord") != 0 && listed++ == index) return name;
    return NULL;
}

void cli_source_kinds_print(FILE *out, int width)
{
    size_t                 count;
    const stk_source_kind *kinds = stk_source_kinds(&count);
    fprintf(out, "\nKinds of sources (found out by looking; --kind decides):\n");
    for (size_t i = 0; i < count; i++) {
        const int column = fprintf(out, "  %s", kinds[i].name);
        cli_text_wrap(out, kinds[i].description, column, 14, width);
    }
}
