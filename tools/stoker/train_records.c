/* Records of a run. The start that trained the steps writes them; a start without steps only
 * recreates missing files. */
#include "train_records.h"

#include "profile_files.h"
#include "train_curve.h"

#include <stdio.h>

enum { PATH_CAPACITY = STK_TRAIN_PATH + 32 };

void cli_train_records_init(cli_train_records *records)
{
    *records = (cli_train_records){0};
    stk_profile_init(&records->profile);
}

void cli_train_records_release(cli_train_records *records)
{
    stk_profile_release(&records->profile);
}

/* Reports a failure; returns whether it was written. */
static bool is_written(const char *what, stk_status st, const stk_error *err)
{
    char line[1024];
    if (!st) return true;
    fprintf(stderr, "stoker train: %s could not be written: %s\n", what,
            stk_error_line(err, line, sizeof line));
    return false;
}

static const char *path_of(const cli_train_records *r, const char *name, char path[PATH_CAPACITY])
{
    snprintf(path, PATH_CAPACITY, "%s/%s", stk_trainer_folder(r->trainer), name);
    return path;
}

static bool is_there(const cli_train_records *r, const char *name)
{
    char          path[PATH_CAPACITY];
    stk_file_info info;
    stk_error     unasked;
    return !stk_path_info(NULL, path_of(r, name, path), &info, &unasked) &&
           info.kind == STK_FILE_REGULAR;
}

bool cli_train_records_curve(const cli_train_records *records, const cli_style *style, bool shown)
{
    const char *folder = stk_trainer_folder(records->trainer);
    cli_curve   curve;
    stk_error   err;
    stk_status  st = cli_curve_read(&curve, folder, &err);
    if (!st && curve.count) st = cli_curve_save(&curve, folder, &err);
    if (!st && shown) st = cli_curve_print(&curve, style, &err);
    cli_curve_release(&curve);
    return is_written("the curve", st, &err);
}

/* The diagnosis is made even if the profile cannot be saved. */
static bool save_profile(cli_train_records *r)
{
    char       path[PATH_CAPACITY];
    stk_error  err;
    stk_status st = stk_trainer_profile(r->trainer, &r->profile, &err);
    if (!st) st = stk_profile_take_resources(&r->profile, r->monitor, &err);
    cli_profile_command_line(r->profile.run.command, sizeof r->profile.run.command);
    r->has_profile = !st;
    if (!st) st = stk_diagnose(&r->diagnosis, &r->profile, &err);
    r->has_diagnosis = !st;
    if (r->has_profile && !st)
        st = stk_profile_save(&r->profile, path_of(r, "profile.json", path), &err);
    return is_written("the profile", st, &err);
}

/* Progress is saved as a file, so that 'stoker diagnose' can recreate the page. */
static bool save_learning(const cli_train_records *r)
{
    stk_error err;
    return is_written("the course of learning",
                      cli_train_learning_save(r->learning, stk_trainer_folder(r->trainer), &err),
                      &err);
}

static bool save_page(const cli_train_records *r, const stk_profile *profile,
                      const stk_diagnosis *diagnosis)
{
    char      path[PATH_CAPACITY];
    stk_error err;
    return is_written("the report",
                      cli_profile_save_page(profile, diagnosis, NULL, NULL,
                                            stk_trainer_folder(r->trainer),
                                            path_of(r, "report.html", path), &err),
                      &err);
}

/* From the files of the start that trained. */
static bool remake_page(const cli_train_records *r)
{
    char          path[PATH_CAPACITY];
    stk_profile   profile;
    stk_diagnosis diagnosis;
    stk_error     err;
    stk_profile_init(&profile);
    stk_status st = stk_profile_load(&profile, path_of(r, "profile.json", path), &err);
    if (!st) st = stk_diagnose(&diagnosis, &profile, &err);
    const bool made = st ? is_written("the report", st, &err) : save_page(r, &profile, &diagnosis);
    stk_profile_release(&profile);
    return made;
}

static bool save_missing(const cli_train_records *r)
{
    bool all = true;
    if (r->judged || !is_there(r, "learning.json")) all = save_learning(r);
    if (!is_there(r, "profile.json")) {
        fprintf(stderr, "profile.json is missing: only a start that trains can write it, and there "
                        "is nothing left to train\n");
        return all;
    }
    return (!r->judged && is_there(r, "report.html")) || remake_page(r) ? all : false;
}

bool cli_train_records_save(cli_train_records *records)
{
    if (records->idle) return save_missing(records);
    const bool profile = save_profile(records), learning = save_learning(records);
    if (!records->has_diagnosis) return false;
    return save_page(records, &records->profile, &records->diagnosis) && profile && learning;
}
