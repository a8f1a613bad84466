# libtuned for Spack, from the tree that this recipe lies in, after `spack repo add bindings/packages/spack`: `spack install tuned`
# in a clone, `spack dev-build -d . tuned@VERSION` in an unpacked archive.
import os

try:
    from spack_repo.builtin.build_systems.cmake import CMakePackage

    languages = ["c"]  # from Spack 1 on compilers are dependencies
except ImportError:
    from spack.package import CMakePackage

    languages = []
from spack.package import depends_on, license, variant, version


class Tuned(CMakePackage):
    """Reads tuned.conf, the launch configurations that tune found: C99, no dependency."""

    tree = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", "..", ".."))
    git = "file://" + tree
    root_cmakelists_dir = "libtuned"

    license("MIT")
    version("0.2.0", branch="main")
    for language in languages:
        depends_on(language, type="build")
    variant("shared", default=True, description="Build the shared library, else the static one")

    def cmake_args(self):
        shared = "+shared" in self.spec
        return [self.define("TUNED_SHARED", shared), self.define("TUNED_STATIC", not shared)]
