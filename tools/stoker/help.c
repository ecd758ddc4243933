/* Generates --help from the tables. */
#include "command.h"
#include "terminal.h"
#include "text.h"

#include <string.h>

enum { HELP_COLUMN = 26, NARROWEST = 60, WIDEST = 100 };

/* "  -q, --quiet", "      --shard-mb N", "      --serve[=PORT]" */
static void print_option(FILE *out, const cli_option *option, int width)
{
    char label[80], letter[8] = "    ";
    if (option->letter) snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(label, sizeof label, option->usual ? "  %s--%s[=%s%s]" : "  %s--%s%s%s", letter,
             option->name, option->metavar && !option->usual ? " " : "",
             option->metavar ? option->metavar : "");
    int column = fprintf(out, "%s", label);
    if (column >= HELP_COLUMN - 1) {
        fprintf(out, "\n");
        column = 0;
    }
    cli_text_wrap(out, option->help, column, HELP_COLUMN, width);
}

/* Groups in order of first appearance. */
static void print_options(FILE *out, const cli_command *command, int width)
{
    static const cli_option help = {.name = "help", .letter = 'h', .help = "show this text"};
    for (size_t i = 0; i < command->option_count; i++) {
        const char *group = command->options[i].group;
        bool        is_new = true;
        for (size_t j = 0; j < i && is_new; j++)
            is_new = strcmp(command->options[j].group, group) != 0;
        if (!is_new) continue;
        fprintf(out, "\n%s:\n", group);
        for (size_t j = i; j < command->option_count; j++)
            if (strcmp(command->options[j].group, group) == 0)
                print_option(out, &command->options[j], width);
        if (strcmp(group, "Common") == 0) print_option(out, &help, width);
    }
}

void cli_help_print(FILE *out, const cli_command *command)
{
    const int width = cli_terminal_width(out, NARROWEST, WIDEST);
    fprintf(out, "stoker %s: %s\n\n", command->name, command->summary);
    fprintf(out, "Usage: stoker %s %s%s\n\n", command->name, command->operands,
            command->option_count ? " [FLAGS]" : "");
    cli_text_wrap(out, command->description, 0, 0, width);
    print_options(out, command, width);
    if (command->print_more_help) command->print_more_help(out, width);
    fprintf(out, "\nExamples:\n");
    for (const char *line = command->examples; *line;) {
        const int length = (int)strcspn(line, "\n");
        fprintf(out, "  %.*s\n", length, line);
        line += length + (line[length] == '\n');
    }
}

void cli_help_print_help(FILE *out)
{
    const int width = cli_terminal_width(out, NARROWEST, WIDEST);
    fprintf(out, "stoker help: show help for a command\n\n"
                 "Usage: stoker help [COMMAND [PART]]\n\n");
    cli_text_wrap(
        out,
        "Prints what 'stoker COMMAND --help' does; without COMMAND, the list of commands. "
        "Some commands have parts, which are a second word. 'stoker help recipe [NAME]' prints the "
        "operators and functions of pipelines, 'stoker help keys [SECTION]' the keys of training.",
        0, 0, width);
    fprintf(out, "\nExamples:\n  stoker help\n  stoker help train\n  stoker help bench input\n"
                 "  stoker help recipe shuffle\n  stoker help keys data\n");
}

void cli_help_print_overview(FILE *out)
{
    const int          width = cli_terminal_width(out, NARROWEST, WIDEST);
    const cli_command *command;
    fprintf(out, "stoker keeps accelerators fed: it packs, checks and streams training data.\n\n"
                 "Usage: stoker COMMAND [ARGUMENTS] [FLAGS]\n\nCommands:\n");
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        const int column = fprintf(out, "  %s", command->name);
        cli_text_wrap(out, command->summary, column, 14, width);
    }
    fprintf(out, "  help        show help for a command\n\n");
    cli_text_wrap(out,
                  "'stoker COMMAND --help' explains a command; 'stoker --version' says which "
                  "version this is.\n"
                  "Results go to stdout, everything else to stderr. Exit code 0 means success, 1 "
                  "failure or bad data found, 2 a wrong command line, 130 stopped by Ctrl-C.",
                  0, 0, width);
}
