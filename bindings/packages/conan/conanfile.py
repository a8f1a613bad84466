"""libtuned for Conan 2, from this tree: `conan create bindings/packages/conan`."""

import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir


class TunedConan(ConanFile):
    name = "tuned"
    license = "MIT"
    description = "Reads tuned.conf, the launch configurations that tune found"
    package_type = "library"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    languages = "C"
    implements = ["auto_shared_fpic"]

    @property
    def _tree(self):
        return os.path.join(self.recipe_folder, "..", "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._tree, "libtuned", "tuned.h"))
        self.version = re.search(r'#define TUNED_VERSION +"([^"]+)"', header)[1]

    def export_sources(self):
        copy(self, "*", os.path.join(self._tree, "libtuned"), self.export_sources_folder)
        copy(self, "LICENSE", self._tree, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["TUNED_SHARED"] = bool(self.options.shared)
        toolchain.cache_variables["TUNED_STATIC"] = not self.options.shared
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))  # Conan writes its own

    def package_info(self):
        self.cpp_info.libs = ["tuned"]
        self.cpp_info.set_property("cmake_file_name", "tuned")
        self.cpp_info.set_property("cmake_target_name", "tuned::tuned")
        if self.options.shared:
            self.cpp_info.defines = ["TUNED_SHARED"]
