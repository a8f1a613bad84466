# libtuned for Spack, from the tree that this recipe lies in (`spack dev-build`, or `spack install` after
# `spack repo add`): the version is the tree's.
import os

from spack.package import CMakePackage, license, variant, version


class Tuned(CMakePackage):
    """Reads tuned.conf, the launch configurations that tune found: C99, no dependency."""

    tree = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))
    git = "file://" + tree
    root_cmakelists_dir = "libtuned"

    license("MIT")
    version("0.2.0", branch="main")
    variant("shared", default=True, description="Build the shared library, else the static one")

    def cmake_args(self):
        shared = "+shared" in self.spec
        return [self.define("TUNED_SHARED", shared), self.define("TUNED_STATIC", not shared)]
