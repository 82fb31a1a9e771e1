/* SPDX-License-Identifier: MIT
 *
 * Parts of `spillway doctor`. All of them work on one report, a JSON object: the probes put in what
 * they found, the judge puts in what is wrong, and --json or the printer show it. Its members are
 * described in spillway.1, since programs read it. */
#pragma once

#include "layers.h"

#include <json-c/json.h>

/* ---- doctor_probe.c: in a child process ---- */

enum probe_kind { PROBE_WITHOUT, PROBE_WITH };

/* Loads a loader, looks at every GPU, and writes a line of JSON to `fd` for each step, so that what
 * came before a crash is known: {"at":…} before, then {"loader":…}, {"instance":…}, {"gpu":…}…,
 * {"done":true}. The environment is set already. */
void doctor_probe(const char *loader, int fd);

/* ---- doctor_child.c: around it ---- */

/* Runs doctor_probe() in a child process with or without Spillway. The result:
 * {"status": "ok" | "failed" | "crashed" | "hung", "at": …, "signal": …, "error": …, "result": …,
 *  "loader": {…}, "gpus": [{…}], "library": …, "said": ["…"]} */
json_object *doctor_run_probe(const char *loader, enum probe_kind kind, const char *layer_folder);

/* ---- doctor_judge.c ---- */

/* Adds "problems" and "notes" to the report: [{"id": …, "text": …, "fix": …}]. */
void doctor_judge(json_object *report, const struct layer_search *search, const char *layer_folder);

/* ---- doctor_print.c ---- */

/* verbose: memory types, and what loaders, drivers and layers said. */
void doctor_print(json_object *report, bool verbose);

/* ---- cmd_doctor.c: small things about JSON ---- */

/* NULL, 0 or false where there is none. */
json_object *report_get(json_object *object, const char *key);
const char *report_text(json_object *object, const char *key);
int64_t report_int(json_object *object, const char *key);
bool report_flag(json_object *object, const char *key);
/* 0 for anything but an array. */
size_t report_count(json_object *array);
json_object *report_item(json_object *array, size_t i);

/* Formatted text as a new string of JSON. */
json_object *report_format(const char *format, ...) SPW_PRINTF(1, 2);
