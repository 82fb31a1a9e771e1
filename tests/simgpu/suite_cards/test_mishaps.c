/* SPDX-License-Identifier: MIT
 *
 * Calls that fail on purpose, work that takes for ever, and devices that are lost. */
#include "cards.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "stats_json.h"

static char folder[] = "/tmp/simgpu_mishaps.XXXXXX";

static const char *file(const char *name)
{
    static char paths[4][64];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static void remove_folder(void)
{
    static const char *const names[] = {"calls", "stats", "log", "said"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(file(names[i]));
    rmdir(folder);
}

/* --- a small program that looks at every result, and its calls failing one by one
 * ----------------- */

static void visitor(void)
{
    struct vkf f;
    uint32_t word = 0x7e57, back = 0;
    vkf_begin(&f, NULL);
    struct vkf_buffer buffer = vkf_buffer_create(&f, 4096, 0);
    VkDeviceMemory memory = vkf_allocate(&f, buffer.requirements.size, 1);
    VKF_VK(vkBindBufferMemory(f.device, buffer.handle, memory, 0));
    vkf_buffer_write(&f, buffer.handle, 64, &word, sizeof(word));
    vkf_buffer_read(&f, buffer.handle, 64, &back, sizeof(back));
    VKF_CHECK(word == back, "another word");
    struct vkf_image image = vkf_image_create(&f, 16, 16, 1, 1, VK_IMAGE_TILING_OPTIMAL, 0);
    VkSemaphore binary = suite_binary(&f);
    VKF_VK(vkQueueWaitIdle(f.queue));
    VKF_VK(vkDeviceWaitIdle(f.device));
    vkDestroySemaphore(f.device, binary, NULL);
    vkf_image_destroy(&f, &image);
    vkf_buffer_destroy(&f, &buffer);
    vkf_free(&f, memory);
    vkf_end(&f);
}

static int visit_once(const char *program, const char *fault, const char *calls)
{
    char set_fault[256], set_calls[128], set_stats[128], set_log[128];
    snprintf(set_fault, sizeof(set_fault), "SIMGPU_FAULT=%s", fault);
    snprintf(set_calls, sizeof(set_calls), "SIMGPU_CALLS=%s", calls);
    snprintf(set_stats, sizeof(set_stats), "SIMGPU_STATS=%s", file("stats"));
    snprintf(set_log, sizeof(set_log), "SIMGPU_LOG=%s", file("log"));
    unlink(file("stats"));
    unlink(file("log"));
    char *argv[] = {(char *)(uintptr_t)program, (char[]){"visitor"}, NULL};
    return cards_run(argv, (const char *[]){set_fault, set_calls, set_stats, set_log, NULL},
                     file("said"));
}

static double counted(const char *what)
{
    const char *why = "";
    double number = -1;
    struct stats *stats = stats_load_simgpu(file("stats"), &why);
    VKF_CHECK(stats, "counters: %s; the program said: %s", why, cards_read(file("said")));
    VKF_CHECK(stats_number(stats, what, &number), "no %s", what);
    stats_destroy(stats);
    return number;
}

/* The loader asks these for itself, and makes do with no answer, or asks again. */
static bool loaders_own(const char *command)
{
    return strcmp(command, "vkEnumerateInstanceExtensionProperties") == 0 ||
           strcmp(command, "vkEnumerateInstanceVersion") == 0 ||
           strcmp(command, "vkEnumerateDeviceExtensionProperties") == 0;
}

static void visit_call(const char *program, const char *command, unsigned n, const char *error)
{
    char fault[192], full[128];
    snprintf(fault, sizeof(fault), "%s:%u:%s", command, n, error);
    snprintf(full, sizeof(full), "VK_ERROR_%s", error);
    int status = visit_once(program, fault, "");
    VKF_CHECK(WIFEXITED(status), "%s: killed by a signal (%#x): %s", fault, (unsigned)status,
              cards_read(file("said")));
    int code = WEXITSTATUS(status);
    VKF_CHECK(code == VKF_EXIT_FAILED || code == VKF_EXIT_OOM ||
                  (code == 0 && loaders_own(command)),
              "%s: the program ended with %d", fault, code);
    VKF_CHECK(loaders_own(command) || strstr(command, "Instance") ||
                  strstr(command, "EnumeratePhysicalDevices") ||
                  strstr(cards_read(file("said")), full) ||
                  strstr(cards_read(file("said")), "VkResult -"), /* the fixture has no name */
              "%s: it says: %s", fault, cards_read(file("said")));
    VKF_CHECK(counted("simgpu.faults_injected") == 1, "%s: not counted once", fault);
}

/* The dry run names every command that was called and can fail; each then fails at its first and at
 * its last call, with each error that it may have. */
static void visit(const char *program)
{
    char list[32768], command[96], errors[512];
    unsigned calls, commands = 0, visits = 0;
    int status = visit_once(program, "", file("calls"));
    VKF_CHECK(status == 0, "the dry run ended with %#x: %s", (unsigned)status,
              cards_read(file("said")));
    VKF_CHECK(counted("simgpu.faults_injected") == 0, "a fault in the dry run");
    snprintf(list, sizeof(list), "%s", cards_read(file("calls")));
    char *rest = list;
    for (char *line = strsep(&rest, "\n"); line && *line; line = strsep(&rest, "\n")) {
        VKF_CHECK(sscanf(line, "%95s %u %511[^\n]", command, &calls, errors) == 3, "'%s'", line);
        commands++;
        char *more = errors, *error = strsep(&more, " ");
        /* the first error at the first call, the last error at the last: two processes a command */
        visit_call(program, command, 1, error);
        while (more)
            error = strsep(&more, " ");
        visit_call(program, command, calls, error);
        visits += 2;
    }
    VKF_CHECK(commands >= 20 && strstr(cards_read(file("calls")), "vkQueueSubmit 2 OUT_OF_HOST"),
              "the dry run lists %u commands:\n%s", commands, cards_read(file("calls")));
    visitor(); /* in this process, without faults: what `under` judges */
    printf("visit: %u commands, %u runs\n", commands, visits);
}

/* SIMGPU_FAULT=vkAllocateMemory:3:OUT_OF_DEVICE_MEMORY,vkBindBufferMemory2KHR:2:OUT_OF_HOST_MEMORY,
 * vkAllocateCommandBuffers:2:OUT_OF_HOST_MEMORY */
static void nth(void)
{
    VkDeviceMemory memory[4];
    struct vkf f;
    vkf_begin(&f, NULL);
    for (uint32_t i = 0; i < 4; i++) {
        VkResult result = vkf_try_allocate(&f, 4096, 1, NULL, &memory[i]);
        VKF_CHECK(result == (i == 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_SUCCESS),
                  "allocation %u: %s", i + 1, vkf_result_name(result));
        if (i != 2)
            vkf_free(&f, memory[i]);
    }
    struct vkf_buffer buffer = vkf_buffer_create(&f, 4096, 0);
    VkDeviceMemory backing = vkf_allocate(&f, buffer.requirements.size, 1);
    VkBindBufferMemoryInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_BUFFER_MEMORY_INFO,
                                   .buffer = buffer.handle,
                                   .memory = backing};
    VKF_VK(vkBindBufferMemory2(f.device, 0, &info));
    VkResult result = vkBindBufferMemory2(f.device, 1, &info);
    VKF_CHECK(result == VK_ERROR_OUT_OF_HOST_MEMORY, "under the name of the alias: %s",
              vkf_result_name(result));
    VKF_VK(vkBindBufferMemory2(f.device, 1, &info));
    /* What was to be made in one call is not there afterwards. */
    VkCommandBuffer two[2] = {f.commands, f.commands};
    VkCommandBufferAllocateInfo commands = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = f.pool,
                                            .commandBufferCount = 2};
    result = vkAllocateCommandBuffers(f.device, &commands, two);
    VKF_CHECK(result == VK_ERROR_OUT_OF_HOST_MEMORY && !two[0] && !two[1],
              "a failed call left handles: %s", vkf_result_name(result));
    vkf_buffer_destroy(&f, &buffer);
    vkf_free(&f, backing);
    vkf_end(&f);
}

static void just_begin(void)
{
    struct vkf f;
    vkf_begin(&f, NULL);
    VkDeviceMemory memory = vkf_allocate(&f, 4096, 1);
    vkf_free(&f, memory);
    vkf_end(&f);
}

/* A setting that cannot be understood ends the process, and says which it is. */
static void bad_settings(const char *program)
{
    static const char *const bad[] = {
        "SIMGPU_FAULT=vkAllocateMemori:1:OUT_OF_DEVICE_MEMORY",
        "SIMGPU_FAULT=vkAllocateMemory:0:OUT_OF_DEVICE_MEMORY",
        "SIMGPU_FAULT=vkAllocateMemory:1:OUT_OF_LUCK",
        "SIMGPU_FAULT=vkFreeMemory:1:OUT_OF_HOST_MEMORY",
        "SIMGPU_FAULT=vkAllocateMemory:1",
        "SIMGPU_LOST=soon",
        "SIMGPU_LOST=3:later",
        "SIMGPU_DELAY_US=bind",
        "SIMGPU_DELAY_US=10ms",
        "SIMGPU_API=2",
        "SIMGPU_PROFILE=nvidea",
    };
    char name[32];
    char *argv[] = {(char *)(uintptr_t)program, (char[]){"just_begin"}, NULL};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        int status =
            cards_run(argv, (const char *[]){bad[i], "SIMGPU_LOG=/dev/stderr", NULL}, file("said"));
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(bad[i], "="), bad[i]);
        VKF_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
                      strstr(cards_read(file("said")), name),
                  "%s is taken (%#x): %s", bad[i], (unsigned)status, cards_read(file("said")));
    }
    int status = cards_run(argv,
                           (const char *[]){"SIMGPU_FAULT=vkAllocateMemory:2:OUT_OF_DEVICE_MEMORY",
                                            "SIMGPU_LOG=/dev/stderr", NULL},
                           file("said"));
    VKF_CHECK(status == 0 && strstr(cards_read(file("said")), "was never made, there were 1"),
              "a fault that was not reached: %#x, '%s'", (unsigned)status,
              cards_read(file("said")));
}

/* --- delays: an hour, so that nothing depends on how fast this machine is
 * --------------------------- */

/* SIMGPU_DELAY_US=bind=3600000000: binds wait, submits do not. */
static void late_bind(void)
{
    struct vkf f;
    suite_begin(&f);
    struct vkf_buffer buffer = suite_sparse_buffer(&f, SUITE_BLOCK, 0, 0);
    struct suite_slab slab = suite_slab_create(&f, 1, suite_vram_type(&f, UINT32_MAX));
    const VkSparseMemoryBind bind = {.size = SUITE_BLOCK, .memory = slab.memory};
    VkFence bound = suite_fence(&f);
    suite_bind(f.queue,
               &(struct suite_batch){.buffer = buffer.handle, .binds = &bind, .bind_count = 1},
               bound);
    vkCmdFillBuffer(vkf_commands_begin(&f), slab.raw.handle, 0, VK_WHOLE_SIZE, 1);
    vkf_commands_run(&f);
    VKF_CHECK(vkGetFenceStatus(f.device, bound) == VK_NOT_READY, "the bind is done");
    /* And a device that goes away does not wait for it. */
    vkDestroyDevice(f.device, NULL);
    vkDestroyInstance(f.instance, NULL);
}

/* SIMGPU_DELAY_US=submit=3600000000 */
static void late_submit(void)
{
    struct vkf f;
    suite_begin(&f);
    struct vkf_buffer buffer = suite_sparse_buffer(&f, SUITE_BLOCK, 0, 0);
    struct suite_slab slab = suite_slab_create(&f, 1, suite_vram_type(&f, UINT32_MAX));
    const VkSparseMemoryBind bind = {.size = SUITE_BLOCK, .memory = slab.memory};
    VkFence done = suite_fence(&f);
    suite_submit(f.queue, &(struct suite_batch){0}, done);
    suite_bind_now(&f, buffer.handle, VK_NULL_HANDLE, &bind, 1);
    VKF_CHECK(vkGetFenceStatus(f.device, done) == VK_NOT_READY, "the submit is done");
    vkDestroyDevice(f.device, NULL);
    vkDestroyInstance(f.instance, NULL);
}

/* --- a lost device
 * ------------------------------------------------------------------------------------- */

struct waiter {
    const struct vkf *f;
    VkFence fence;
    VkResult result;
};

static void *wait_for_ever(void *argument)
{
    struct waiter *w = argument;
    w->result = vkWaitForFences(w->f->device, 1, &w->fence, VK_TRUE, UINT64_MAX);
    return NULL;
}

#define LOST(call)                                                                                 \
    do {                                                                                           \
        VkResult result_ = (call);                                                                 \
        VKF_CHECK(result_ == VK_ERROR_DEVICE_LOST, #call ": %s", vkf_result_name(result_));        \
    } while (0)

/* Everything that waits or submits, after the loss. */
static void check_lost(struct vkf *f, VkFence never, VkSemaphore timeline, VkQueryPool queries)
{
    uint64_t value = 5;
    VkSubmitInfo nothing = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    VkSubmitInfo2 nothing2 = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2};
    VkBindSparseInfo bind = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    VkSemaphoreWaitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
                                .semaphoreCount = 1,
                                .pSemaphores = &timeline,
                                .pValues = &value};
    LOST(vkQueueSubmit(f->queue, 1, &nothing, VK_NULL_HANDLE));
    LOST(vkQueueSubmit2(f->queue, 1, &nothing2, VK_NULL_HANDLE));
    LOST(vkQueueBindSparse(f->queue, 1, &bind, VK_NULL_HANDLE));
    LOST(vkWaitForFences(f->device, 1, &never, VK_TRUE, UINT64_MAX));
    LOST(vkGetFenceStatus(f->device, never));
    LOST(vkWaitSemaphores(f->device, &wait, UINT64_MAX));
    LOST(vkGetSemaphoreCounterValue(f->device, timeline, &value));
    LOST(vkGetQueryPoolResults(f->device, queries, 0, 1, 8, &value, 8,
                               VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
    LOST(vkQueueWaitIdle(f->queue));
    LOST(vkDeviceWaitIdle(f->device));
}

/* SIMGPU_LOST=3, or 3:late */
static void lost(bool late)
{
    struct vkf f;
    suite_begin(&f);
    VkFence first = suite_fence(&f), stuck = suite_fence(&f);
    VkSemaphore timeline = suite_timeline(&f, 0);
    VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
                                  .queryType = VK_QUERY_TYPE_OCCLUSION,
                                  .queryCount = 1};
    VkQueryPool queries;
    VKF_VK(vkCreateQueryPool(f.device, &info, NULL, &queries));
    struct vkf_buffer buffer = suite_sparse_buffer(&f, SUITE_BLOCK, 0, 0);
    struct suite_slab slab = suite_slab_create(&f, 1, suite_vram_type(&f, UINT32_MAX));
    const VkSparseMemoryBind bind = {.size = SUITE_BLOCK, .memory = slab.memory};
    VkQueue other = f.queues[1][0];
    suite_submit(f.queue, &(struct suite_batch){0}, first);
    suite_fence_must(&f, first);
    /* A submit, a bind and a thread that wait for what never comes. */
    suite_submit(other, &(struct suite_batch){.waits = {{timeline, 5}}, .signals = {{timeline, 6}}},
                 stuck);
    suite_bind(
        other,
        &(struct suite_batch){
            .buffer = buffer.handle, .binds = &bind, .bind_count = 1, .waits = {{timeline, 5}}},
        VK_NULL_HANDLE);
    struct waiter waiter = {.f = &f, .fence = stuck};
    pthread_t thread;
    VKF_CHECK(pthread_create(&thread, NULL, wait_for_ever, &waiter) == 0, "no thread");
    VkSubmitInfo nothing = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
    VkFence third = suite_fence(&f);
    if (late) {
        VKF_VK(vkQueueSubmit(f.queue, 1, &nothing, third));
        LOST(vkWaitForFences(f.device, 1, &third, VK_TRUE, UINT64_MAX));
    } else {
        LOST(vkQueueSubmit(f.queue, 1, &nothing, third));
    }
    pthread_join(thread, NULL);
    VKF_CHECK(waiter.result == VK_ERROR_DEVICE_LOST, "a waiting thread got %s",
              vkf_result_name(waiter.result));
    VKF_CHECK(vkGetFenceStatus(f.device, first) == VK_SUCCESS, "a signalled fence is not any more");
    check_lost(&f, stuck, timeline, queries);
    /* Everything can be destroyed, and the card is there for another device. */
    vkDestroyFence(f.device, first, NULL);
    vkDestroyFence(f.device, stuck, NULL);
    vkDestroyFence(f.device, third, NULL);
    vkDestroySemaphore(f.device, timeline, NULL);
    vkDestroyQueryPool(f.device, queries, NULL);
    vkf_buffer_destroy(&f, &buffer);
    suite_slab_destroy(&f, &slab);
    vkDestroyFence(f.device, f.fence, NULL);
    vkDestroyCommandPool(f.device, f.pool, NULL);
    vkDestroyDevice(f.device, NULL);
    vkDestroyInstance(f.instance, NULL);
    visitor();
}

int main(int argc, char **argv)
{
    const char *name = argc == 2 ? argv[1] : "";
    VKF_CHECK(mkdtemp(folder), "cannot make a folder");
    atexit(remove_folder);
    if (strcmp(name, "visitor") == 0)
        visitor();
    else if (strcmp(name, "just_begin") == 0)
        just_begin();
    else if (strcmp(name, "visit") == 0)
        visit(argv[0]);
    else if (strcmp(name, "nth") == 0)
        nth();
    else if (strcmp(name, "bad_settings") == 0)
        bad_settings(argv[0]);
    else if (strcmp(name, "late_bind") == 0)
        late_bind();
    else if (strcmp(name, "late_submit") == 0)
        late_submit();
    else if (strcmp(name, "lost") == 0 || strcmp(name, "lost_late") == 0)
        lost(strcmp(name, "lost_late") == 0);
    else
        return VKF_EXIT_USAGE;
    return 0;
}
