"""Lists of scripts of other repositories, as tests/bindings/kernel_tuner_scripts.py, scripts.py and pack.sh read them. A line is
REPOSITORY | COMMIT | SCRIPT, or -m MODULE | its arguments | the files that it needs | packages beside numpy | seconds on a GPU

    bench/kernel_tuner/listed.py LIST                                # prints each repository with its commit
    bench/kernel_tuner/listed.py LIST --sources FOLDER --into INTO   # copies what a GPU is to run, and prints the packages

FOLDER/OWNER/NAME is a checkout of a repository."""
import argparse
import pathlib
import shlex
import shutil
import typing


class Script(typing.NamedTuple):
    """A line. `files` are paths or patterns in the repository, the script's folder if there are none; one that ends with a slash is an
    empty folder, for results. A GPU runs those with `seconds`."""
    repository: str
    commit: str
    script: str
    arguments: str = ""
    files: str = ""
    packages: str = ""
    seconds: str = ""

    @property
    def name(self):
        return self.script.split()[-1].rsplit("/", 1)[-1]

    @property
    def folder(self):
        return "." if self.script.startswith("-m ") else str(pathlib.PurePosixPath(self.script).parent)

    def words(self):
        """Returns what follows the interpreter of scripts: test_*.py are pytest's."""
        if self.name.startswith("test_"):
            return ["-m", "pytest", "-q", "-p", "no:cacheprovider", self.name, *shlex.split(self.arguments)]
        return [*(self.script.split() if self.script.startswith("-m ") else [self.name]), *shlex.split(self.arguments)]

    def copy(self, sources, into):
        """Copies the files out of `sources`, where each repository is a folder OWNER/NAME; returns the script's folder in the copy."""
        root = pathlib.Path(sources, self.repository)
        for pattern in self.files.split() or [self.folder]:
            if pattern.endswith("/"):
                pathlib.Path(into, pattern).mkdir(parents=True, exist_ok=True)
                continue
            for given in sorted(root.glob(pattern) if pattern != "." else [root]):
                made = pathlib.Path(into, given.relative_to(root))
                if given.is_dir():
                    shutil.copytree(given, made, symlinks=True, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
                else:
                    made.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(given, made)
        folder = pathlib.Path(into, self.folder)
        folder.mkdir(parents=True, exist_ok=True)
        return folder


def found(place, sources=None):
    """Returns the scripts of a list, of a folder, or of one path, and the folder of their repositories: without another the list's."""
    if place.suffix != ".txt":
        paths = sorted(place.glob("*.py")) if place.is_dir() else [place]
        return [Script(path.parent.name, "", path.name) for path in paths], paths[0].resolve().parents[1]
    lines = [line for line in place.read_text("utf-8").splitlines() if line.strip() and not line.startswith("#")]
    return [Script(*(part.strip() for part in line.split("|"))) for line in lines], sources or place.parent


def write_table(document, name, maker, table):
    """Replaces the table between two comments of a document."""
    begin, end = f"<!-- {name}: made by {maker} -->\n", f"<!-- {name} end -->"
    before, rest = document.read_text("utf-8").split(begin)
    document.write_text(before + begin + "\n".join(table) + "\n" + end + rest.split(end)[1], "utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("list", type=pathlib.Path)
    parser.add_argument("--sources", type=pathlib.Path)
    parser.add_argument("--into", type=pathlib.Path)
    given = parser.parse_args()
    scripts, sources = found(given.list, given.sources)
    if given.into is None:
        print("\n".join(dict.fromkeys(f"{script.repository} {script.commit}" for script in scripts)))
        return
    chosen = [script for script in scripts if script.seconds]
    for script in chosen:
        script.copy(sources, given.into / script.repository)
    given.into.mkdir(parents=True, exist_ok=True)
    (given.into / "list.txt").write_text("".join(" | ".join(script) + "\n" for script in chosen), "utf-8")
    print(" ".join(dict.fromkeys(word for script in chosen for word in script.packages.split())))


if __name__ == "__main__":
    main()
