/* SPDX-License-Identifier: MIT
 *
 * THE lock order. A thread that holds a lock may take only locks of a higher rank; the check build
 * asserts it (lock.c). One line of reason per rank. */
#pragma once

enum spw_lock_rank {
    SPW_RANK_CONFIG =
        1,             /* the process's configuration: held while files are read, nothing inside */
    SPW_RANK_INSTANCE, /* the list of instances and their physical devices: rarely taken */
    SPW_RANK_REPORT,   /* the devices of the exit summary: taken around a device's books */
    SPW_RANK_DEVICE,   /* one device's accounting and placement: taken per vkAllocateMemory /
                          vkFreeMemory */
    SPW_RANK_HOST_PROMISE, /* the process-wide promise of host memory: taken inside a device's
                              accounting */
    SPW_RANK_HANDLE_MAP,   /* writers of a handle map: leaf, readers take none */
    SPW_RANK_STATS,        /* leaf */
    SPW_RANK_LOG,          /* leaf: any code may log while holding any lock */
};
