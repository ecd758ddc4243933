/* Locates and loads plug-ins. */
#include "compute/runtime/plugin.h"
#include "base/trusted.h"
#include <ctype.h>
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CANDIDATES = 2 };

const char *stk_plugin_build(void)
{
    return STOKER_BUILD;
}

/* Asks the driver's library, which is present without the CUDA toolkit. */
bool stk_plugin_has_device(const char *name)
{
    int (*init)(unsigned);
    int (*count)(int *);
    int devices = 0;
    if (strcmp(name, "cuda") != 0) return false;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NODELETE);
    if (!driver) return false;
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&count = dlsym(driver, "cuDeviceGetCount");
    bool found = init && count && init(0) == 0 && count(&devices) == 0 && devices > 0;
    dlclose(driver);
    return found;
}

typedef struct candidates {
    char path[CANDIDATES][PATH_MAX];
    int  count;
} candidates;

static void add_candidate(candidates *p, const char *folder, const char *more, const char *name)
{
    int length = snprintf(p->path[p->count], PATH_MAX, "%s%s/libstoker_%s.so", folder, more, name);
    if (length > 0 && length < PATH_MAX) p->count++;
}

/* Path of the object that contains this function, links resolved, since other users may control a
 * link's folder. The loader knows the program itself only by its caller's name for it. A library
 * found by a relative name has no path that is still valid. */
static bool loaded_file(char file[PATH_MAX])
{
    Dl_info          info;
    struct link_map *map = NULL;
    if (!dladdr1((const void *)&stk_plugin_load, &info, (void **)&map, RTLD_DL_LINKMAP) || !map)
        return false;
    if (!*map->l_name) return realpath("/proc/self/exe", file);
    return *map->l_name == '/' && realpath(map->l_name, file);
}

/* $STOKER_PLUGIN_NAME, or the folders beside this object. */
static void list_candidates(candidates *p, const char *name)
{
    char variable[64], folder[PATH_MAX];
    p->count = 0;
    snprintf(variable, sizeof variable, "STOKER_PLUGIN_%s", name);
    for (char *c = variable; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    const char *said = stk_trusted_variable(variable);
    if (said && strlen(said) < PATH_MAX) {
        strcpy(p->path[p->count++], said);
        return;
    }
    if (!loaded_file(folder)) return;
    *strrchr(folder, '/') = '\0';
    add_candidate(p, folder, "", name);
    add_candidate(p, folder, "/" STOKER_LIBRARIES, name);
}

static stk_status not_found(const candidates *p, const char *name, stk_error *err)
{
    char all[384] = "";
    for (int i = 0; i < p->count; i++) {
        if (i) strncat(all, ", ", sizeof all - strlen(all) - 1);
        strncat(all, p->path[i], sizeof all - strlen(all) - 1);
    }
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", name,
                    "its file was not found; looked for %s. Build it (nvcc and cuDNN are needed) "
                    "or use --backend cpu",
                    all);
}

static stk_status check_entry(void *library, const char *path, const char *name,
                              const stk_backend **out, stk_error *err)
{
    stk_plugin_entry *entry;
    const char       *build = "another";
    *(void **)&entry = dlsym(library, STK_PLUGIN_ENTRY);
    if (!entry)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", path,
                        "this is no backend of Stoker: it has no %s", STK_PLUGIN_ENTRY);
    *out = entry(stk_plugin_build(), &build);
    if (*out) return STK_OK;
    return stk_fail(err, STK_E_UNSUPPORTED, "backend", path,
                    "it was built from other sources (%s) than this library (%s); build and "
                    "install both again, or use another backend than %s",
                    build, stk_plugin_build(), name);
}

static stk_status load(const char *path, const char *name, const stk_backend **out, stk_error *err)
{
    char real[PATH_MAX];
    STK_TRY(stk_trusted_file(path, "backend", real, err));
    void *library = dlopen(real, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library)
        return stk_fail(err, STK_E_UNSUPPORTED, "backend", name, "it cannot be loaded: %s",
                        dlerror());
    stk_status st = check_entry(library, real, name, out, err);
    dlclose(library);
    return st;
}

stk_status stk_plugin_load(const char *name, const stk_backend **out, stk_error *err)
{
    candidates p;
    *out = NULL;
    list_candidates(&p, name);
    for (int i = 0; i < p.count; i++)
        if (access(p.path[i], F_OK) == 0) return load(p.path[i], name, out, err);
    return not_found(&p, name, err);
}
