/* SPDX-License-Identifier: MIT
 *
 * Is every command that can carry a VkDeviceMemory, or that tells the program about memory, either
 * hooked or let through on purpose? The commands come from the installed vk.xml (gen_lists.py), the
 * hooks from layer/vk/hooks.def, the purposes from memory_commands.waived. First the check is shown
 * to find what it is there to find.
 *
 *   test_memory_commands WAIVED */
#include "registry_lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a)    (sizeof(a) / sizeof((a)[0]))
#define MAX_WAIVERS 256

/* A reason has to say something. */
#define MIN_REASON 12

struct waiver {
    char name[96];
    char reason[256];
    bool newer; /* of a registry newer than some that we build with: may be absent */
};

struct lists {
    struct waiver waivers[MAX_WAIVERS];
    unsigned waiver_count;
    const char *hooked; /* one more command to take for hooked: for the plants */
};

static bool read_waivers(const char *path, struct lists *l)
{
    char line[512];
    unsigned number = 0;
    FILE *f = fopen(path, "re");

    if (f == NULL) {
        fprintf(stderr, "no '%s'\n", path);
        return false;
    }
    while (fgets(line, sizeof line, f) != NULL) {
        struct waiver *w = &l->waivers[l->waiver_count];
        char *text = line;
        number++;
        if (line[0] == '#' || line[0] == '\n')
            continue;
        w->newer = strncmp(text, "newer ", 6) == 0;
        if (w->newer)
            text += 6;
        if (l->waiver_count + 1 == MAX_WAIVERS ||
            sscanf(text, "%95[A-Za-z0-9]: %255[^\n]", w->name, w->reason) != 2) {
            fprintf(stderr, "%s:%u: not 'vkName: reason'\n", path, number);
            fclose(f);
            return false;
        }
        l->waiver_count++;
    }
    fclose(f);
    return true;
}

static bool is_hooked(const struct lists *l, const char *name)
{
    if (l->hooked != NULL && strcmp(l->hooked, name) == 0)
        return true;
    for (unsigned i = 0; i < COUNT(registry_commands); i++)
        if (strcmp(registry_commands[i].canonical, name) == 0 && registry_commands[i].hooked)
            return true;
    return false;
}

static bool is_known(const char *name)
{
    for (unsigned i = 0; i < COUNT(registry_commands); i++)
        if (strcmp(registry_commands[i].name, name) == 0)
            return true;
    return false;
}

static bool is_carrier(const char *name)
{
    for (unsigned i = 0; i < COUNT(registry_carriers); i++)
        if (strcmp(registry_carriers[i].name, name) == 0)
            return true;
    return false;
}

static const struct waiver *find_waiver(const struct lists *l, const char *name)
{
    for (unsigned i = 0; i < l->waiver_count; i++)
        if (strcmp(l->waivers[i].name, name) == 0)
            return &l->waivers[i];
    return NULL;
}

/* The number of things wrong; each is told on stderr unless `quiet`. */
static unsigned check(const struct lists *l, bool quiet)
{
    unsigned wrong = 0;
#define WRONG(...)                                                                                 \
    do {                                                                                           \
        wrong++;                                                                                   \
        if (!quiet)                                                                                \
            fprintf(stderr, __VA_ARGS__);                                                          \
    } while (0)

    for (unsigned i = 0; i < COUNT(registry_carriers); i++) {
        const struct registry_carrier *c = &registry_carriers[i];
        if (!is_hooked(l, c->name) && find_waiver(l, c->name) == NULL)
            WRONG("%s (%s: %s) is neither hooked nor waived\n", c->name, c->what, c->via);
    }
    for (unsigned i = 0; i < l->waiver_count; i++) {
        const struct waiver *w = &l->waivers[i];
        if (w->newer ? is_known(w->name) && !is_carrier(w->name) : !is_carrier(w->name))
            WRONG("stale waiver: %s carries no memory%s\n", w->name,
                  is_known(w->name) ? "" : " (unknown)");
        if (is_hooked(l, w->name))
            WRONG("stale waiver: %s is hooked\n", w->name);
        if (find_waiver(l, w->name) != w)
            WRONG("%s is waived twice\n", w->name);
        if (strlen(w->reason) < MIN_REASON)
            WRONG("%s: '%s' is no reason\n", w->name, w->reason);
    }
#undef WRONG
    return wrong;
}

/* The check on changed lists: each change must be found out, once. */
static bool plants_are_found(const struct lists *real)
{
    static struct lists l;
    bool good = true;
#define PLANT(what, ...)                                                                           \
    do {                                                                                           \
        l = *real;                                                                                 \
        __VA_ARGS__;                                                                               \
        if (check(&l, true) != 1) {                                                                \
            fprintf(stderr, "planted, but found %u times: %s\n", check(&l, true), what);           \
            good = false;                                                                          \
        }                                                                                          \
    } while (0)
#define ADD(name_, reason_, newer_)                                                                \
    l.waivers[l.waiver_count++] = (struct waiver)                                                  \
    {                                                                                              \
        .name = name_, .reason = reason_, .newer = newer_                                          \
    }

    for (unsigned i = 0; i < real->waiver_count; i++)
        if (!real->waivers[i].newer)
            PLANT(real->waivers[i].name, l.waivers[i] = l.waivers[--l.waiver_count]);
    PLANT("a command without memory", ADD("vkCmdDraw", "carries nothing at all", false));
    PLANT("the same, newer", ADD("vkCmdDraw", "carries nothing at all", true));
    PLANT("an unknown command", ADD("vkNoSuchCommand", "is not in any registry", false));
    PLANT("a reason of no words", strcpy(l.waivers[0].reason, "because"));
    PLANT("a waived hook", l.hooked = l.waivers[0].name);
    PLANT("twice", ADD("", "", false); l.waivers[l.waiver_count - 1] = l.waivers[0]);
#undef ADD
#undef PLANT
    return good;
}

int main(int argc, char **argv)
{
    static struct lists l;

    if (argc != 2 || !read_waivers(argv[1], &l))
        return 1;
    /* Were the lists read at all? Vulkan 1.0 alone has these. */
    if (!is_carrier("vkAllocateMemory") || !is_carrier("vkQueueBindSparse") ||
        !is_hooked(&l, "vkAllocateMemory") || !is_hooked(&l, "vkFreeMemory") ||
        l.waiver_count == 0) {
        fprintf(stderr, "the lists are not what they should be\n");
        return 1;
    }
    unsigned wrong = check(&l, false);
    if (wrong > 0)
        return 1;
    return plants_are_found(&l) ? 0 : 1;
}
