/* SPDX-License-Identifier: MIT
 *
 * The help texts. spillway.1 says the same at greater length. */
#include "cli.h"

#include <string.h>

static const char help_all[] =
    "Spillway lets Vulkan programs use more VRAM than the graphics card has.\n"
    "\n"
    "  spillway run -- PROGRAM…     run one program with Spillway\n"
    "  spillway doctor              is everything there that Spillway needs? if not, what to do\n"
    "  spillway config show         the settings that hold, and where each comes from\n"
    "  spillway config check FILE…  is a configuration file right?\n"
    "  spillway config init         write a first configuration file, to be edited\n"
    "  spillway config keys         every setting, what it takes and what it means\n"
    "\n"
    "  spillway COMMAND --help      more about one of them\n"
    "  spillway --version\n"
    "\n"
    "In Steam, as a game's launch options:   spillway run -- %command%\n"
    "or without this command:                SPILLWAY=1 %command%\n";

static const char help_run[] =
    "spillway run [OPTION]… -- PROGRAM [ARGUMENT]…\n"
    "\n"
    "Runs a program with Spillway. Its exit code and signals are the program's own.\n"
    "\n"
    "  --vram-limit SIZE   use no more VRAM than this: 4GiB, 512MiB, 60%\n"
    "  --set KEY=VALUE     any setting (spillway config keys lists them); may be repeated\n"
    "  --config FILE       a configuration file, above those that are installed\n"
    "  --stats             print a summary in JSON when the program ends\n"
    "  --print             do not run: print the variables, as launch options for Steam\n"
    "\n"
    "Exit codes of its own: 125 an option is wrong, 126 PROGRAM cannot be run, 127 it is not\n"
    "found.\n";

static const char help_doctor[] =
    "spillway doctor [OPTION]…\n"
    "\n"
    "Says for each GPU whether Spillway works there, in which mode and why, and what is missing\n"
    "and how to put it right.\n"
    "\n"
    "  --loader FILE   look at this Vulkan loader (libvulkan.so.1) too; may be repeated\n"
    "  --json          everything that was found out, for programs and bug reports\n"
    "  -v, --verbose   with memory types, and what loader, drivers and layers wrote\n"
    "\n"
    "Exit codes: 0 all is well, 1 something is wrong, 2 an option is wrong.\n";

static const char help_config[] =
    "spillway config show [--for PROGRAM] [--json]\n"
    "    The settings that hold, and the file and line that each comes from. --for: as they are\n"
    "    for one program (a path, or the name of a Windows program: 'Game.exe').\n"
    "\n"
    "spillway config check FILE…\n"
    "    Says what is wrong in configuration files, with the line.\n"
    "\n"
    "spillway config init\n"
    "    Writes a first file with comments to your configuration folder. Never overwrites one.\n"
    "\n"
    "spillway config keys\n"
    "    Lists every setting, what it takes and what it means.\n"
    "\n"
    "Exit codes: 0 fine, 1 something is wrong in a file, 2 an option is wrong.\n";

void help_print(FILE *stream, const char *command)
{
    const char *text = help_all;
    if (command != NULL && strcmp(command, "run") == 0)
        text = help_run;
    else if (command != NULL && strcmp(command, "doctor") == 0)
        text = help_doctor;
    else if (command != NULL && strcmp(command, "config") == 0)
        text = help_config;
    fputs(text, stream);
}
