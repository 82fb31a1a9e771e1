/* SPDX-License-Identifier: MIT
 *
 * Mishaps of a device: work that takes its time (SIMGPU_DELAY_US) and a device that is lost for
 * good (SIMGPU_LOST=n: at the n-th vkQueueSubmit or vkQueueSubmit2 of the process).
 *
 * A device is lost on one of two occasions: the call itself is answered VK_ERROR_DEVICE_LOST, or
 * (":late") it is accepted and the device is lost when the work would run. From then on nothing
 * that was queued runs any more or signals anything, and every submit, bind, present, acquire, wait
 * and query that is not satisfied already is answered VK_ERROR_DEVICE_LOST at once. Objects can be
 * destroyed as ever, and a new device can be made. */
#pragma once

#include "sim.h"

struct sim_op;

/* At the start of a submit: VK_ERROR_DEVICE_LOST if the device is or now becomes lost. *late: the
 * submit is accepted and its first operation has to lose the device. */
VkResult sim_lost_submit(struct sim_device *device, bool *late);

void sim_device_lose(struct sim_device *device);
bool sim_device_is_lost(struct sim_device *device);
/* VK_ERROR_DEVICE_LOST or VK_SUCCESS. */
VkResult sim_device_status(struct sim_device *device);

/* Sleeps, unless the device is being destroyed or is lost meanwhile. */
void sim_device_delay(struct sim_device *device, uint64_t us);
