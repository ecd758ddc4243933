/* stoker: finds the subcommand, parses its flags, runs it. */
#include "command.h"
#include "signals.h"
#include "text.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <stoker/version.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const cli_command *const commands[] = {
    &cli_command_pack,    &cli_command_inspect,  &cli_command_show,       &cli_command_train,
    &cli_command_eval,    &cli_command_predict,  &cli_command_lr_find,    &cli_command_bench,
    &cli_command_profile, &cli_command_diagnose, &cli_command_tune,       &cli_command_compare,
    &cli_command_watch,   &cli_command_trace,    &cli_command_lint,       &cli_command_replay,
    &cli_command_models,  &cli_command_backends, &cli_command_completion,
};

const cli_command *cli_command_at(size_t index)
{
    return index < sizeof commands / sizeof *commands ? commands[index] : NULL;
}

const cli_command *cli_command_find(const char *name)
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        if (strcmp(command->name, name) == 0) return command;
    return NULL;
}

const char *cli_command_word(const cli_command *part)
{
    const char *space = strrchr(part->name, ' ');
    return space ? space + 1 : part->name;
}

/* The subcommand named by a word, which is removed from argv; else the command itself. Flags may
 * precede it. */
static const cli_command *choose_part(const cli_command *command, int *argc, char **argv)
{
    for (int i = 0; command->parts && i < *argc && (i == 0 || argv[0][0] == '-'); i++)
        for (const cli_command *const *part = command->parts; *part; part++) {
            if (strcmp(argv[i], cli_command_word(*part)) != 0) continue;
            memmove(&argv[i], &argv[i + 1], (size_t)(--*argc - i) * sizeof *argv);
            return *part;
        }
    return command;
}

int cli_report_error(const cli_command *command, const stk_error *err, const char *advice)
{
    char line[1024];
    fprintf(stderr, "stoker %s: ", command->name);
    cli_text_print(stderr,
                   stk_error_line(err, line, sizeof line)); /* names may come from the data */
    fprintf(stderr, "\n");
    if (advice && advice[0]) fprintf(stderr, "  %s\n", advice);
    return err->status == STK_E_CANCELLED ? CLI_EXIT_CANCELLED : CLI_EXIT_FAILED;
}

/* Lack of memory or an existing folder is no error of the recipe. */
static bool is_wrong_recipe(const stk_error *err)
{
    static const stk_status wrong[] = {STK_E_INVALID, STK_E_FORMAT, STK_E_LIMIT, STK_E_UNSUPPORTED};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (err->status == wrong[i]) return err->component && strcmp(err->component, "recipe") == 0;
    return false;
}

int cli_report_recipe(const cli_command *command, const stk_error *err, const char *advice)
{
    const int code = cli_report_error(command, err, advice);
    return is_wrong_recipe(err) ? CLI_EXIT_USAGE : code;
}

int cli_report_usage(const cli_command *command, const char *message, const char *advice)
{
    const char *space = command ? " " : "", *name = command ? command->name : "";
    fprintf(stderr, "stoker%s%s: %s\n", space, name, message);
    if (advice && advice[0]) fprintf(stderr, "  %s\n", advice);
    fprintf(stderr, "  'stoker%s%s --help' shows how it is used\n", space, name);
    return CLI_EXIT_USAGE;
}

/* The usage word of operand index: "OUT"; beyond the last word, "another TRACE". */
static void copy_word(char *word, size_t capacity, const char *words, int number)
{
    for (; number > 0; number--) {
        const char *after = words + strcspn(words, " ");
        after += strspn(after, " ");
        if (!*after) break;
        words = after;
    }
    snprintf(word, capacity, "%s%.*s", number > 0 ? "another " : "", (int)strcspn(words, " ."),
             words);
}

static int check_operands(const cli_command *command, const cli_parsed *parsed)
{
    char message[CLI_OPTION_MESSAGE], word[64];
    if (parsed->operand_count < command->least_operands) {
        copy_word(word, sizeof word, command->operands, parsed->operand_count);
        snprintf(message, sizeof message, "%s is missing", word);
        return cli_report_usage(command, message, NULL);
    }
    if (parsed->operand_count > command->most_operands) {
        snprintf(message, sizeof message, "'%s' is one argument too many",
                 parsed->operands[command->most_operands]);
        return cli_report_usage(command, message, NULL);
    }
    return CLI_EXIT_OK;
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    void *values = malloc(command->value_bytes ? command->value_bytes : 1);
    if (!values) {
        fprintf(stderr, "stoker %s: no memory\n", command->name);
        return CLI_EXIT_FAILED;
    }
    if (command->value_bytes) memcpy(values, command->defaults, command->value_bytes);
    cli_parsed parsed;
    int        code = CLI_EXIT_OK;
    switch (
        cli_options_parse(command->options, command->option_count, values, argc, argv, &parsed)) {
    case CLI_PARSE_HELP:
        cli_help_print(stdout, command);
        break;
    case CLI_PARSE_WRONG:
        code = cli_report_usage(command, parsed.message, parsed.advice);
        break;
    case CLI_PARSE_OK:
        if (*parsed.note) fprintf(stderr, "stoker %s: %s\n", command->name, parsed.note);
        code = check_operands(command, &parsed);
        if (!code)
            code = command->run(
                &(cli_invocation){command, values, parsed.operands, parsed.operand_count});
    }
    free(values);
    return code;
}

static const char *command_name(const void *context, size_t index)
{
    (void)context;
    const cli_command *command = cli_command_at(index);
    if (command) return command->name;
    return cli_command_at(index - (index > 0)) || index == 0 ? "help" : NULL;
}

static int refuse_word(const char *what, const char *word)
{
    char message[CLI_OPTION_MESSAGE], advice[CLI_OPTION_MESSAGE] = "";
    snprintf(message, sizeof message, "unknown %s '%.100s'", what, word);
    if (word[0] != '-') cli_suggest(advice, sizeof advice, word, "", command_name, NULL);
    return cli_report_usage(NULL, message, advice);
}

/* Handles 'help help' and 'help --help'; other flags are errors. */
static int help_of_help(const char *word)
{
    if (strcmp(word, "help") && strcmp(word, "--help") && strcmp(word, "-h"))
        return refuse_word("flag", word);
    cli_help_print_help(stdout);
    return CLI_EXIT_OK;
}

static const char *part_word(const void *context, size_t index)
{
    const cli_command *const *parts = ((const cli_command *)context)->parts;
    for (size_t i = 0; parts && parts[i]; i++)
        if (i == index) return cli_command_word(parts[i]);
    return NULL;
}

static int refuse_part(const cli_command *command, const char *word)
{
    char message[CLI_OPTION_MESSAGE], advice[CLI_OPTION_MESSAGE] = "";
    snprintf(message, sizeof message, "'%s' has no part '%.100s'", command->name, word);
    cli_suggest(advice, sizeof advice, word, "", part_word, command);
    return cli_report_usage(command, message, advice);
}

static int run_help(int argc, char **argv)
{
    if (argc == 0) {
        cli_help_print_overview(stdout);
        return CLI_EXIT_OK;
    }
    int code;
    if (argv[0][0] == '-' || !strcmp(argv[0], "help")) return help_of_help(argv[0]);
    if (cli_help_reference(argc, argv, &code)) return code;
    const cli_command *command = cli_command_find(argv[0]);
    if (!command) return refuse_word("command", argv[0]);
    argc--;
    const cli_command *chosen = choose_part(command, &argc, argv + 1);
    if (argc > 0) return refuse_part(chosen, argv[1]);
    cli_help_print(stdout, chosen);
    return CLI_EXIT_OK;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        cli_help_print_overview(stderr);
        return CLI_EXIT_USAGE;
    }
    const char *word = argv[1];
    if (!strcmp(word, "help")) return run_help(argc - 2, argv + 2);
    if (!strcmp(word, "--help") || !strcmp(word, "-h")) return run_help(0, NULL);
    if (!strcmp(word, "--version") || !strcmp(word, "-V")) {
        printf("stoker %s\n", stk_version());
        return CLI_EXIT_OK;
    }
    const cli_command *command = cli_command_find(word);
    if (!command) return refuse_word(word[0] == '-' ? "flag" : "command", word);
    argc -= 2;
    command = choose_part(command, &argc, argv + 2);
    return run_command(command, argc, argv + 2);
}

/* A result that could not be written is a failure, unless the reader closed the pipe early (`|
 * head`). */
static int finish_output(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    if (errno == EPIPE || cli_output_closed()) return code;
    fprintf(stderr, "stoker: output: stdout: cannot write the result: %s\n",
            errno ? strerror(errno) : "it is closed or its disk is full");
    return code ? code : CLI_EXIT_FAILED;
}

/* Without stdin, stdout or stderr (>&-), the next opened file would get that number and receive
 * printed text, such as a shard. Placeholders opened for the other direction reserve the numbers;
 * using them still fails. */
static void fill_standard_descriptors(void)
{
    for (int fd = 0; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF) {
            const int opened = open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
            (void)opened; /* the lowest free number, which is fd; a failure is harmless */
        }
}

/* All archives of a set stay open; the usual soft limit of 1024 exists for programs that call
 * select. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &limit); /* refused: the old limit stays */
}

int main(int argc, char **argv)
{
    fill_standard_descriptors();
    raise_descriptor_limit();
    setlocale(LC_CTYPE, ""); /* characters only: numbers keep their point */
    cli_signals_install();
    return finish_output(dispatch(argc, argv));
}
