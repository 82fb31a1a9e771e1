/* SPDX-License-Identifier: MIT
 *
 * The exit summary: see report.h. It is printed from the shared object's destructor, which runs
 * both when the loader unloads the layer with its last instance and when a program ends without
 * destroying anything. */
#include "report.h"

#include "host_alloc.h"
#include "log.h"
#include "stats_json.h"

#include <stdio.h>

/* A program that makes devices without end gets the first ones listed and the rest counted. */
#define MAX_SUMMARIES 64

static struct spw_mutex lock = SPW_MUTEX_INIT(SPW_RANK_REPORT);
/* protected by lock */
static struct spw_device_summary *finished[MAX_SUMMARIES];
static struct spw_device *live[MAX_SUMMARIES];
static size_t finished_count, live_count;
static uint64_t left_out;
static bool wanted; /* some instance had stats = exit */

static void summarise(struct spw_device_summary *out, struct spw_device *device)
{
    struct spw_physical_device *p = device->physical;
    snprintf(out->name, sizeof(out->name), "%s", p->name);
    snprintf(out->mode, sizeof(out->mode), "%s", spw_mode_name(p->mode));
    snprintf(out->reason, sizeof(out->reason), "%s", p->reason);
    out->settings_json = p->settings_json ? spw_strdup(p->settings_json) : NULL;
    spw_mutex_lock(&p->lock);
    uint32_t heap = p->account.layout.main_heap;
    if (heap != UINT32_MAX) {
        out->vram_target = spw_account_target(&p->account, heap);
        out->virtual_size = p->told_size[heap];
    }
    out->stats = device->stats;
    spw_mutex_unlock(&p->lock);
}

void spw_report_add_device(struct spw_device *device)
{
    if (device->physical->effective.settings.stats != SPW_STATS_EXIT)
        return;
    spw_mutex_lock(&lock);
    wanted = true;
    if (live_count < MAX_SUMMARIES)
        live[live_count++] = device;
    else
        left_out++;
    spw_mutex_unlock(&lock);
}

void spw_report_remove_device(struct spw_device *device)
{
    spw_mutex_lock(&lock);
    for (size_t i = 0; i < live_count; i++) {
        if (live[i] != device)
            continue;
        live[i] = live[--live_count];
        struct spw_device_summary *summary =
            finished_count < MAX_SUMMARIES ? spw_calloc(1, sizeof(*summary)) : NULL;
        if (summary) {
            summarise(summary, device);
            finished[finished_count++] = summary;
        } else {
            left_out++;
        }
        break;
    }
    spw_mutex_unlock(&lock);
}

__attribute__((destructor)) static void print_at_exit(void)
{
    if (!wanted)
        return;
    spw_mutex_lock(&lock);
    size_t count = finished_count + live_count;
    struct spw_device_summary *all = spw_calloc(count ? count : 1, sizeof(*all));
    if (all) {
        for (size_t i = 0; i < finished_count; i++)
            all[i] = *finished[i];
        for (size_t i = 0; i < live_count; i++)
            summarise(&all[finished_count + i], live[i]);
        char *text = spw_stats_to_json(SPW_VERSION, all, count, left_out);
        if (text)
            spw_log_raw(text);
        spw_free(text);
        for (size_t i = finished_count; i < count; i++)
            spw_free(all[i].settings_json);
    }
    spw_free(all);
    for (size_t i = 0; i < finished_count; i++) {
        spw_free(finished[i]->settings_json);
        spw_free(finished[i]);
    }
    finished_count = 0;
    spw_mutex_unlock(&lock);
}
