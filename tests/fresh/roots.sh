# shellcheck shell=bash
# Bare Debian roots in $folder from $mirror (components: $components), kept for the next time, and commands inside of
# copies of them. The caller defines fail, which prints the error and ends.
# shellcheck disable=SC2154 # the caller has them
[[ $(id -u) -eq 0 ]] || fail "only root can make roots"
command -v debootstrap >/dev/null || fail "debootstrap is missing: apt-get install debootstrap"

# The mirror of this machine's own Debian, else the one that all know.
if [[ -z $mirror ]] && grep -q '^ID=debian' /etc/os-release; then
    # shellcheck disable=SC2016 # the format is apt-get's
    mirror=$(apt-get indextargets --format '$(REPO_URI) $(LABEL)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/ Debian$//p' | head -n 1)
fi
mirror=${mirror:-http://deb.debian.org/debian}
mkdir -p "$folder"
folder=$(cd -- "$folder" && pwd)

# This machine's access to the network: settings for apt and pip, names of hosts, certificates.
hand_on() {
    local root=$1 file
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf; do
        [[ ! -f $file ]] || cp -L "$file" "$root$file"
    done
    apt-config dump | grep -E '^Acquire::(http|https|ftp|Check-|Retries)' >"$root/etc/apt/apt.conf.d/00host" || true
    cp /etc/apt/auth.conf.d/* "$root/etc/apt/auth.conf.d/" 2>/dev/null || true
    # Beside the place where the package ca-certificates has its own.
    file=${SSL_CERT_FILE:-/etc/ssl/certs/ca-certificates.crt}
    [[ ! -f $file ]] || cp -L "$file" "$root/etc/host-certificates.crt"
}

# The variables that go along: proxies, pip's index and its settings, and the certificates.
hand_on_variables() {
    local name
    for name in http_proxy https_proxy no_proxy HTTP_PROXY HTTPS_PROXY NO_PROXY PIP_INDEX_URL \
        PIP_EXTRA_INDEX_URL PIP_TRUSTED_HOST PIP_PROXY PIP_DEFAULT_TIMEOUT; do
        [[ -z ${!name:-} ]] || printf '%s=%s\n' "$name" "${!name}"
    done
    [[ ! -f $1/etc/host-certificates.crt ]] || printf '%s=/etc/host-certificates.crt\n' PIP_CERT SSL_CERT_FILE
}

# inside ROOT USER COMMAND: with mounts and processes of its own, which end with it.
inside() {
    local home=/home/$2 variables
    [[ $2 != root ]] || home=/root
    mapfile -t variables < <(hand_on_variables "$1")
    # shellcheck disable=SC2016 # expanded there
    unshare --mount --pid --fork --kill-child --propagation private bash -euc '
        mount --rbind /dev "$1/dev"
        mount -t proc proc "$1/proc"
        mount --rbind /sys "$1/sys"
        exec chroot "${@:2}"' - "$1" --userspec="$2:$2" "$1" env -i TERM=dumb LANG=C.UTF-8 \
        HOME="$home" PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        "${variables[@]}" bash -c "cd; $3" </dev/null
}

bare_root() {
    local root=$folder/bare-$1 scripts=/usr/share/debootstrap/scripts script
    [[ ! -f $root/complete ]] || return 0
    # All of Ubuntu's releases, and all of Debian's, have one; debootstrap does not know those that came after it.
    script=$scripts/$1
    [[ -e $script ]] || script=$scripts/sid
    [[ $script != */sid || $mirror != *ubuntu* ]] || script=$scripts/gutsy
    rm -rf "$root"
    echo "debootstrap $1 from $mirror"
    debootstrap --variant=minbase --components="$components" "$1" "$root" "$mirror" "$script" >"$folder/bare-$1.log" 2>&1 ||
        fail "debootstrap failed: $folder/bare-$1.log"
    inside "$root" root 'useradd --create-home --shell /bin/bash stranger'
    : >"$root/complete"
}

