/* SPDX-License-Identifier: MIT
 *
 * THE settings table. SPW_SETTING(type, key, field, default, scope, doc) in the order in which
 * README.md documents them (a test compares the two). The variable of a key is SPILLWAY_ + the key
 * in capitals, dots as underscores.
 *
 *   type    BOOL ("true"/"false"/"1"/"0"/"yes"/"no"/"on"/"off"), SIZE (size_parse.h; the default is
 *           `none`), STRING (the default is NULL), REPORT (a word or a size), or ENUM_<NAME>: one
 * of the words that settings.c lists for it scope   P process start, D device creation, L live
 *
 * SPW_SETTING_LATER(key, doc): names that are final but do nothing in this version; a program that
 * sets one is told so, rather than that it does not exist. */

/* clang-format off */
SPW_SETTING(BOOL,   "enabled",    enabled,    true,  D, "false: pass everything through untouched")
SPW_SETTING(ENUM_MODE,   "mode",   mode,       SPW_MODE_AUTO, D, "auto, redirect or passthrough: the most that Spillway may do (paging and priority are accepted and run as redirect in this version)")
SPW_SETTING(REPORT, "report",     report,     SPW_REPORT_VIRTUAL, D, "what the program is told about the largest device-local heap: virtual (VRAM + overflow, with an elastic budget), truthful, or a size")
SPW_SETTING(SIZE,   "vram_limit", vram_limit, none, D, "most device-local memory that is used of the largest device-local heap; a size or a share of the heap (default: no limit)")
SPW_SETTING(SIZE,   "host_limit", host_limit, none, D, "most host memory that overflow may take; a size or a share of MemTotal (default: no limit but host_floor)")
SPW_SETTING(SIZE,   "host_floor", host_floor, none, D, "host memory that overflow always leaves available; a size or a share of MemTotal (default: max(1 GiB, 10 %))")
SPW_SETTING(SIZE,   "reserve",    reserve,    none, D, "device-local memory left to the desktop and the driver; a size or a share of the heap (default: min(max(256 MiB, 5 %), 10 %))")
SPW_SETTING(SIZE,   "overflow",   overflow,   none, D, "how much beyond VRAM may be promised; a size or a share of MemTotal (default: half of MemTotal; always bounded by available host memory less host_floor)")
SPW_SETTING(ENUM_LOG,    "log.level",  log_level,  SPW_LOG_WARN, P, "error, warn, info or debug")
SPW_SETTING(STRING, "log.file",   log_file,   NULL, P, "where messages and the summary go, appended (default: stderr)")
SPW_SETTING(ENUM_STATS,  "stats",  stats,      SPW_STATS_NONE, D, "none, or exit: a summary in JSON when the process ends")

SPW_SETTING_LATER("paging.engage",      "share of VRAM in use at which memory becomes movable")
SPW_SETTING_LATER("paging.min_buffer",  "smallest buffer that is moved")
SPW_SETTING_LATER("paging.min_texture", "smallest texture that is moved")
SPW_SETTING_LATER("paging.block",       "unit of migration of a buffer")
SPW_SETTING_LATER("paging.image_move",  "how textures are moved")
SPW_SETTING_LATER("paging.rebar",       "hide host-visible device-local memory from the program")
SPW_SETTING_LATER("policy.half_life",   "ticks in which heat halves")
SPW_SETTING_LATER("policy.horizon",     "ticks over which a move has to pay")
SPW_SETTING_LATER("policy.move_budget", "bytes moved per tick")
SPW_SETTING_LATER("policy.prefetch",    "bring in ahead what recurs")
SPW_SETTING_LATER("policy.pins",        "what never leaves VRAM")
SPW_SETTING_LATER("disk.path",          "folder of the disk tier")
SPW_SETTING_LATER("disk.limit",         "size of the disk tier")
SPW_SETTING_LATER("disk.write_cap",     "most that is written to disk")
SPW_SETTING_LATER("trace",              "record a trace to this file")
/* clang-format on */
