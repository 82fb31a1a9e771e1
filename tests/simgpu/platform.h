/* SPDX-License-Identifier: MIT
 *
 * Vulkan with the window systems simgpu passes through. The window systems' own types are declared
 * here so that their development packages are not needed; C11 lets a typedef be repeated. */
#pragma once

typedef struct xcb_connection_t xcb_connection_t;
typedef unsigned int xcb_window_t;
typedef unsigned int xcb_visualid_t;
typedef struct _XDisplay Display;
typedef unsigned long Window;
typedef unsigned long VisualID;
struct wl_display;
struct wl_surface;

#include <vulkan/vulkan.h>

#include <vulkan/vulkan_wayland.h>
#include <vulkan/vulkan_xcb.h>
#include <vulkan/vulkan_xlib.h>
