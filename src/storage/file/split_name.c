/* The names of splits. A name is cut into words; one of them says what it is for, and the others
 * say nothing ("set", "images"). With any other word it is no split: "test_tubes" is a class. */
#include "storage/file/split_name.h"

#include "storage/file/paths.h"

#include <string.h>

typedef struct word {
    const char *text;
    size_t      length;
} word;

/* The plainest first: they are found in this order. */
static const struct {
    const char    *name;
    stk_split_role role;
} roles[] = {
    {"train", STK_SPLIT_TRAIN},      {"training", STK_SPLIT_TRAIN},
    {"val", STK_SPLIT_VALIDATION},   {"validation", STK_SPLIT_VALIDATION},
    {"valid", STK_SPLIT_VALIDATION}, {"validate", STK_SPLIT_VALIDATION},
    {"dev", STK_SPLIT_VALIDATION},   {"devel", STK_SPLIT_VALIDATION},
    {"eval", STK_SPLIT_VALIDATION},  {"evaluation", STK_SPLIT_VALIDATION},
    {"test", STK_SPLIT_TEST},        {"testing", STK_SPLIT_TEST},
};

static const char *const fillers[] = {"set", "data",   "dataset",  "images", "image",  "imgs",
                                      "img", "photos", "pictures", "split",  "folder", "seg"};

enum { ROLES = sizeof roles / sizeof *roles, FILLERS = sizeof fillers / sizeof *fillers };

static bool begins(word w, const char *text)
{
    const size_t length = strlen(text);
    for (size_t i = 0; i < length; i++)
        if (i >= w.length || stk_path_lower(w.text[i]) != text[i]) return false;
    return true;
}

static bool is(word w, const char *text)
{
    return w.length == strlen(text) && begins(w, text);
}

static bool is_filler(word w)
{
    for (size_t i = 0; i < FILLERS; i++)
        if (is(w, fillers[i])) return true;
    return false;
}

/* Index in roles of "train" or "trainset"; ROLES: none. */
static size_t find_role(word w)
{
    for (size_t i = 0; i < ROLES; i++) {
        const size_t length = strlen(roles[i].name);
        if (!begins(w, roles[i].name)) continue;
        const word rest = {w.text + length, w.length - length};
        if (!rest.length || is_filler(rest)) return i;
    }
    return ROLES;
}

static word next_word(const char *text, const char *end)
{
    const char *stop = text;
    while (stop < end && !strchr("-_. ", *stop))
        stop++;
    return (word){text, (size_t)(stop - text)};
}

static size_t bucket_of(const char *name, size_t length)
{
    const char *end = name + length;
    size_t      found = ROLES;
    for (const char *at = name; at < end;) {
        const word   w = next_word(at, end);
        const size_t role = w.length ? find_role(w) : ROLES;
        if (role < ROLES && found < ROLES) return ROLES; /* "train_test": both, so neither */
        if (role < ROLES)
            found = role;
        else if (w.length && !is_filler(w))
            return ROLES;
        at += w.length + 1;
    }
    return found;
}

stk_split_role stk_split_role_of(const char *name, size_t length)
{
    const size_t bucket = bucket_of(name, length);
    return bucket < ROLES ? roles[bucket].role : STK_SPLIT_OTHER;
}

bool stk_path_is_split(const char *name, size_t length)
{
    return bucket_of(name, length) < ROLES;
}

size_t stk_split_find_role(const char *const *names, size_t count, stk_split_role role)
{
    size_t best = count, bucket = ROLES;
    for (size_t i = 0; i < count; i++) {
        const size_t here = bucket_of(names[i], strlen(names[i]));
        if (here >= bucket || roles[here].role != role) continue;
        best = i;
        bucket = here;
    }
    return best;
}

size_t stk_split_find(const char *const *names, size_t count, const char *wanted)
{
    const stk_split_role role = stk_split_role_of(wanted, strlen(wanted));
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], wanted) == 0) return i;
    for (size_t i = 0; i < count; i++)
        if (stk_path_same(names[i], wanted)) return i;
    return role == STK_SPLIT_OTHER ? count : stk_split_find_role(names, count, role);
}
