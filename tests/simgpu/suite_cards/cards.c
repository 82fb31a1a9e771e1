/* SPDX-License-Identifier: MIT
 *
 * Shared by the tests of the cards: see cards.h. */
#include "cards.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct cards_budget cards_budget(const struct vkf *f)
{
    VkPhysicalDeviceMemoryBudgetPropertiesEXT b = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 memory = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &b};
    struct cards_budget answer;
    vkGetPhysicalDeviceMemoryProperties2(f->gpu, &memory);
    memcpy(answer.budget, b.heapBudget, sizeof(answer.budget));
    memcpy(answer.usage, b.heapUsage, sizeof(answer.usage));
    return answer;
}

void cards_control(const char *text)
{
    const char *path = getenv("SIMGPU_CONTROL");
    char next[512];
    if (!path)
        VKF_SKIP("SIMGPU_CONTROL is not set");
    if (!text) {
        VKF_CHECK(unlink(path) == 0, "cannot remove %s", path);
        return;
    }
    snprintf(next, sizeof(next), "%s.next", path);
    FILE *file = fopen(next, "w");
    VKF_CHECK(file && fputs(text, file) >= 0 && fclose(file) == 0 && rename(next, path) == 0,
              "cannot write %s", path);
}

int cards_run(char *const argv[], const char *const variables[], const char *stderr_path)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    VKF_CHECK(child >= 0, "cannot fork");
    if (child == 0) {
        for (size_t i = 0; variables[i]; i++) {
            char name[64];
            const char *value = strchr(variables[i], '=');
            snprintf(name, sizeof(name), "%.*s", (int)(value - variables[i]), variables[i]);
            setenv(name, value + 1, 1);
        }
        alarm(300); /* a hang is a failure, and not of the machine's */
        if (freopen(stderr_path, "w", stderr) && freopen("/dev/null", "w", stdout))
            execv("/proc/self/exe", argv);
        _exit(126);
    }
    while (waitpid(child, &status, 0) < 0)
        VKF_CHECK(errno == EINTR, "cannot wait");
    return status;
}

const char *cards_read(const char *path)
{
    static char text[32768];
    FILE *file = fopen(path, "r");
    size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
    text[length] = '\0';
    if (file)
        fclose(file);
    return text;
}
