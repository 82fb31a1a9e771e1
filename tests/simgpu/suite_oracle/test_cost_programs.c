/* SPDX-License-Identifier: MIT
 *
 * Five small programs whose cost was worked out by hand, as real Vulkan programs. meson.build
 * checks simgpu's totals against this table (figures of the default card: 1 ns carries 1,000 bytes
 * of VRAM or 25 bytes over the link; pages of 64 KiB or 4 KiB make no difference, for whole blocks
 * are used):
 *
 *   sweep     one submit reads 4 MiB of VRAM and writes 64 KiB of it:
 *             10,000 + (4,194,304 + 65,536) / 1,000 (4,260)                              = 14,260
 *   redirect  the same with the 4 MiB in host memory:
 *             10,000 + 4,194,304 / 25 (167,773) + 65,536 / 1,000 (66)                    = 177,839
 *   compute   the same again, with 300,000 ns of arithmetic that hide it                 = 310,000
 *   page      queue A binds three blocks: 5,000 + 3 × 500                                =   6,500
 *             queue B waits for that and moves 192 KiB in:
 *             6,500 + 10,000 + 196,608 / 25 (7,865) + 196,608 / 1,000 (197)              =  24,562
 *             queue C works beside them: 10,000 + 5,000                                  =  15,000
 *             then waits for B, reads the 192 KiB and writes 64 KiB of VRAM:
 *             24,562 + 10,000 + 262,144 / 1,000 (263)                                    =  34,825
 *   link      1 MiB over the link takes 41,944, its other end in VRAM 1,049. Two queues copy in,
 * the second waits for the link: 10,000 + 2 × 41,944 + 1,049 = 94,937; a third copies out beside
 * them: 52,993                                                        = 94,937 */
#include "bench.h"

#include <string.h>

#define BLOCK ((VkDeviceSize)65536)
#define SWEPT (64 * BLOCK)

static void compute_label(struct bench *b, VkCommandBuffer commands, const char *text)
{
    VkDebugUtilsLabelEXT info = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
                                 .pLabelName = text};
    b->label(commands, &info);
}

/* Reads every page of `place`, writes one block of VRAM. */
static void read_all(struct bench *b, enum bench_place place, const char *label)
{
    struct bench_buffer from = bench_buffer_create(b, "from", place, SWEPT);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_VRAM, BLOCK);
    VkCommandBuffer commands = bench_commands(b, NULL);
    if (label)
        compute_label(b, commands, label);
    bench_stride(b, commands, from.buffer.handle, to.buffer.handle, (uint32_t)(SWEPT / 4096), 4096,
                 64);
    vkf_commands_run(&b->f);
    bench_buffer_destroy(b, &from);
    bench_buffer_destroy(b, &to);
}

static void sweep(struct bench *b)
{
    read_all(b, BENCH_VRAM, NULL);
}

static void redirect(struct bench *b)
{
    read_all(b, BENCH_HOST, NULL);
}

static void compute(struct bench *b)
{
    read_all(b, BENCH_HOST, "simgpu:compute_ns=300000");
}

/* --- several queues */

struct lane {
    VkQueue queue;
    VkCommandPool pool;
    VkCommandBuffer commands[2];
};

/* A queue of the family, and command buffers that are being recorded. */
static struct lane lane_begin(struct bench *b, uint32_t family, uint32_t index)
{
    struct lane lane = {.queue = b->f.queues[family][index]};
    VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
                                    .queueFamilyIndex = family};
    VKF_CHECK(lane.queue, "the card has no queue %u of family %u", index, family);
    VKF_VK(vkCreateCommandPool(b->f.device, &pool, NULL, &lane.pool));
    VkCommandBufferAllocateInfo allocate = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
                                            .commandPool = lane.pool,
                                            .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
                                            .commandBufferCount = 2};
    VKF_VK(vkAllocateCommandBuffers(b->f.device, &allocate, lane.commands));
    for (int i = 0; i < 2; i++) {
        VkCommandBufferBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
        VKF_VK(vkBeginCommandBuffer(lane.commands[i], &begin));
    }
    return lane;
}

static void lane_submit(struct lane *lane, int which, VkSemaphore wait, VkSemaphore signal)
{
    static const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
    VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
                           .waitSemaphoreCount = wait != VK_NULL_HANDLE,
                           .pWaitSemaphores = &wait,
                           .pWaitDstStageMask = &all,
                           .commandBufferCount = 1,
                           .pCommandBuffers = &lane->commands[which],
                           .signalSemaphoreCount = signal != VK_NULL_HANDLE,
                           .pSignalSemaphores = &signal};
    VKF_VK(vkEndCommandBuffer(lane->commands[which]));
    VKF_VK(vkQueueSubmit(lane->queue, 1, &submit, VK_NULL_HANDLE));
}

static void lane_end(struct bench *b, struct lane *lane)
{
    vkDestroyCommandPool(b->f.device, lane->pool, NULL);
}

static VkSemaphore semaphore(struct bench *b)
{
    VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO};
    VkSemaphore created = VK_NULL_HANDLE;
    VKF_VK(vkCreateSemaphore(b->f.device, &info, NULL, &created));
    return created;
}

static void bind_three(VkQueue queue, VkBuffer buffer, VkDeviceMemory memory, VkSemaphore signal)
{
    /* Backwards, so that the three are three. */
    VkSparseMemoryBind binds[] = {{0, BLOCK, memory, 2 * BLOCK, 0},
                                  {BLOCK, BLOCK, memory, BLOCK, 0},
                                  {2 * BLOCK, BLOCK, memory, 0, 0}};
    VkSparseBufferMemoryBindInfo info = {.buffer = buffer, .bindCount = 3, .pBinds = binds};
    VkBindSparseInfo batch = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO,
                              .bufferBindCount = 1,
                              .pBufferBinds = &info,
                              .signalSemaphoreCount = 1,
                              .pSignalSemaphores = &signal};
    VKF_VK(vkQueueBindSparse(queue, 1, &batch, VK_NULL_HANDLE));
}

static void page(struct bench *b)
{
    struct vkf_buffer buffer = bench_sparse_buffer(b, "paged", 3 * BLOCK);
    struct bench_buffer vram = bench_buffer_create(b, "vram", BENCH_VRAM, 3 * BLOCK);
    struct bench_buffer host = bench_buffer_create(b, "host", BENCH_HOST, 3 * BLOCK);
    struct bench_buffer to = bench_buffer_create(b, "to", BENCH_VRAM, BLOCK);
    struct lane mover = lane_begin(b, 2, 0), worker = lane_begin(b, 0, 0);
    VkSemaphore bound = semaphore(b), moved = semaphore(b);
    for (uint32_t i = 0; i < 48; i++)
        host.words[i * 1024] = i;
    VkBufferCopy copy = {.size = 3 * BLOCK};
    vkCmdCopyBuffer(mover.commands[0], host.buffer.handle, buffer.handle, 1, &copy);
    compute_label(b, worker.commands[0], "simgpu:compute_ns=2000");
    compute_label(b, worker.commands[0], "simgpu:compute_ns=3000");
    bench_stride(b, worker.commands[1], buffer.handle, to.buffer.handle, 48, 4096, 1344);
    lane_submit(&worker, 0, VK_NULL_HANDLE, VK_NULL_HANDLE);
    bind_three(b->f.queues[1][0], buffer.handle, vram.memory, bound);
    lane_submit(&mover, 0, bound, moved);
    lane_submit(&worker, 1, moved, VK_NULL_HANDLE);
    VKF_VK(vkDeviceWaitIdle(b->f.device));
    vkDestroySemaphore(b->f.device, bound, NULL);
    vkDestroySemaphore(b->f.device, moved, NULL);
    lane_end(b, &mover);
    lane_end(b, &worker);
    vkf_buffer_destroy(&b->f, &buffer);
    bench_buffer_destroy(b, &vram);
    bench_buffer_destroy(b, &host);
    bench_buffer_destroy(b, &to);
}

static void link_in_turn(struct bench *b)
{
    struct bench_buffer vram[3], host[3];
    struct lane lanes[3] = {lane_begin(b, 0, 0), lane_begin(b, 1, 0), lane_begin(b, 2, 0)};
    VkBufferCopy copy = {.size = 16 * BLOCK};
    for (int i = 0; i < 3; i++) {
        vram[i] = bench_buffer_create(b, "vram", BENCH_VRAM, 16 * BLOCK);
        host[i] = bench_buffer_create(b, "host", BENCH_HOST, 16 * BLOCK);
        VkBuffer pair[] = {host[i].buffer.handle, vram[i].buffer.handle};
        vkCmdCopyBuffer(lanes[i].commands[0], pair[i == 2], pair[i != 2], 1, &copy);
    }
    for (int i = 0; i < 3; i++)
        lane_submit(&lanes[i], 0, VK_NULL_HANDLE, VK_NULL_HANDLE);
    VKF_VK(vkDeviceWaitIdle(b->f.device));
    for (int i = 0; i < 3; i++) {
        lane_end(b, &lanes[i]);
        bench_buffer_destroy(b, &vram[i]);
        bench_buffer_destroy(b, &host[i]);
    }
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(struct bench *b);
    } programs[] = {{"sweep", sweep},
                    {"redirect", redirect},
                    {"compute", compute},
                    {"page", page},
                    {"link", link_in_turn}};
    for (size_t i = 0; argc == 2 && i < sizeof(programs) / sizeof(programs[0]); i++) {
        struct bench b;
        if (strcmp(argv[1], programs[i].name) != 0)
            continue;
        bench_begin(&b);
        programs[i].run(&b);
        bench_end(&b);
        return VKF_EXIT_OK;
    }
    return VKF_EXIT_USAGE;
}
