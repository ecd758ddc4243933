/* stoker completion: a shell script generated from the tables of commands and flags. */
#include "command.h"

#include <string.h>

static const char *shell_choice(size_t index)
{
    static const char *const shells[] = {"bash", "zsh", "fish"};
    return index < 3 ? shells[index] : NULL;
}

/* Whether the next word is its value. */
static bool wants_value(const cli_option *option)
{
    return option->kind != CLI_OPTION_FLAG && !option->usual;
}

/* The choices of a flag or operand, separated by spaces. */
static void print_choices(const char *(*choice)(size_t index))
{
    const char *word;
    for (size_t i = 0; (word = choice(i)) != NULL; i++)
        printf("%s%s", i ? " " : "", word);
}

static void print_command_names(void)
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        printf("%s ", command->name);
    printf("help");
}

/* Single-quoted text, for all three shells. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'')
            printf("'\\''");
        else
            putchar(*text);
    }
    putchar('\'');
}

/* ---- bash ---- */

static void print_bash_values(const cli_command *command)
{
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (!wants_value(option)) continue;
        printf("        '%s':--%s", command->name, option->name);
        if (option->letter) printf("|'%s':-%c", command->name, option->letter);
        if (option->choice) {
            printf(") COMPREPLY=($(compgen -W '");
            print_choices(option->choice);
            printf("' -- \"$word\")); return ;;\n");
        } else if (option->kind == CLI_OPTION_FILE) {
            printf(") COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n");
        } else {
            printf(") return ;;\n");
        }
    }
}

static void print_bash_command(const cli_command *command)
{
    printf("        '%s')\n            flags='", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        printf("--%s ", command->options[i].name);
    printf("--help'\n");
    if (command->operand_choice) {
        printf("            operands='");
        print_choices(command->operand_choice);
        printf("'\n");
    }
    printf("            ;;\n");
}

/* Calls print for every executable command: subcommands instead of their parent. */
static void each_command(void (*print)(const cli_command *command))
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->parts) print(command);
        for (const cli_command *const *part = command->parts; part && *part; part++)
            print(*part);
    }
}

static void print_part_words(const cli_command *command)
{
    for (const cli_command *const *part = command->parts; *part; part++)
        printf("%s%s", part == command->parts ? "" : " ", cli_command_word(*part));
}

/* The word after such a command is a part of its name. */
static void print_bash_parts(void)
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->parts) continue;
        printf("    if [[ $command == %s ]]; then\n        if ((COMP_CWORD == 2)); then\n"
               "            COMPREPLY=($(compgen -W '",
               command->name);
        print_part_words(command);
        printf(" --help' -- \"$word\"))\n            return\n        fi\n"
               "        command=\"$command ${COMP_WORDS[2]}\"\n    fi\n");
    }
}

static void print_bash(void)
{
    printf("# bash completion for stoker: put this line into ~/.bashrc\n"
           "#   source <(stoker completion bash)\n"
           "_stoker()\n{\n"
           "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    local command=${COMP_WORDS[1]} flags='' operands=''\n"
           "    COMPREPLY=()\n"
           "    # bash splits --flag=value at the equals sign\n"
           "    if [[ $word == '=' ]]; then word=''; "
           "elif [[ $before == '=' ]]; then before=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    if ((COMP_CWORD == 1)); then\n"
           "        COMPREPLY=($(compgen -W '");
    print_command_names();
    printf(" --help --version' -- \"$word\"))\n        return\n    fi\n"
           "    if [[ $command == help ]]; then\n        COMPREPLY=($(compgen -W '");
    print_command_names();
    printf("' -- \"$word\"))\n        return\n    fi\n");
    print_bash_parts();
    printf("    case $command:$before in\n");
    each_command(print_bash_values);
    printf("    esac\n    case $command in\n");
    each_command(print_bash_command);
    printf("    esac\n"
           "    if [[ $word == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
           "    elif [[ $operands ]]; then\n"
           "        COMPREPLY=($(compgen -W \"$operands\" -- \"$word\"))\n"
           "    else\n"
           "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
           "    fi\n}\n"
           "complete -o filenames -F _stoker stoker\n");
}

/* ---- zsh ---- */

/* "--name[help]:metavar:action", with what zsh would read as its own syntax left out of help. */
static void print_zsh_option(const cli_option *option)
{
    printf(" \\\n            '--%s%s[", option->name, wants_value(option) ? "=" : "");
    for (const char *c = option->help; *c; c++)
        if (!strchr("[]'\\:", *c)) putchar(*c);
    printf("]");
    if (option->choice) {
        printf(":%s:(", option->metavar);
        print_choices(option->choice);
        printf(")");
    } else if (option->kind == CLI_OPTION_FILE) {
        printf(":%s:_files", option->metavar);
    } else if (wants_value(option)) {
        printf(":%s:", option->metavar);
    }
    printf("'");
}

static void print_zsh_command(const cli_command *command)
{
    printf("        '%s') _arguments -s", command->name);
    for (size_t i = 0; i < command->option_count; i++)
        print_zsh_option(&command->options[i]);
    printf(" \\\n            '--help[show help]'");
    if (command->operand_choice) {
        printf(" '*:operand:(");
        print_choices(command->operand_choice);
        printf(")' ;;\n");
    } else {
        printf(" '*:file:_files' ;;\n");
    }
}

static void print_zsh_parts(void)
{
    const cli_command *command;
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        if (!command->parts) continue;
        printf("    if [[ $command == %s ]]; then\n        if (( CURRENT == 2 )); then\n"
               "            compadd ",
               command->name);
        print_part_words(command);
        printf("\n            return\n        fi\n        command=\"$command $words[2]\"\n"
               "        shift words\n        (( CURRENT-- ))\n    fi\n");
    }
}

static void print_zsh(void)
{
    const cli_command *command;
    printf("#compdef stoker\n# zsh completion for stoker: put this line into ~/.zshrc\n"
           "#   source <(stoker completion zsh)\n"
           "_stoker() {\n    local -a commands\n    commands=(\n");
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++)
        printf("        '%s:%s'\n", command->name, command->summary);
    printf("        'help:show help for a command'\n    )\n"
           "    if (( CURRENT == 2 )); then\n        _describe command commands\n        return\n"
           "    fi\n    local command=$words[2]\n    shift words\n    (( CURRENT-- ))\n");
    print_zsh_parts();
    printf("    case $command in\n        help) _describe command commands ;;\n");
    each_command(print_zsh_command);
    printf("    esac\n}\ncompdef _stoker stoker\n");
}

/* ---- fish ---- */

/* "__fish_seen_subcommand_from bench; and __fish_seen_subcommand_from input" */
static void print_fish_condition(const cli_command *command)
{
    const char *word = cli_command_word(command);
    printf("complete -c stoker -n '__fish_seen_subcommand_from %.*s",
           (int)(word > command->name ? word - command->name - 1 : (int)strlen(word)),
           command->name);
    if (word > command->name) printf("; and __fish_seen_subcommand_from %s", word);
    printf("'");
}

static void print_fish_option(const cli_command *command, const cli_option *option)
{
    print_fish_condition(command);
    printf(" -l %s", option->name);
    if (option->letter) printf(" -s %c", option->letter);
    if (option->choice) {
        printf(" -x -a '");
        print_choices(option->choice);
        printf("'");
    } else if (wants_value(option)) {
        printf(option->kind == CLI_OPTION_FILE ? " -r" : " -x");
    }
    printf(" -d ");
    print_quoted(option->help);
    printf("\n");
}

static void print_fish_command(const cli_command *command)
{
    for (size_t i = 0; i < command->option_count; i++)
        print_fish_option(command, &command->options[i]);
    if (!command->operand_choice) return;
    print_fish_condition(command);
    printf(" -f -a '");
    print_choices(command->operand_choice);
    printf("'\n");
}

static void print_fish(void)
{
    const cli_command *command;
    printf("# fish completion for stoker: put this line into ~/.config/fish/config.fish\n"
           "#   stoker completion fish | source\n");
    for (size_t i = 0; (command = cli_command_at(i)) != NULL; i++) {
        printf("complete -c stoker -n __fish_use_subcommand -f -a %s -d ", command->name);
        print_quoted(command->summary);
        printf("\n");
        if (!command->parts) continue;
        print_fish_condition(command);
        printf(" -f -a '");
        print_part_words(command);
        printf("'\n");
    }
    each_command(print_fish_command);
    printf("complete -c stoker -n __fish_use_subcommand -f -a help -d "
           "'show help for a command'\n"
           "complete -c stoker -n '__fish_seen_subcommand_from help' -f -a '");
    print_command_names();
    printf("'\n");
}

static const char *shell_candidate(const void *context, size_t index)
{
    (void)context;
    return shell_choice(index);
}

static int run(const cli_invocation *call)
{
    static void (*const printers[])(void) = {print_bash, print_zsh, print_fish};
    const char *wanted = call->operands[0], *shell;
    for (size_t i = 0; (shell = shell_choice(i)) != NULL; i++)
        if (strcmp(shell, wanted) == 0) {
            printers[i]();
            return CLI_EXIT_OK;
        }
    char message[CLI_OPTION_MESSAGE], advice[CLI_OPTION_MESSAGE];
    snprintf(message, sizeof message, "'%.100s' is not one of: bash, zsh, fish", wanted);
    cli_suggest(advice, sizeof advice, wanted, "", shell_candidate, NULL);
    return cli_report_usage(call->command, message, advice);
}

const cli_command cli_command_completion = {
    .name = "completion",
    .summary = "print a completion script for bash, zsh or fish",
    .operands = "SHELL",
    .description = "Prints a script that makes the shell complete stoker's commands, flags, "
                   "choices and files. SHELL is bash, zsh or fish.",
    .examples = "source <(stoker completion bash)\n"
                "stoker completion fish | source",
    .least_operands = 1,
    .most_operands = 1,
    .operand_choice = shell_choice,
    .run = run,
};
