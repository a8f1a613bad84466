#!/bin/bash
# Default options: tune.yaml in the folder or the nearest above it, else the user's. The options taken are printed; the
# command line wins; options that run programs or write elsewhere are refused; files that others may write are ignored.
source "$TUNE_TESTS/lib.sh"
mkdir -p project/deep/er elsewhere config/tune
printf 'effort: quick\ndb: results/mine.db\n' >project/tune.yaml
printf 'effort: thorough\ndb: users.db\n' >config/tune/tune.yaml
export XDG_CONFIG_HOME=$PWD/config
here=$PWD

# protocol: the words that --list-protocol prints of the effort.
protocol() {
    run "$TUNE" run --list-protocol "$@"
    expect_code 0
    cp "$captured.out" "$TMPDIR/protocol"
}
cd elsewhere || exit
protocol --effort quick && cp "$TMPDIR/protocol" "$TMPDIR/quick"
protocol --effort thorough && cp "$TMPDIR/protocol" "$TMPDIR/thorough"
! cmp -s "$TMPDIR/quick" "$TMPDIR/thorough" || fail "the efforts are alike: nothing is tested"

# The user's, where no folder has one.
protocol
cmp "$TMPDIR/protocol" "$TMPDIR/thorough"
expect_err "^tune run: by $here/config/tune/tune\.yaml: --effort thorough --db $here/config/tune/users\.db\$"

# Only the folder's above; the command line replaces it.
cd ../project/deep/er || exit
protocol
cmp "$TMPDIR/protocol" "$TMPDIR/quick"
expect_err "^tune run: by $here/project/tune\.yaml: --effort quick --db $here/project/results/mine\.db\$"
protocol --effort thorough
cmp "$TMPDIR/protocol" "$TMPDIR/thorough"
run "$TUNE" show
expect_err "^tune show: by $here/project/tune\.yaml: --db $here/project/results/mine\.db\$"
expect_err "^tune show: $here/project/results/mine\.db"
run "$TUNE" show --db other.db
expect_err '^tune show: other\.db'
run "$TUNE" hash --help
expect_empty err

# An experiment of that name is none of ours; and a nearer file is the only one.
echo 'experiment: mine' >../tune.yaml
protocol
expect_empty err
printf 'budget: 5m\n' >../tune.yaml
protocol
expect_err "^tune run: by $here/project/deep/tune\.yaml: --budget 5m\$"

# refused LINE PATTERN
refused() {
    echo "$1" >../tune.yaml
    golden "$TUNE" run --list-protocol
}
for line in 'on: "touch ran"' 'hosts: list' 'report: /etc/motd' 'output: x' 'remote-tune: ./x'; do
    refused "$line"
done
refused 'effrot: quick'
refused 'db: ../../other.db'
refused 'db: /tmp/x.db'
refused '- effort'
[[ ! -e ran && ! -e ../ran ]] || fail "a command was run"

echo 'effort: quick' >../tune.yaml
chmod o+w ../tune.yaml
protocol
expect_err "^tune run: $here/project/deep/tune\.yaml: left out, as somebody else may write it\$"
! grep -q 'by ' "$captured.err" || fail "what others may write is taken"
expect_golden
