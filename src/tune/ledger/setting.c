/* Settings: what differs from the start. */
#include <stdio.h>
#include <stoker/tune.h>
#include <string.h>

static size_t place_of(const stk_tune_setting *setting, const char *key)
{
    size_t at = 0;
    while (at < setting->count && strcmp(setting->list[at].key, key) < 0)
        at++;
    return at;
}

stk_status stk_tune_setting_set(stk_tune_setting *setting, const char *key, const char *value,
                                stk_error *err)
{
    const size_t at = place_of(setting, key);
    const bool   there = at < setting->count && strcmp(setting->list[at].key, key) == 0;
    if (strlen(key) >= STK_TUNE_KEY || strlen(value) >= STK_TUNE_VALUE)
        return stk_fail(err, STK_E_LIMIT, "tune", key,
                        "'%.80s' is too long for a setting: %d bytes at most", value,
                        STK_TUNE_VALUE - 1);
    if (!there && setting->count == STK_TUNE_KEYS)
        return stk_fail(err, STK_E_LIMIT, "tune", key, "more than %d keys in one setting",
                        STK_TUNE_KEYS);
    stk_tune_assignment *one = &setting->list[at];
    if (!there) {
        memmove(one + 1, one, (setting->count - at) * sizeof *one);
        setting->count++;
    }
    *one = (stk_tune_assignment){{0}, {0}};
    snprintf(one->key, sizeof one->key, "%s", key);
    snprintf(one->value, sizeof one->value, "%s", value);
    return STK_OK;
}

const char *stk_tune_setting_get(const stk_tune_setting *setting, const char *key)
{
    const size_t at = place_of(setting, key);
    return at < setting->count && strcmp(setting->list[at].key, key) == 0 ? setting->list[at].value
                                                                          : NULL;
}

bool stk_tune_setting_equal(const stk_tune_setting *a, const stk_tune_setting *b)
{
    if (a->count != b->count) return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->list[i].key, b->list[i].key) != 0 ||
            strcmp(a->list[i].value, b->list[i].value) != 0)
            return false;
    return true;
}

char *stk_tune_setting_text(const stk_tune_setting *setting, char *text, size_t capacity)
{
    size_t used = 0;
    snprintf(text, capacity, "%s", setting->count ? "" : "as it was");
    for (size_t i = 0; i < setting->count && used < capacity; i++)
        used += (size_t)snprintf(text + used, capacity - used, "%s%s=%s", i ? ", " : "",
                                 setting->list[i].key, setting->list[i].value);
    return text;
}
