/* SPDX-License-Identifier: MIT
 *
 * Mistakes that a GPU would answer with anything at all: each has to be caught and counted, exactly
 * as often as it is made, and told with the right words; and what is no mistake has not to be
 * counted. Every case is a process of its own with counters of its own. */
#include "suite.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "address.spv.h"
#include "stats_json.h"

static void wait_fence(struct vkf *f)
{
    suite_fence_must(f, f->fence);
    VKF_VK(vkResetFences(f->device, 1, &f->fence));
}

/* A sparse buffer of four blocks, bound or not, and memory of four blocks. */
struct scene {
    struct vkf f;
    struct vkf_buffer buffer;
    struct suite_slab slab;
    struct suite_mapped io;
};

static VkSparseMemoryBind range(const struct scene *s, VkDeviceSize offset, VkDeviceSize size,
                                VkDeviceSize memory_offset)
{
    return (VkSparseMemoryBind){.resourceOffset = offset,
                                .size = size,
                                .memory = s->slab.memory,
                                .memoryOffset = memory_offset};
}

static void begin(struct scene *s, VkBufferCreateFlags more_flags)
{
    suite_begin(&s->f);
    s->buffer = suite_sparse_buffer(&s->f, 4 * SUITE_BLOCK, more_flags,
                                    VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
    s->slab = suite_slab_create(&s->f, 4, suite_vram_type(&s->f, UINT32_MAX));
    s->io = suite_mapped_create(&s->f, 8 * SUITE_BLOCK, VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT);
}

static void end(struct scene *s)
{
    VKF_VK(vkDeviceWaitIdle(s->f.device));
    vkf_buffer_destroy(&s->f, &s->buffer);
    suite_slab_destroy(&s->f, &s->slab);
    suite_mapped_destroy(&s->f, &s->io);
    vkf_end(&s->f);
}

static void bind_one(struct scene *s, VkSparseMemoryBind bind)
{
    suite_bind_now(&s->f, s->buffer.handle, VK_NULL_HANDLE, &bind, 1);
}

static void copy_out(struct scene *s, VkDeviceSize offset, VkDeviceSize size)
{
    VkBufferCopy region = {.srcOffset = offset, .size = size};
    vkCmdCopyBuffer(vkf_commands_begin(&s->f), s->buffer.handle, s->io.buffer.handle, 1, &region);
    vkf_commands_run(&s->f);
}

static void bad_resource_offset(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 4096, SUITE_BLOCK, 0));
}

static void bad_memory_offset(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 0, SUITE_BLOCK, 32768));
}

static void bad_size(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 0, 4096, 0));
    bind_one(s, range(s, 0, 0, 0));
}

static void past_resource(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 3 * SUITE_BLOCK, 2 * SUITE_BLOCK, 0));
    bind_one(s, range(s, 0 - SUITE_BLOCK, 2 * SUITE_BLOCK, 0));
    bind_one(s, range(s, SUITE_BLOCK, 0 - SUITE_BLOCK, 0));
}

static void past_memory(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 0, 2 * SUITE_BLOCK, 3 * SUITE_BLOCK));
    bind_one(s, range(s, 0, SUITE_BLOCK, 0 - SUITE_BLOCK));
}

/* One bad range among good ones is refused alone. */
static void one_of_three(struct scene *s)
{
    begin(s, 0);
    VkSparseMemoryBind binds[] = {range(s, 0, SUITE_BLOCK, 0),
                                  range(s, SUITE_BLOCK, SUITE_BLOCK, 4096),
                                  range(s, 2 * SUITE_BLOCK, SUITE_BLOCK, SUITE_BLOCK)};
    suite_bind_now(&s->f, s->buffer.handle, VK_NULL_HANDLE, binds, 3);
    copy_out(s, 0, SUITE_BLOCK);
    copy_out(s, 2 * SUITE_BLOCK, SUITE_BLOCK);
}

static void wrong_type(struct scene *s)
{
    begin(s, 0);
    struct vkf_image image = suite_sparse_image(&s->f, 64, 64, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    uint32_t type = vkf_find_type(&s->f, ~image.requirements.memoryTypeBits, 0, 0);
    VKF_CHECK(type != VKF_NONE, "an optimal image takes every type of this card");
    VkDeviceMemory memory = vkf_allocate(&s->f, image.requirements.size, type);
    VkSparseMemoryBind bind = {.size = image.requirements.size, .memory = memory};
    suite_bind_now(&s->f, VK_NULL_HANDLE, image.handle, &bind, 1);
    vkf_image_destroy(&s->f, &image);
    vkf_free(&s->f, memory);
}

static void not_sparse(struct scene *s)
{
    begin(s, 0);
    VkSparseMemoryBind bind = range(s, 0, SUITE_BLOCK, 0);
    suite_bind_now(&s->f, s->slab.raw.handle, VK_NULL_HANDLE, &bind, 1);
}

static void image_blocks(struct scene *s)
{
    begin(s, 0);
    struct vkf_image image = suite_sparse_image(&s->f, 64, 64, 1, VK_IMAGE_USAGE_SAMPLED_BIT);
    VkSparseImageMemoryBind bind = {.extent = {64, 64, 1}, .memory = s->slab.memory};
    VkSparseImageMemoryBindInfo binds = {.image = image.handle, .bindCount = 1, .pBinds = &bind};
    VkBindSparseInfo info = {
        .sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO, .imageBindCount = 1, .pImageBinds = &binds};
    VKF_VK(vkQueueBindSparse(s->f.queue, 1, &info, s->f.fence));
    wait_fence(&s->f);
    vkf_image_destroy(&s->f, &image);
}

static void no_sparse_card(struct scene *s)
{
    VkBindSparseInfo info = {.sType = VK_STRUCTURE_TYPE_BIND_SPARSE_INFO};
    vkf_begin(&s->f, NULL);
    VKF_VK(vkQueueBindSparse(s->f.queue, 1, &info, s->f.fence));
    wait_fence(&s->f);
    vkf_end(&s->f);
    _exit(0);
}

static void read_unbound(struct scene *s)
{
    begin(s, 0);
    copy_out(s, 0, 3 * SUITE_BLOCK);
    for (uint32_t i = 0; i < 3 * SUITE_BLOCK / 4; i++)
        VKF_CHECK(s->io.words[i] == 0, "an unbound page does not read as zeros");
}

static void write_unbound(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 0, 2 * SUITE_BLOCK, 0));
    vkCmdFillBuffer(vkf_commands_begin(&s->f), s->buffer.handle, SUITE_BLOCK, 3 * SUITE_BLOCK, 7);
    vkf_commands_run(&s->f);
}

/* What was opened for one submit is closed for the next. */
static void write_unbound_twice(struct scene *s)
{
    begin(s, 0);
    for (int i = 0; i < 2; i++) {
        vkCmdFillBuffer(vkf_commands_begin(&s->f), s->buffer.handle, 0, SUITE_BLOCK, 7);
        vkf_commands_run(&s->f);
    }
}

static void after_unbind(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 0, 4 * SUITE_BLOCK, 0));
    bind_one(s, (VkSparseMemoryBind){.resourceOffset = SUITE_BLOCK, .size = SUITE_BLOCK});
    copy_out(s, 0, 4 * SUITE_BLOCK);
}

static void after_free(struct scene *s)
{
    begin(s, 0);
    VkDeviceMemory memory = vkf_allocate(&s->f, 2 * SUITE_BLOCK, s->slab.type);
    bind_one(s, (VkSparseMemoryBind){.size = 2 * SUITE_BLOCK, .memory = memory});
    vkf_free(&s->f, memory);
    copy_out(s, 0, 2 * SUITE_BLOCK);
}

static VkDeviceAddress address_of(const struct scene *s, VkBuffer buffer)
{
    VkBufferDeviceAddressInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO,
                                      .buffer = buffer};
    return vkGetBufferDeviceAddress(s->f.device, &info);
}

/* Four blocks are bound, a shader reads five. */
static void past_end(struct scene *s)
{
    begin(s, 0);
    struct vkf_compute shader = vkf_compute_create(&s->f, address_spv, sizeof(address_spv), 0, 28);
    struct {
        VkDeviceAddress from, to;
        uint32_t words, seed, mode;
    } push = {.from = address_of(s, s->buffer.handle),
              .to = address_of(s, s->io.buffer.handle),
              .words = 5 * SUITE_BLOCK / 4,
              .mode = 1};
    bind_one(s, range(s, 0, 4 * SUITE_BLOCK, 0));
    VkCommandBuffer commands = vkf_commands_begin(&s->f);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, shader.pipeline);
    vkCmdPushConstants(commands, shader.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, 28, &push);
    vkCmdDispatch(commands, push.words / 64, 1, 1);
    vkf_commands_run(&s->f);
    vkf_compute_destroy(&s->f, &shader);
}

/* The bind is handed over first, on the same queue, but nothing tells the submit to wait for it. */
static void no_semaphore(struct scene *s)
{
    begin(s, 0);
    VkSemaphore gate = suite_timeline(&s->f, 0);
    VkFence bound = suite_fence(&s->f);
    VkSparseMemoryBind bind = range(s, 0, 4 * SUITE_BLOCK, 0);
    struct suite_batch batch = {
        .buffer = s->buffer.handle, .binds = &bind, .bind_count = 1, .waits = {{gate, 1}}};
    suite_bind(s->f.queue, &batch, bound);
    VkCommandPool pool = suite_pool(&s->f, s->f.main_family);
    VkCommandBuffer commands = suite_commands_begin(&s->f, pool);
    vkCmdFillBuffer(commands, s->buffer.handle, 0, SUITE_BLOCK, 7);
    suite_commands_end(commands);
    suite_submit(s->f.queue, &(struct suite_batch){.commands = commands}, s->f.fence);
    /* Relaxed: the submit is done now. In strict order it waits for the bind, and so for us. */
    vkWaitForFences(s->f.device, 1, &s->f.fence, VK_TRUE,
                    getenv("SIMGPU_RELAXED_BIND")[0] == '1' ? SUITE_STUCK_NS : 50 * 1000 * 1000);
    suite_timeline_signal(&s->f, gate, 1);
    suite_fence_must(&s->f, bound);
    wait_fence(&s->f);
    vkDestroyCommandPool(s->f.device, pool, NULL);
    vkDestroyFence(s->f.device, bound, NULL);
    vkDestroySemaphore(s->f.device, gate, NULL);
}

/* A bind waits for the host; meanwhile what it names is destroyed. */
static void gone_before_bind(struct scene *s, bool free_memory)
{
    begin(s, 0);
    VkSemaphore gate = suite_timeline(&s->f, 0);
    VkDeviceMemory memory = vkf_allocate(&s->f, SUITE_BLOCK, s->slab.type);
    VkSparseMemoryBind bind = {.size = SUITE_BLOCK, .memory = memory};
    struct suite_batch batch = {
        .buffer = s->buffer.handle, .binds = &bind, .bind_count = 1, .waits = {{gate, 1}}};
    suite_bind(s->f.queue, &batch, s->f.fence);
    if (free_memory)
        vkf_free(&s->f, memory);
    else
        vkf_buffer_destroy(&s->f, &s->buffer);
    suite_timeline_signal(&s->f, gate, 1);
    wait_fence(&s->f);
    vkDestroySemaphore(s->f.device, gate, NULL);
    if (!free_memory)
        vkf_free(&s->f, memory);
}

static void resource_gone(struct scene *s)
{
    gone_before_bind(s, false);
}

static void memory_gone(struct scene *s)
{
    gone_before_bind(s, true);
}

/* Plain binds: of the wrong type, misaligned, past the end, of a sparse buffer. */
static void plain_binds(struct scene *s)
{
    begin(s, 0);
    struct vkf *f = &s->f;
    struct vkf_image image = vkf_image_create(f, 64, 64, 1, 1, VK_IMAGE_TILING_OPTIMAL, 0);
    uint32_t type = vkf_find_type(f, ~image.requirements.memoryTypeBits, 0, 0);
    VkDeviceMemory wrong = vkf_allocate(f, image.requirements.size, type);
    VKF_CHECK(vkBindImageMemory(f->device, image.handle, wrong, 0) != VK_SUCCESS, "wrong type");
    VKF_CHECK(vkBindImageMemory(f->device, image.handle, s->slab.memory, 64) != VK_SUCCESS,
              "misaligned");
    struct vkf_buffer buffer = vkf_buffer_create(f, 2 * SUITE_BLOCK, 0);
    VKF_CHECK(vkBindBufferMemory(f->device, buffer.handle, s->slab.memory, 3 * SUITE_BLOCK) !=
                  VK_SUCCESS,
              "past the end");
    VKF_CHECK(vkBindBufferMemory(f->device, s->buffer.handle, s->slab.memory, 0) != VK_SUCCESS,
              "a sparse buffer");
    VKF_VK(vkBindBufferMemory(f->device, buffer.handle, s->slab.memory, 2 * SUITE_BLOCK));
    vkf_buffer_destroy(f, &buffer);
    vkf_image_destroy(f, &image);
    vkf_free(f, wrong);
}

static void no_mistake(struct scene *s)
{
    begin(s, 0);
    bind_one(s, range(s, 0, 4 * SUITE_BLOCK, 0));
    copy_out(s, 0, 4 * SUITE_BLOCK);
    bind_one(s, (VkSparseMemoryBind){.resourceOffset = SUITE_BLOCK, .size = SUITE_BLOCK});
    copy_out(s, 0, SUITE_BLOCK);
    copy_out(s, 2 * SUITE_BLOCK, 2 * SUITE_BLOCK);
}

/* Residency allows holes to be touched. */
static void holes(struct scene *s)
{
    begin(s, VK_BUFFER_CREATE_SPARSE_RESIDENCY_BIT);
    bind_one(s, range(s, SUITE_BLOCK, SUITE_BLOCK, 0));
    vkCmdFillBuffer(vkf_commands_begin(&s->f), s->buffer.handle, 0, 4 * SUITE_BLOCK, 0x1234567);
    vkf_commands_run(&s->f);
    copy_out(s, 0, 4 * SUITE_BLOCK);
    for (uint32_t i = 0; i < SUITE_BLOCK / 4; i++)
        VKF_CHECK(s->io.words[SUITE_BLOCK / 4 + i] == 0x1234567, "the bound block lost a write");
}

struct negative {
    const char *name;
    void (*run)(struct scene *s);
    uint32_t bad_binds, gpu_faults;
    const char *told; /* in the log; NULL: the log is empty */
    bool strict_order;
    const char *profile; /* NULL: that of the test */
};

static const struct negative cases[] = {
    {"no_mistake", no_mistake, 0, 0, NULL},
    {"holes", holes, 0, 0, NULL},
    {"bad_resource_offset", bad_resource_offset, 1, 0, "resource range not in whole blocks"},
    {"bad_memory_offset", bad_memory_offset, 1, 0, "memory offset not a multiple"},
    {"bad_size", bad_size, 2, 0, "resource range not in whole blocks"},
    {"past_resource", past_resource, 3, 0, "beyond the end of the resource"},
    {"past_memory", past_memory, 2, 0, "beyond the end of the memory"},
    {"one_of_three", one_of_three, 1, 0, "memory offset not a multiple"},
    {"wrong_type", wrong_type, 1, 0, "a memory type that the resource does not take"},
    {"not_sparse", not_sparse, 1, 0, "no sparse binding"},
    {"image_blocks", image_blocks, 1, 0, "by image block"},
    {"no_sparse_card", no_sparse_card, 1, 0, "family 0 has no sparse binding", false, "no-sparse"},
    {"resource_gone", resource_gone, 1, 0, "was destroyed before a bind of it was done"},
    {"memory_gone", memory_gone, 1, 0, "was freed before a bind to it was done"},
    {"plain_binds", plain_binds, 4, 0, "bound by vkQueueBindSparse only"},
    {"read_unbound", read_unbound, 0, 3, "read of unbound page"},
    {"write_unbound", write_unbound, 0, 2, "write to unbound page"},
    {"write_unbound_twice", write_unbound_twice, 0, 2, "write to unbound page"},
    {"after_unbind", after_unbind, 0, 1, "offset 0x10000"},
    {"after_free", after_free, 0, 2, "read of unbound page"},
    {"past_end", past_end, 0, 1, "read of memory past the end"},
    {"no_semaphore", no_semaphore, 0, 1, "write to unbound page"},
    {"no_semaphore_strict", no_semaphore, 0, 0, NULL, true},
};

static char folder[] = "/tmp/simgpu_negative.XXXXXX";

static const char *file(const char *name)
{
    static char paths[2][64];
    static unsigned next;
    char *path = paths[next++ % 2];
    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

/* The wait status of a process that runs the case. */
static int run_case(const struct negative *n, const char *strict)
{
    unlink(file("stats"));
    unlink(file("log"));
    fflush(NULL);
    pid_t child = fork();
    VKF_CHECK(child >= 0, "cannot fork");
    if (child == 0) {
        static struct scene scene;
        setenv("SIMGPU_STATS", file("stats"), 1);
        setenv("SIMGPU_LOG", file("log"), 1);
        setenv("SIMGPU_STRICT", strict, 1);
        setenv("SIMGPU_RELAXED_BIND", n->strict_order ? "0" : "1", 1);
        if (n->profile)
            setenv("SIMGPU_PROFILE", n->profile, 1);
        n->run(&scene);
        end(&scene);
        exit(0);
    }
    int status = 0;
    VKF_CHECK(waitpid(child, &status, 0) == child, "cannot wait");
    return status;
}

static bool log_says(const char *text)
{
    static char log[8192];
    FILE *in = fopen(file("log"), "r");
    size_t length = in ? fread(log, 1, sizeof(log) - 1, in) : 0;
    log[length] = '\0';
    if (in)
        fclose(in);
    bool right = text ? strstr(log, text) != NULL : length == 0;
    if (!right)
        fprintf(stderr, "simgpu's log: '%s'\n", log);
    return right;
}

static void check_case(const struct negative *n)
{
    const char *why = "";
    double bad_binds = -1, gpu_faults = -1;
    int status = run_case(n, "");
    VKF_CHECK(status == 0, "%s: ended with wait status %#x", n->name, (unsigned)status);
    struct stats *stats = stats_load_simgpu(file("stats"), &why);
    VKF_CHECK(stats, "%s: counters: %s", n->name, why);
    VKF_CHECK(stats_number(stats, "simgpu.bad_binds", &bad_binds) &&
                  stats_number(stats, "simgpu.gpu_faults", &gpu_faults),
              "%s: no such counters", n->name);
    VKF_CHECK((uint32_t)bad_binds == n->bad_binds && (uint32_t)gpu_faults == n->gpu_faults,
              "%s: %.0f bad binds and %.0f faults were counted, not %u and %u", n->name, bad_binds,
              gpu_faults, n->bad_binds, n->gpu_faults);
    VKF_CHECK(log_says(n->told), "%s: the log does not say '%s'", n->name,
              n->told ? n->told : "nothing");
    stats_destroy(stats);
    /* And the strict setting ends the process. */
    status = run_case(n, "abort");
    if (n->told)
        VKF_CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT,
                  "%s: SIMGPU_STRICT=abort did not abort (%#x)", n->name, (unsigned)status);
    else
        VKF_CHECK(status == 0, "%s: SIMGPU_STRICT=abort ended a good program", n->name);
}

int main(int argc, char **argv)
{
    uint32_t done = 0;
    VKF_CHECK(mkdtemp(folder), "cannot make a folder");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (argc > 1 && strcmp(argv[1], cases[i].name) != 0)
            continue;
        check_case(&cases[i]);
        done++;
    }
    unlink(file("stats"));
    unlink(file("log"));
    rmdir(folder);
    /* This process's own run has nothing to be counted: `under` looks at that. */
    struct vkf f;
    vkf_begin(&f, NULL);
    vkf_end(&f);
    VKF_CHECK(done > 0, "no such case");
    printf("negative: %u cases\n", done);
    return 0;
}
