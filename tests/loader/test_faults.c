/* SPDX-License-Identifier: MIT
 *
 * Everything fails once. A little program is run through the layer on the fake driver, again and
 * again: each time another call that the layer makes of the driver fails, or another allocation of
 * the layer's, or a command has no address. The program must get the driver's own answer or not
 * notice; nothing may be left behind, on the heap or in the driver; and the next run must work.
 *
 *   test_faults LAYER.so */
#include "fake_world.h"

#include "registry_lists.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNT(a)  (sizeof(a) / sizeof((a)[0]))
#define MAX_STEPS 48

/* Of the fake card's 256 MiB: the fourth does not fit, so the layer has to look for other memory.
 */
#define CHUNK_BYTES ((VkDeviceSize)72 << 20)
#define CHUNKS      4

/* One call of the program's: what it got, and which of the driver's calls fell into it. */
struct step {
    const char *command;
    VkResult result;
    uint32_t first_call, end_call;
};

static struct step steps[MAX_STEPS];
static unsigned step_count;

static void begin(const char *command)
{
    CHECK(step_count < MAX_STEPS);
    steps[step_count] = (struct step){.command = command, .first_call = fake.call_count};
}

static VkResult end(VkResult result)
{
    steps[step_count].end_call = fake.call_count;
    steps[step_count].result = result;
    step_count++;
    return result;
}

/* For commands that answer a VkResult, and for those that do not. */
#define STEP(command, call) (begin(command), end(call))
#define STEP_VOID(command, call)                                                                   \
    do {                                                                                           \
        begin(command);                                                                            \
        call;                                                                                      \
        end(VK_SUCCESS);                                                                           \
    } while (0)

#define OF_INSTANCE(name)                                                                          \
    PFN_vk##name name = (PFN_vk##name)layer.GetInstanceProcAddr(instance, "vk" #name)
#define OF_DEVICE(name)                                                                            \
    PFN_vk##name name = (PFN_vk##name)layer.GetDeviceProcAddr(device, "vk" #name)

static void use_chunks(VkDevice device)
{
    VkDeviceMemory chunks[CHUNKS] = {VK_NULL_HANDLE};
    OF_DEVICE(AllocateMemory);
    OF_DEVICE(FreeMemory);

    for (unsigned i = 0; i < CHUNKS; i++) {
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = CHUNK_BYTES,
                                     .memoryTypeIndex =
                                         fake.config.memory.memoryTypeCount > 1 ? 1 : 0};
        if (STEP("vkAllocateMemory", AllocateMemory(device, &info, NULL, &chunks[i])) != VK_SUCCESS)
            chunks[i] = VK_NULL_HANDLE;
    }
    for (unsigned i = 0; i < CHUNKS; i++)
        STEP_VOID("vkFreeMemory", FreeMemory(device, chunks[i], NULL));
}

static uint32_t host_type(void)
{
    for (uint32_t i = 0; i < fake.config.memory.memoryTypeCount; i++)
        if (fake.config.memory.memoryTypes[i].propertyFlags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT)
            return i;
    CHECK(!"a host-visible type");
    return 0;
}

static void use_buffer(VkDevice device)
{
    VkBufferCreateInfo buffer_info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
                                      .size = 4096,
                                      .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
    VkBuffer buffer;
    VkDeviceMemory memory;
    VkMemoryRequirements requirements;
    void *bytes;
    OF_DEVICE(CreateBuffer);
    OF_DEVICE(DestroyBuffer);
    OF_DEVICE(GetBufferMemoryRequirements);
    OF_DEVICE(AllocateMemory);
    OF_DEVICE(FreeMemory);
    OF_DEVICE(BindBufferMemory);
    OF_DEVICE(MapMemory);
    OF_DEVICE(UnmapMemory);

    if (STEP("vkCreateBuffer", CreateBuffer(device, &buffer_info, NULL, &buffer)) != VK_SUCCESS)
        return;
    STEP_VOID("vkGetBufferMemoryRequirements",
              GetBufferMemoryRequirements(device, buffer, &requirements));
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = requirements.size,
                                 .memoryTypeIndex = host_type()};
    if (STEP("vkAllocateMemory", AllocateMemory(device, &info, NULL, &memory)) == VK_SUCCESS) {
        STEP("vkBindBufferMemory", BindBufferMemory(device, buffer, memory, 0));
        if (STEP("vkMapMemory", MapMemory(device, memory, 0, VK_WHOLE_SIZE, 0, &bytes)) ==
            VK_SUCCESS)
            STEP_VOID("vkUnmapMemory", UnmapMemory(device, memory));
        STEP_VOID("vkFreeMemory", FreeMemory(device, memory, NULL));
    }
    STEP_VOID("vkDestroyBuffer", DestroyBuffer(device, buffer, NULL));
}

static void use_dedicated_image(VkDevice device)
{
    VkImageCreateInfo image_info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
                                    .imageType = VK_IMAGE_TYPE_2D,
                                    .format = VK_FORMAT_R8G8B8A8_UNORM,
                                    .extent = {64, 64, 1},
                                    .mipLevels = 1,
                                    .arrayLayers = 1,
                                    .samples = VK_SAMPLE_COUNT_1_BIT,
                                    .usage = VK_IMAGE_USAGE_SAMPLED_BIT};
    VkImage image;
    VkDeviceMemory memory;
    VkMemoryRequirements requirements;
    OF_DEVICE(CreateImage);
    OF_DEVICE(DestroyImage);
    OF_DEVICE(GetImageMemoryRequirements);
    OF_DEVICE(AllocateMemory);
    OF_DEVICE(FreeMemory);
    OF_DEVICE(BindImageMemory);

    if (STEP("vkCreateImage", CreateImage(device, &image_info, NULL, &image)) != VK_SUCCESS)
        return;
    STEP_VOID("vkGetImageMemoryRequirements",
              GetImageMemoryRequirements(device, image, &requirements));
    VkMemoryDedicatedAllocateInfo dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO, .image = image};
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .pNext = &dedicated,
                                 .allocationSize = requirements.size,
                                 .memoryTypeIndex = fake.config.memory.memoryTypeCount > 1 ? 1 : 0};
    if (STEP("vkAllocateMemory", AllocateMemory(device, &info, NULL, &memory)) == VK_SUCCESS) {
        STEP("vkBindImageMemory", BindImageMemory(device, image, memory, 0));
        STEP_VOID("vkFreeMemory", FreeMemory(device, memory, NULL));
    }
    STEP_VOID("vkDestroyImage", DestroyImage(device, image, NULL));
}

static void ask(VkInstance instance, VkPhysicalDevice gpu)
{
    VkPhysicalDeviceMemoryProperties properties;
    VkPhysicalDeviceMemoryBudgetPropertiesEXT budget = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT};
    VkPhysicalDeviceMemoryProperties2 properties2 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2, .pNext = &budget};
    VkPhysicalDeviceToolProperties tools[4] = {
        {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES}};
    uint32_t count = 4;
    OF_INSTANCE(GetPhysicalDeviceMemoryProperties);
    OF_INSTANCE(GetPhysicalDeviceMemoryProperties2);
    OF_INSTANCE(GetPhysicalDeviceToolProperties);
    OF_INSTANCE(EnumerateDeviceExtensionProperties);

    STEP_VOID("vkGetPhysicalDeviceMemoryProperties",
              GetPhysicalDeviceMemoryProperties(gpu, &properties));
    CHECK(properties.memoryTypeCount == fake.config.memory.memoryTypeCount);
    if (GetPhysicalDeviceMemoryProperties2 != NULL)
        STEP_VOID("vkGetPhysicalDeviceMemoryProperties2",
                  GetPhysicalDeviceMemoryProperties2(gpu, &properties2));
    if (GetPhysicalDeviceToolProperties != NULL) {
        STEP("vkGetPhysicalDeviceToolProperties",
             GetPhysicalDeviceToolProperties(gpu, &count, NULL));
        count = 4;
        STEP("vkGetPhysicalDeviceToolProperties",
             GetPhysicalDeviceToolProperties(gpu, &count, tools));
    }
    STEP("vkEnumerateDeviceExtensionProperties",
         EnumerateDeviceExtensionProperties(gpu, NULL, &count, NULL));
}

static void use_instance(VkInstance instance, bool extended)
{
    static const char *const extensions[] = {"VK_EXT_memory_priority"};
    float priority = 1.0f;
    VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
                                     .queueCount = 1,
                                     .pQueuePriorities = &priority};
    VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                               .queueCreateInfoCount = 1,
                               .pQueueCreateInfos = &queue,
                               .enabledExtensionCount = extended ? 1 : 0,
                               .ppEnabledExtensionNames = extensions};
    VkPhysicalDevice gpus[FAKE_GPUS];
    uint32_t count = FAKE_GPUS;
    VkDevice device = NULL;
    OF_INSTANCE(EnumeratePhysicalDevices);

    if (STEP("vkEnumeratePhysicalDevices", EnumeratePhysicalDevices(instance, &count, gpus)) !=
        VK_SUCCESS)
        return;
    ask(instance, gpus[0]);
    if (STEP("vkCreateDevice", fake_create_device(instance, gpus[0], &info, NULL, &device)) !=
        VK_SUCCESS) {
        CHECK(device == NULL);
        return;
    }
    use_chunks(device);
    use_buffer(device);
    use_dedicated_image(device);
    STEP_VOID("vkDestroyDevice", fake_destroy_device(device));
}

/* The whole program, from nothing to nothing. */
static void run_program(void)
{
    static const char *const extensions[] = {"VK_KHR_surface"};
    VkApplicationInfo app = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                             .apiVersion = fake.config.api_version};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &app,
                                 .enabledExtensionCount = 1,
                                 .ppEnabledExtensionNames = extensions};
    VkInstance instance = NULL;

    step_count = 0;
    if (STEP("vkCreateInstance", fake_create_instance(&info, NULL, &instance)) != VK_SUCCESS) {
        CHECK(instance == NULL);
        return;
    }
    use_instance(instance, fake.config.device_extension_count > 0);
    STEP_VOID("vkDestroyInstance", fake_destroy_instance(instance));
}

/* --- The driver's kinds. */

static const char *const modern_extensions[] = {"VK_EXT_memory_budget", "VK_EXT_memory_priority"};

static void set_up(const char *kind)
{
    fake_reset();
    if (strcmp(kind, "old") == 0) {
        fake.config.api_version = VK_API_VERSION_1_0;
        return;
    }
    fake.config.device_extensions = modern_extensions;
    fake.config.device_extension_count = COUNT(modern_extensions);
    if (strcmp(kind, "unified") == 0)
        fake.config.memory = (VkPhysicalDeviceMemoryProperties){
            .memoryHeapCount = 1,
            .memoryHeaps = {{(VkDeviceSize)1 << 30, VK_MEMORY_HEAP_DEVICE_LOCAL_BIT}},
            .memoryTypeCount = 1,
            .memoryTypes = {{VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT |
                                 VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
                                 VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
                             0}}};
}

static void explain(const struct step *s)
{
    fprintf(stderr, "%s: the program's %s got %d\n", fake.test, s->command, s->result);
}

static unsigned count_in(const struct step *s, const char *call)
{
    unsigned count = 0;
    for (uint32_t i = s->first_call; i < s->end_call; i++)
        count += strcmp(fake.calls[i], call) == 0;
    return count;
}

/* After a run in which call `index` of the driver's answered `answer`. */
static void judge(uint32_t index, VkResult answer)
{
    CHECK(index < fake.call_count);
    for (unsigned i = 0; i < step_count; i++) {
        const struct step *s = &steps[i];
        bool here = s->first_call <= index && index < s->end_call;
        /* The call that the program itself made: it may hear of it or the layer tried once more. */
        bool own = here && strcmp(fake.calls[index], s->command) == 0;
        if (here && s->result == answer)
            continue;
        if (s->result != VK_SUCCESS || (own && count_in(s, s->command) < 2)) {
            explain(s);
            fprintf(stderr, "… when the driver's %s (call %u) answered %d\n", fake.calls[index],
                    index, answer);
            CHECK(!"the right answer");
        }
    }
}

static void clean_run(const char *kind)
{
    int64_t live;

    set_up(kind);
    run_program(); /* the first may leave behind what belongs to the process */
    fake_check_clean();
    live = heap_live();
    set_up(kind);
    run_program();
    fake_check_clean();
    for (unsigned i = 0; i < step_count; i++)
        if (steps[i].result != VK_SUCCESS) {
            explain(&steps[i]);
            CHECK(!"a clean run");
        }
    CHECK(heap_live() == live);
}

/* Returns how many calls there were to fail. */
static unsigned fail_each_call(const char *kind, VkResult answer)
{
    static bool fallible[FAKE_MAX_CALLS];
    unsigned failed = 0;

    clean_run(kind);
    uint32_t call_count = fake.call_count;
    memcpy(fallible, fake.fallible, sizeof fallible);
    int64_t live = heap_live();
    for (uint32_t i = 0; i < call_count; i++) {
        if (!fallible[i])
            continue;
        set_up(kind);
        fake.fail_at = i;
        fake.fail_with = answer;
        run_program();
        judge(i, answer);
        fake_check_clean();
        if (heap_live() != live) {
            fprintf(stderr, "%s: %lld blocks left after %s (call %u) answered %d\n", fake.test,
                    (long long)(heap_live() - live), fake.calls[i], i, answer);
            CHECK(!"nothing left behind");
        }
        failed++;
    }
    clean_run(kind);
    return failed;
}

static unsigned fail_each_allocation(const char *kind)
{
    unsigned n;

    clean_run(kind);
    int64_t live = heap_live();
    for (n = 1;; n++) {
        unsigned failures = 0;
        set_up(kind);
        heap_fail_nth(n);
        run_program();
        bool failed = heap_has_failed();
        heap_fail_nth(0);
        fake_check_clean();
        for (unsigned i = 0; i < step_count; i++) {
            if (steps[i].result == VK_SUCCESS)
                continue;
            failures++;
            if (steps[i].result != VK_ERROR_OUT_OF_HOST_MEMORY) {
                explain(&steps[i]);
                CHECK(!"out of host memory");
            }
        }
        CHECK(failures <= 1);
        if (heap_live() != live) {
            fprintf(stderr, "%s: %lld blocks left after allocation %u failed\n", fake.test,
                    (long long)(heap_live() - live), n);
            CHECK(!"nothing left behind");
        }
        if (!failed)
            break;
    }
    clean_run(kind);
    return n - 1;
}

/* The same where nothing has been set up yet: what the layer makes once for the process fails too.
 * Each attempt is a process of its own, forked off before the layer was first used. */
static void fail_each_first_allocation(void)
{
    unsigned n = 0;
    int status;

    do {
        n++;
        fflush(NULL);
        pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            set_up("discrete");
            heap_fail_nth(n);
            run_program();
            bool failed = heap_has_failed();
            heap_fail_nth(0);
            fake_check_clean();
            for (unsigned i = 0; i < step_count; i++)
                CHECK(steps[i].result == VK_SUCCESS ||
                      steps[i].result == VK_ERROR_OUT_OF_HOST_MEMORY);
            clean_run("discrete");
            _exit(failed ? 77 : 0);
        }
        CHECK(waitpid(child, &status, 0) == child);
        if (!WIFEXITED(status) || (WEXITSTATUS(status) != 77 && WEXITSTATUS(status) != 0)) {
            fprintf(stderr, "status %#x when allocation %u failed\n", status, n);
            CHECK(!"survived");
        }
    } while (WEXITSTATUS(status) == 77);
    printf("first use: %u allocations failed\n", n - 1);
    CHECK(n > 5);
}

/* However often the driver refuses, what was set aside for it is given back. */
static void refused_memory_is_given_back(void)
{
    VkDeviceMemory memory;
    VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                 .allocationSize = CHUNK_BYTES,
                                 .memoryTypeIndex = 1};

    set_up("discrete");
    VkInstance instance = fake_simple_instance(VK_API_VERSION_1_3);
    VkDevice device = fake_simple_device(instance, fake_first_gpu(instance));
    OF_DEVICE(AllocateMemory);
    OF_DEVICE(FreeMemory);
    fake.fail_always = "vkAllocateMemory";
    for (unsigned i = 0; i < 200; i++) {
        fake.fail_with = i % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_TOO_MANY_OBJECTS;
        CHECK(AllocateMemory(device, &info, NULL, &memory) == fake.fail_with);
    }
    fake.fail_always = NULL;
    CHECK(AllocateMemory(device, &info, NULL, &memory) == VK_SUCCESS);
    CHECK(((struct fake_object *)(uintptr_t)memory)->type == 1);
    FreeMemory(device, memory, NULL);
    fake_destroy_device(device);
    fake_destroy_instance(instance);
    fake_check_clean();
}

/* A program that frees nothing, as many do at their end. */
static void forgotten_memory_is_forgotten(void)
{
    for (unsigned round = 0; round < 4; round++) {
        static int64_t live;
        VkDeviceMemory memory;
        VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
                                     .allocationSize = CHUNK_BYTES,
                                     .memoryTypeIndex = 1};
        set_up("discrete");
        fake.config.forgiving = true;
        VkInstance instance = fake_simple_instance(VK_API_VERSION_1_3);
        VkDevice device = fake_simple_device(instance, fake_first_gpu(instance));
        OF_DEVICE(AllocateMemory);
        for (unsigned i = 0; i < CHUNKS; i++)
            CHECK(AllocateMemory(device, &info, NULL, &memory) == VK_SUCCESS);
        fake_destroy_device(device);
        fake_destroy_instance(instance);
        fake_check_clean();
        CHECK(round == 0 || heap_live() == live);
        live = heap_live();
    }
}

/* No command beyond Vulkan 1.0 can be counted on. */
static unsigned hide_each_command(const char *kind)
{
    unsigned hidden = 0;

    for (unsigned i = 0; i < COUNT(registry_commands); i++) {
        const struct registry_command *c = &registry_commands[i];
        if ((c->major == 1 && c->minor == 0) || !fake_was_looked_up(c->name))
            continue;
        set_up(kind);
        fake.config.missing = c->name;
        run_program();
        fake_check_clean();
        for (unsigned s = 0; s < step_count; s++)
            if (steps[s].result != VK_SUCCESS) {
                explain(&steps[s]);
                fprintf(stderr, "… without %s\n", c->name);
                CHECK(!"usable without it");
            }
        hidden++;
    }
    return hidden;
}

int main(int argc, char **argv)
{
    static const char *const kinds[] = {"discrete", "old", "unified"};
    static const VkResult answers[] = {VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_OUT_OF_DEVICE_MEMORY,
                                       VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_DEVICE_LOST};

    if (argc != 2)
        return 1;
    /* The machine that this runs on plays no part: all of its memory may be had. */
    setenv("SPILLWAY_HOST_FLOOR", "0", 1);
    setenv("SPILLWAY_LOG_LEVEL", "error", 1);
    fake_open_layer(argv[1]);
    fake.test = "first use";
    if (heap_is_counted())
        fail_each_first_allocation();
    fake.test = "refused memory";
    refused_memory_is_given_back();
    fake.test = "forgotten memory";
    forgotten_memory_is_forgotten();
    for (unsigned i = 0; i < COUNT(kinds); i++) {
        unsigned calls = 0;
        fake.test = kinds[i];
        for (unsigned a = 0; a < COUNT(answers); a++)
            calls = fail_each_call(kinds[i], answers[a]);
        unsigned allocations = heap_is_counted() ? fail_each_allocation(kinds[i]) : 0;
        unsigned commands = hide_each_command(kinds[i]);
        printf("%s: %u calls and %u allocations failed, %u commands hidden\n", kinds[i], calls,
               allocations, commands);
        CHECK(calls > 10 && commands > 10 && (allocations > 5 || !heap_is_counted()));
    }
    return 0;
}
