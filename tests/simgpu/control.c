/* SPDX-License-Identifier: MIT
 *
 * The control file: see control.h. It is small and compared by content: a time stamp may stand
 * still while a file is written twice. */
#include "control.h"

#include "residency.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define MAX_CONTROL 2048 /* bytes of the file that count */

static pthread_mutex_t control_lock = PTHREAD_MUTEX_INITIALIZER;
static const char *path;
static bool path_known;
static char seen[MAX_CONTROL]; /* what the settings in force were made from */
static struct sim_budget usual_budget;

struct control {
    uint64_t taken[SIM_SIZE_COUNT];
    struct sim_budget budget;
};

static bool parse_share(const char *text, uint64_t whole, uint64_t *bytes)
{
    unsigned percent;
    char sign, more;
    if (sscanf(text, "%3u%c%c", &percent, &sign, &more) == 2 && sign == '%' && percent <= 100) {
        /* in whole pages, and without overflow */
        *bytes = (whole / 100 * percent + whole % 100 * percent / 100 + 4095) & ~(uint64_t)4095;
        return true;
    }
    return sim_parse_size(text, bytes);
}

/* The heap of a size, or NULL: this card has none. */
static struct sim_heap *heap_of(struct sim_card *card, enum sim_heap_size size)
{
    for (uint32_t i = 0; i < card->profile->heap_count; i++) {
        if (card->profile->heaps[i].size == size)
            return &card->heaps[i];
    }
    return NULL;
}

static bool parse_line(struct sim_card *card, const char *key, const char *value,
                       struct control *control)
{
    static const char *const heaps[SIM_SIZE_COUNT] = {
        [SIM_SIZE_VRAM] = "vram", [SIM_SIZE_HOST] = "host", [SIM_SIZE_BAR] = "bar"};
    if (strcmp(key, "budget") == 0)
        return sim_parse_budget(value, &control->budget);
    for (int i = 0; i < SIM_SIZE_COUNT; i++) {
        const struct sim_heap *heap = heap_of(card, i);
        if (strcmp(key, heaps[i]) == 0)
            return heap != NULL && parse_share(value, heap->limit, &control->taken[i]);
    }
    return false;
}

static struct control parse(struct sim_card *card, const char *text)
{
    struct control control = {.budget = usual_budget};
    while (*text != '\0') {
        char line[128], key[32], value[64], more;
        size_t length = strcspn(text, "\n");
        snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "#\n"), text);
        int found = sscanf(line, " %31[a-z] = %63s %c", key, value, &more);
        bool empty = line[strspn(line, " \t\r")] == '\0';
        if (!empty && (found != 2 || !parse_line(card, key, value, &control)))
            sim_bad_setting("SIMGPU_CONTROL", line, "a line that the control file may have");
        text += length + (text[length] == '\n');
    }
    return control;
}

static void read_file(char *text)
{
    size_t length = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t n;
        while (length < MAX_CONTROL - 1 &&
               (n = read(fd, text + length, MAX_CONTROL - 1 - length)) > 0)
            length += (size_t)n;
        close(fd);
    }
    text[length] = '\0';
}

void sim_control_poll(struct sim_card *card)
{
    char text[MAX_CONTROL];
    bool changed = false;
    pthread_mutex_lock(&control_lock);
    if (!path_known) {
        path = sim_env_path("SIMGPU_CONTROL");
        usual_budget = card->budget;
        path_known = true;
    }
    if (path != NULL) {
        read_file(text);
        changed = strcmp(text, seen) != 0;
    }
    if (changed) {
        struct control control = parse(card, text);
        strcpy(seen, text);
        card->budget = control.budget;
        for (int i = 0; i < SIM_SIZE_COUNT; i++) {
            struct sim_heap *heap = heap_of(card, i);
            if (heap != NULL)
                sim_heap_set_taken(heap, control.taken[i]);
        }
    }
    pthread_mutex_unlock(&control_lock);
    if (changed)
        sim_residency_update(card);
}

struct sim_budget sim_control_budget(struct sim_card *card)
{
    pthread_mutex_lock(&control_lock);
    struct sim_budget budget = card->budget;
    pthread_mutex_unlock(&control_lock);
    return budget;
}
