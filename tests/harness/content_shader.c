/* SPDX-License-Identifier: MIT
 *
 * Filling and comparing buffers by compute shader, many ranges a submit. */
#include "content_private.h"

#include <stdio.h>

#include "content_fill.spv.h"
#include "content_verify.spv.h"

/* A storage buffer range of at most this: maxStorageBufferRange is 128 MiB at least, and a multiple
 * of every offset alignment. */
#define RANGE_BYTES ((uint64_t)32 << 20)
/* Words a work group does, as in shaders/content.glsl. */
#define GROUP_WORDS (64u * 16u)

struct push {
    uint32_t seed, first_word, word_count, slot;
};

static void make_ready(struct content *c)
{
    struct content_shader *s = &c->shader;
    if (s->ready)
        return;
    s->fill = vkf_compute_create(c->f, content_fill_spv, sizeof(content_fill_spv), 1,
                                 sizeof(struct push));
    s->verify = vkf_compute_create(c->f, content_verify_spv, sizeof(content_verify_spv), 2,
                                   sizeof(struct push));
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 2 * CONTENT_SLOTS};
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = CONTENT_SLOTS,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VKF_VK(vkCreateDescriptorPool(c->f->device, &pool, NULL, &s->pool));
    s->results = vkf_buffer_create(c->f, CONTENT_SLOTS * 8, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT);
    VkMemoryPropertyFlags flags =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t bits = s->results.requirements.memoryTypeBits;
    uint32_t type = vkf_find_type(c->f, bits, flags, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    if (type == VKF_NONE)
        type = vkf_want_type(c->f, bits, flags);
    s->results_memory = vkf_allocate(c->f, s->results.requirements.size, type);
    VKF_VK(vkBindBufferMemory(c->f->device, s->results.handle, s->results_memory, 0));
    void *words = NULL;
    VKF_VK(vkMapMemory(c->f->device, s->results_memory, 0, VK_WHOLE_SIZE, 0, &words));
    s->result_words = words;
    s->ready = true;
}

void content_shader_finish(struct content *c)
{
    struct content_shader *s = &c->shader;
    if (!s->ready)
        return;
    vkf_compute_destroy(c->f, &s->fill);
    vkf_compute_destroy(c->f, &s->verify);
    vkDestroyDescriptorPool(c->f->device, s->pool, NULL);
    vkf_buffer_destroy(c->f, &s->results);
    vkf_free(c->f, s->results_memory);
    *s = (struct content_shader){0};
}

static VkDescriptorSet make_set(struct content *c, const struct content_slot *slot)
{
    struct content_shader *s = &c->shader;
    VkDescriptorSetAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = s->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = s->verifying ? &s->verify.set_layout : &s->fill.set_layout,
    };
    VkDescriptorSet set = VK_NULL_HANDLE;
    VKF_VK(vkAllocateDescriptorSets(c->f->device, &allocate, &set));
    VkDescriptorBufferInfo buffers[2] = {
        {c->items[slot->item].buffer, slot->offset, slot->size_bytes},
        {s->results.handle, 0, VK_WHOLE_SIZE},
    };
    VkWriteDescriptorSet writes[2];
    for (uint32_t i = 0; i < 2; i++)
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &buffers[i],
        };
    vkUpdateDescriptorSets(c->f->device, s->verifying ? 2 : 1, writes, 0, NULL);
    return set;
}

static void record_slot(struct content *c, VkCommandBuffer commands, uint32_t index)
{
    struct content_shader *s = &c->shader;
    const struct content_slot *slot = &s->slots[index];
    const struct vkf_compute *compute = s->verifying ? &s->verify : &s->fill;
    VkDescriptorSet set = make_set(c, slot);
    struct push push = {
        .seed = c->items[slot->item].pattern,
        .first_word = (uint32_t)(slot->offset / 4),
        .word_count = (uint32_t)(slot->size_bytes / 4),
        .slot = index,
    };
    vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, compute->layout, 0, 1, &set,
                            0, NULL);
    vkCmdPushConstants(commands, compute->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(push),
                       &push);
    vkCmdDispatch(commands, (push.word_count + GROUP_WORDS - 1) / GROUP_WORDS, 1, 1);
}

/* The shader counted wrong words and knows the first: fetch it to say which byte and what it holds.
 */
static void report_slot(struct content *c, uint32_t index)
{
    struct content_shader *s = &c->shader;
    struct content_item *item = &c->items[s->slots[index].item];
    uint64_t offset = (uint64_t)s->result_words[index * 2 + 1] * 4;
    uint32_t wrong_words = s->result_words[index * 2];
    uint8_t word[4];
    vkf_buffer_read(c->f, item->buffer, offset, word, sizeof(word));
    size_t byte = content_compare(item->pattern, offset, word, sizeof(word));
    if (byte == sizeof(word))
        fprintf(stderr,
                "wrong content: '%s' at offset %llu as a shader sees it, right as a copy does\n",
                item->name, (unsigned long long)offset);
    else
        content_report(c, item, offset + byte, word[byte]);
    fprintf(stderr, "  (%u words wrong in the range of %llu bytes at %llu)\n", wrong_words,
            (unsigned long long)s->slots[index].size_bytes,
            (unsigned long long)s->slots[index].offset);
}

bool content_shader_flush(struct content *c)
{
    struct content_shader *s = &c->shader;
    bool right = true;
    if (s->slot_count == 0)
        return true;
    for (uint32_t i = 0; i < s->slot_count; i++) {
        s->result_words[i * 2] = 0;
        s->result_words[i * 2 + 1] = UINT32_MAX;
    }
    VkCommandBuffer commands = vkf_commands_begin(c->f);
    vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                      s->verifying ? s->verify.pipeline : s->fill.pipeline);
    for (uint32_t i = 0; i < s->slot_count; i++)
        record_slot(c, commands, i);
    vkf_full_barrier(commands);
    vkf_commands_run(c->f);
    VKF_VK(vkResetDescriptorPool(c->f->device, s->pool, 0));
    for (uint32_t i = 0; i < s->slot_count && s->verifying && right; i++) {
        if (s->result_words[i * 2] == 0)
            continue;
        report_slot(c, i);
        right = false;
    }
    s->slot_count = 0;
    return right;
}

static bool queue_ranges(struct content *c, uint32_t item, bool verifying)
{
    struct content_shader *s = &c->shader;
    uint64_t size = c->items[item].size_bytes;
    bool right = true;
    make_ready(c);
    VKF_CHECK(size % 4 == 0, "'%s': a shader does whole words only", c->items[item].name);
    if (s->verifying != verifying)
        right = content_shader_flush(c);
    s->verifying = verifying;
    for (uint64_t at = 0; at < size && right; at += RANGE_BYTES) {
        if (s->slot_count == CONTENT_SLOTS)
            right = content_shader_flush(c);
        s->slots[s->slot_count++] = (struct content_slot){
            .item = item,
            .offset = at,
            .size_bytes = size - at < RANGE_BYTES ? size - at : RANGE_BYTES,
        };
    }
    return right;
}

void content_shader_fill(struct content *c, uint32_t item)
{
    if (!queue_ranges(c, item, false))
        vkf_exit_with(VKF_EXIT_CONTENT, __FILE__, __LINE__,
                      "wrong content in a check queued before");
}

bool content_shader_check(struct content *c, uint32_t item)
{
    return queue_ranges(c, item, true);
}
