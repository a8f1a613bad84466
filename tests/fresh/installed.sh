#!/bin/bash
# installed.sh [options] PACKAGES [SUITE...]: installs the contents of the folder PACKAGES (Debian's packages, the
# tarball, the wheels) as people do, on bare roots of SUITE (default: bullseye bookworm trixie, which are Debian 11 to
# 13; the packages of the preset debian need bookworm). Debian's packages go beside TuneD's and are removed again;
# programs are built with them by CMake and pkg-config; the CPU is tuned. Options as of run.sh: --mirror URL,
# --components LIST, --folder FOLDER, --keep. Exit code 1 after a failure; FOLDER/installed-SUITE.log has the output.
set -euo pipefail
sources=$(cd -- "$(dirname -- "$0")/../.." && pwd)
folder=/var/tmp/tune-fresh mirror='' components=main keep=no
words=()

fail() {
    echo "tests/fresh/installed.sh: $*" >&2
    exit 2
}

while [[ $# -gt 0 ]]; do
    case $1 in
    --mirror) mirror=$2 && shift ;;
    --components) components=$2 && shift ;;
    --folder) folder=$2 && shift ;;
    --keep) keep=yes ;;
    -h | --help)
        sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
        exit 0
        ;;
    -*) fail "unknown option '$1'; --help lists them" ;;
    *) words+=("$1") ;;
    esac
    shift
done
[[ ${#words[@]} -gt 0 && -d ${words[0]} ]] || fail "name the folder of what is to be installed"
packages=$(cd -- "${words[0]}" && pwd)
suites=("${words[@]:1}")
[[ ${#suites[@]} -gt 0 ]] || suites=(bullseye bookworm trixie)
version=$(sed -n 's/^project(tune VERSION \([0-9.]*\).*/\1/p' "$sources/CMakeLists.txt")
# shellcheck source=tests/fresh/roots.sh
source "$sources/tests/fresh/roots.sh"

# as USER NAME COMMAND: a step in $root; its output goes to the log, the first failure is the suite's result.
as() {
    printf '\n=== as %s: %s\n' "$1" "$2" >>"$log"
    inside "$root" "$1" "set -ex; $3" >>"$log" 2>&1 || { result="failed: $2" && return 1; }
}

install_packages='export DEBIAN_FRONTEND=noninteractive; apt-get install -qq -y --no-install-recommends'

# A program with libtuned in C, C++ and Python, which finds a file's entry.
write_conf='printf "tuned-conf 4\n[cuda \"X\"] compute_capability=9.0\np n=1-9 block=64 variant=vector | capability=7.0\nend\n" >t.conf'

# The library of `tune capture` is beside the program, and is loaded into its child; without a GPU no launch is seen
# (3).
# shellcheck disable=SC2016 # expanded there
capture='"$tune" capture -- cat /proc/self/maps >maps || test $? = 3; grep -q "/libtunecapture\.so$" maps'

debian() {
    as root "apt-get install ./*.deb beside TuneD" "apt-get update -qq; $install_packages tuned man-db
        $install_packages /packages/*.deb
        dpkg -V tuned launchtune libtuned0 libtuned-dev python3-libtuned
        ldconfig -p | grep -q 'libtuned\.so\.0 '" &&
        as stranger "what was installed" "tune --version | grep -qx 'tune $version'
        tune devices --json >devices.json
        tune=tune; $capture
        man -w tune libtuned.conf tuned.conf
        test -e /usr/share/bash-completion/completions/tune -a -e /usr/share/zsh/vendor-completions/_tune -a -e /usr/share/fish/vendor_completions.d/tune.fish
        $write_conf
        python3 -c 'import libtuned; assert libtuned.load(\"t.conf\").find(libtuned.Device(\"cuda\", \"X\", (9, 0)), \"p\", 5).integer(\"block\", -1) == 64
assert libtuned.library_version() == libtuned.__version__ == \"$version\"'" &&
        as root "compilers" "$install_packages gcc g++ libc6-dev make cmake pkg-config" &&
        as stranger "programs by CMake and pkg-config" "cp -r /usr/share/doc/launchtune/examples/consumer .
        cmake -S consumer -B by-cmake && cmake --build by-cmake
        make -C consumer
        for which in by-cmake/which consumer/which by-cmake/which_cpp; do \$which t.conf X p 5 | grep -q 'block 64'; done
        ldd consumer/which | grep -q 'libtuned\.so\.0 => /usr/lib'" &&
        as stranger "the CPU tuned" "mkdir -p tuned && cd tuned && tune run reduce --device cpu --sizes 4096 --points 2 --budget 60s --no-report || test \$? = 6; test -s tune.db" &&
        as root "all removed again" "dpkg -L launchtune libtuned0 libtuned-dev python3-libtuned | sort -u >/tmp/ours
        apt-get purge -qq -y launchtune libtuned0 libtuned-dev python3-libtuned
        ! while read -r file; do [ -d \"\$file\" ] || [ ! -e \"\$file\" ] || echo \"\$file\"; done </tmp/ours | grep .
        dpkg -V tuned; ! ldconfig -p | grep libtuned"
}

anywhere() {
    as root "Python" "apt-get update -qq; $install_packages python3-venv gcc libc6-dev" &&
        as stranger "the tarball" "tar -xzf /packages/launchtune-*-linux-x86_64.tar.gz && cd launchtune-*
        bin/tune --version | grep -qx 'tune $version'
        bin/tune devices --json >/dev/null
        tune=bin/tune; $capture
        cd .. && mkdir -p by-tarball && cd by-tarball && ../launchtune-*/bin/tune run reduce --device cpu --sizes 4096 --points 2 --budget 60s --no-report || test \$? = 6; test -s tune.db" &&
        as stranger "the wheels" "python3 -m venv wheels
        wheels/bin/python -m pip --version
        wheels/bin/pip install -q --no-index --find-links /packages 'launchtune[python]'
        wheels/bin/tune --version | grep -qx 'tune $version'
        wheels/bin/python -m launchtune --version | grep -qx 'tune $version'
        wheels/bin/tune devices --json >/dev/null
        tune=wheels/bin/tune; $capture
        $write_conf
        wheels/bin/python -c 'import libtuned; assert libtuned.load(\"t.conf\").find(libtuned.Device(\"cuda\", \"X\", (9, 0)), \"p\", 5).integer(\"block\", -1) == 64'
        wheels/bin/pip uninstall -q -y launchtune libtuned
        test ! -e wheels/bin/tune && test ! -e wheels/share/tune/configs"
}

failed=0
for suite in "${suites[@]}"; do
    bare_root "$suite"
    root=$folder/installed-$suite log=$folder/installed-$suite.log result=ok
    rm -rf "$root" && cp -a "$folder/bare-$suite" "$root" && hand_on "$root"
    : >"$log"
    mkdir "$root/packages"
    find "$packages" -maxdepth 1 -type f -exec cp {} "$root/packages/" \;
    if compgen -G "$packages/*.deb" >/dev/null && [[ $suite != bullseye ]]; then
        debian || failed=1
    fi
    if [[ $result == ok ]] && compgen -G "$packages/launchtune-*-linux-x86_64.tar.gz" >/dev/null; then
        anywhere || failed=1
    fi
    printf '%-12s %s\n' "$suite" "$result"
    [[ $keep == yes ]] || rm -rf "$root"
done
exit "$failed"
