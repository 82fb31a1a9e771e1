# SPDX-License-Identifier: MIT
"""The Vulkan registry (vk.xml) as plain Python objects.

Every generator in this project reads the registry through this file: the layer's (beside it), simgpu's
(tests/simgpu/gen) and the registry tests. Only the standard library is used; the registry that comes with
the installed headers is the one read, so what is generated compiles against these headers.

    reg = Registry.load("/usr/share/vulkan/registry/vk.xml")
    reg.commands["vkAllocateMemory"].level        # "device"
    reg.commands["vkGetPhysicalDeviceToolPropertiesEXT"].alias   # "vkGetPhysicalDeviceToolProperties"
    reg.structs["VkMemoryDedicatedAllocateInfo"].stype           # "VK_STRUCTURE_TYPE_MEMORY_DEDICATED_..."
"""

import xml.etree.ElementTree as ET


class Param:
    """One parameter or struct member: its C declaration, and the bare type it is built from."""

    def __init__(self, elem):
        self.type = elem.findtext("type")
        self.name = elem.findtext("name")
        self.decl = " ".join("".join(t for t in _text_without_comments(elem)).split())
        self.len = elem.get("len")
        self.is_pointer = "*" in self.decl
        self.objecttype = elem.get("objecttype")


class Command:
    """A command. `alias` names the command it is another name of (same signature), or is None."""

    def __init__(self, name, ret, params, alias=None):
        self.name, self.ret, self.params, self.alias = name, ret, params, alias
        self.core = None        # (major, minor) of the core version that has it under this name
        self.extensions = []    # names of the extensions that have it
        self.instance_extension = False  # any of those is an instance extension
        self.platform = None    # e.g. "win32": only compiled where VK_USE_PLATFORM_… is set

    @property
    def level(self):
        """global, instance, physical (takes a VkPhysicalDevice) or device: what it is dispatched by."""
        first = self.params[0].type if self.params else None
        if self.params and self.params[0].is_pointer:
            return "global"
        return {"VkInstance": "instance", "VkPhysicalDevice": "physical", "VkDevice": "device",
                "VkQueue": "device", "VkCommandBuffer": "device"}.get(first, "global")

    @property
    def pfn(self):
        return "PFN_" + self.name

    def prototype(self, name):
        """The C parameter list and return type under another function name."""
        return f"{self.ret} VKAPI_CALL {name}({', '.join(p.decl for p in self.params)})"


class Struct:
    def __init__(self, name, members, stype, extends, is_union=False):
        self.name, self.members, self.stype, self.extends = name, members, stype, extends
        self.is_union = is_union
        self.platform = None


class Registry:
    @staticmethod
    def load(path):
        return Registry(ET.parse(path).getroot())

    def __init__(self, root):
        self.commands, self.structs, self.handles = {}, {}, {}
        self.struct_aliases = {}
        self._read_types(root)
        self._read_commands(root)
        self._read_features(root)
        self._read_extensions(root)

    def resolve(self, name):
        """The command a name finally stands for: follows aliases."""
        while self.commands[name].alias:
            name = self.commands[name].alias
        return self.commands[name]

    def names_of(self, name):
        """A command's canonical name and all its aliases, canonical first."""
        target = self.resolve(name).name
        return [target] + sorted(n for n, c in self.commands.items()
                                 if c.alias and self.resolve(n).name == target)

    def available(self, command):
        """Is it in the headers we compile against (plain vulkan.h, no platform defines)?"""
        return command.platform is None and (command.core is not None or bool(command.extensions))

    def _read_types(self, root):
        for t in root.findall("types/type"):
            category, name = t.get("category"), t.get("name") or t.findtext("name")
            if not _is_vulkan(t):
                continue
            if category in ("struct", "union"):
                if t.get("alias"):
                    self.struct_aliases[name] = t.get("alias")
                    continue
                members = [Param(m) for m in t.findall("member") if _is_vulkan(m)]
                stype = next((m.get("values") for m in t.findall("member")
                              if m.findtext("name") == "sType"), None)
                extends = (t.get("structextends") or "").split(",") if t.get("structextends") else []
                self.structs[name] = Struct(name, members, stype, extends, category == "union")
            elif category == "handle" and not t.get("alias"):
                self.handles[name] = t.findtext("type") == "VK_DEFINE_HANDLE"  # dispatchable?

    def _read_commands(self, root):
        aliases = []
        for c in root.findall("commands/command"):
            if not _is_vulkan(c):
                continue
            if c.get("alias"):
                aliases.append((c.get("name"), c.get("alias")))
                continue
            proto = c.find("proto")
            name = proto.findtext("name")
            params = [Param(p) for p in c.findall("param") if _is_vulkan(p)]
            self.commands[name] = Command(name, proto.findtext("type"), params)
        for name, alias in aliases:
            if alias in self.commands:
                target = self.commands[alias]
                self.commands[name] = Command(name, target.ret, target.params, alias)

    def _read_features(self, root):
        for feature in root.findall("feature"):
            if not _is_vulkan(feature):
                continue
            number = tuple(int(x) for x in feature.get("number").split("."))
            for c in feature.findall("require/command"):
                if c.get("name") in self.commands and self.commands[c.get("name")].core is None:
                    self.commands[c.get("name")].core = number

    def _read_extensions(self, root):
        platforms = {p.get("name") for p in root.findall("platforms/platform")}
        for ext in root.findall("extensions/extension"):
            if "vulkan" not in (ext.get("supported") or "").split(","):
                continue
            platform = ext.get("platform") if ext.get("platform") in platforms else None
            for c in ext.findall("require/command"):
                command = self.commands.get(c.get("name"))
                if command is None:
                    continue
                command.extensions.append(ext.get("name"))
                command.instance_extension |= ext.get("type") == "instance"
                if platform and command.core is None:
                    command.platform = platform
            for t in ext.findall("require/type"):
                struct = self.structs.get(t.get("name"))
                if struct is not None and platform:
                    struct.platform = platform


def _is_vulkan(elem):
    """Newer registries hold Vulkan SC beside Vulkan: `api` lists whom an element belongs to."""
    api = elem.get("api")
    return api is None or "vulkan" in api.split(",")


def _text_without_comments(elem):
    if elem.text:
        yield elem.text
    for child in elem:
        if child.tag != "comment":
            yield from child.itertext()
        if child.tail:
            yield child.tail
