/* SPDX-License-Identifier: MIT
 *
 * Cards as the kernel lists them: display controllers on the PCI bus. */
#include "cards.h"

#include "cli.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PCI_DEVICES "/sys/bus/pci/devices"

/* The upper byte of a PCI class: VGA and 3D controllers among others. */
#define CLASS_DISPLAY 0x03

enum { VENDOR_NVIDIA = 0x10de, VENDOR_AMD = 0x1002, VENDOR_INTEL = 0x8086 };

/* Virtual machines' and servers' cards have no Vulkan driver, and nobody misses one. */
static const char *vendor_name(long vendor)
{
    switch (vendor) {
    case VENDOR_NVIDIA:
        return "NVIDIA";
    case VENDOR_AMD:
        return "AMD";
    case VENDOR_INTEL:
        return "Intel";
    default:
        return NULL;
    }
}

/* "0x030000" → the number; -1 where there is none. */
static long read_number(const char *device, const char *name)
{
    char *path = cli_format(PCI_DEVICES "/%s/%s", device, name);
    FILE *file = fopen(path, "re");
    char text[32];
    long number = -1;
    free(path);
    if (file == NULL)
        return -1;
    if (fgets(text, sizeof(text), file) != NULL)
        number = strtol(text, NULL, 16);
    fclose(file);
    return number;
}

/* "" where no driver has the card. */
static void read_driver(const char *device, char *name, size_t name_size)
{
    char *path = cli_format(PCI_DEVICES "/%s/driver", device);
    char target[512];
    ssize_t length = readlink(path, target, sizeof(target) - 1);
    free(path);
    name[0] = '\0';
    if (length <= 0)
        return;
    target[length] = '\0';
    const char *slash = strrchr(target, '/');
    snprintf(name, name_size, "%.60s", slash != NULL ? slash + 1 : target);
}

json_object *cards_list(void)
{
    json_object *list = json_object_new_array();
    DIR *folder = opendir(PCI_DEVICES);
    if (folder == NULL)
        return list;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        char driver[64];
        const char *device = entry->d_name;
        if (device[0] == '.' || read_number(device, "class") >> 16 != CLASS_DISPLAY)
            continue;
        long vendor = read_number(device, "vendor");
        read_driver(device, driver, sizeof(driver));
        if (vendor_name(vendor) == NULL || strcmp(driver, "vfio-pci") == 0)
            continue;
        json_object *card = json_object_new_object();
        json_object_object_add(card, "vendor", json_object_new_string(vendor_name(vendor)));
        json_object_object_add(card, "vendor_id", json_object_new_int64(vendor));
        json_object_object_add(card, "device_id",
                               json_object_new_int64(read_number(device, "device")));
        json_object_object_add(card, "kernel_driver", json_object_new_string(driver));
        json_object_array_add(list, card);
    }
    closedir(folder);
    return list;
}

const char *cards_fix(json_object *card)
{
    const char *driver = report_text(card, "kernel_driver");
    switch (report_int(card, "vendor_id")) {
    case VENDOR_NVIDIA:
        if (strcmp(driver, "nvidia") == 0)
            return "install the Vulkan part of NVIDIA's driver, in the version of the kernel's "
                   "part: "
                   "apt install nvidia-vulkan-icd (Debian), libnvidia-gl-VERSION (Ubuntu), "
                   "pacman -S nvidia-utils (Arch)";
        return "install NVIDIA's own driver with its Vulkan part: apt install nvidia-driver "
               "nvidia-vulkan-icd (Debian), ubuntu-drivers install (Ubuntu), pacman -S nvidia "
               "(Arch); "
               "then start the machine again";
    case VENDOR_AMD:
        return "install Mesa's Vulkan drivers: apt install mesa-vulkan-drivers (Debian, Ubuntu), "
               "dnf install mesa-vulkan-drivers (Fedora), pacman -S vulkan-radeon (Arch)";
    default:
        return "install Mesa's Vulkan drivers: apt install mesa-vulkan-drivers (Debian, Ubuntu), "
               "dnf install mesa-vulkan-drivers (Fedora), pacman -S vulkan-intel (Arch)";
    }
}
