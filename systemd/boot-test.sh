#!/bin/bash
# Boots a real systemd in namespaces of its own, installs the unit there as the
# guide says, and tries what it promises. This machine keeps none of it.
#
#   systemd/boot-test.sh       as root, from a clone with `make setup` done;
#                              needs systemd, curl, and python3 of Debian in the
#                              version of .venv. About a minute.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
script=$(readlink -f "$0")

# --- 3: inside the booted system ---------------------------------------------
drive() {
  set +e
  exec > /result/log 2>&1
  check() { # what, then a command that must succeed
    local what=$1; shift
    if "$@"; then echo "PASS $what"; else echo "FAIL $what"; fi >> /result/verdicts
  }
  shows() { [ "$(systemctl show watcher -p "$1" --value)" = "$2" ]; }
  soon() { for _ in $(seq 60); do "$@" && return 0; sleep 0.5; done; return 1; }
  answers() { curl -sf "127.0.0.1:9464$1" | grep -q "$2"; }
  logged() { journalctl -u watcher -o cat --no-pager | grep -q "$1"; }

  cd /opt/watcher/systemd
  install -m 0644 watcher.sysusers.conf /usr/lib/sysusers.d/watcher.conf
  install -m 0644 watcher.tmpfiles.conf /usr/lib/tmpfiles.d/watcher.conf
  systemd-sysusers
  systemd-tmpfiles --create watcher.conf
  install -m 0640 -g watcher ../config/watcher.toml /etc/watcher/
  install -m 0640 -g watcher ../config/documents/*.toml /etc/watcher/documents/
  install -m 0644 watcher.service /etc/systemd/system/
  mkdir -p /etc/systemd/system/watcher.service.d
  printf '[Service]\nWatchdogSec=6\nRestartSec=1\n' > /etc/systemd/system/watcher.service.d/quick.conf
  systemctl daemon-reload

  check "it starts and says that it is ready" systemctl start watcher
  check "every check passes inside the sandbox" answers "/readyz?verbose" "state: running"
  check "process metrics are there without /proc/stat" answers /metrics "^process_open_fds"
  check "the data directory is its own" [ "$(stat -c %U:%a /var/lib/watcher)" = watcher:700 ]
  check "its status says what it does" grep -q "^watching" <(systemctl show watcher -p StatusText --value)
  check "a reload is taken" systemctl reload watcher
  check "and told" soon logged config.reloaded
  first=$(systemctl show watcher -p MainPID --value)
  kill -STOP "$first"
  check "a process that hangs is replaced by the watchdog" soon shows NRestarts 1
  check "and works again" soon answers /readyz ok
  check "it stops in order" systemctl stop watcher
  check "with exit code 0" shows ExecMainStatus 0
  echo 'nonsense = 1' >> /etc/watcher/watcher.toml
  systemctl start watcher
  sleep 4
  check "wrong settings end it with 78" shows ExecMainStatus 78
  check "and are not tried again" shows ActiveState failed
  echo done >> /result/verdicts
}

# --- 2: in new namespaces, before systemd ------------------------------------
boot() {
  local work=$1 root=$1/disk/merged
  mount -t tmpfs none "$work/disk"
  mkdir "$work"/disk/{upper,scratch,merged}
  mount -t overlay overlay \
    -o "lowerdir=/,upperdir=$work/disk/upper,workdir=$work/disk/scratch" "$root"
  mkdir -p "$root"/opt/watcher "$root"/result "$root"/old
  cp -r "$here"/{watcher,systemd,config} "$root/opt/watcher/"
  local packages=lib/python3.11/site-packages
  /usr/bin/python3.11 -m venv --without-pip "$root/opt/watcher/.venv"
  cp -r "$here/.venv/$packages/." "$root/opt/watcher/.venv/$packages/"
  rm -f "$root/opt/watcher/.venv/$packages"/*policy_watcher*.pth
  echo /opt/watcher > "$root/opt/watcher/.venv/$packages/watcher.pth"
  printf '#!/opt/watcher/.venv/bin/python\nfrom watcher.cli.main import main\nmain()\n' \
    > "$root/opt/watcher/.venv/bin/watcher"
  chmod +x "$root/opt/watcher/.venv/bin/watcher"
  mount -t proc proc "$root/proc"
  mount -t sysfs sysfs "$root/sys"
  mount -t tmpfs none "$root/sys/fs/cgroup"
  mount -t cgroup2 none "$root/sys/fs/cgroup"
  mount -t tmpfs none "$root/run"
  mount -t tmpfs none "$root/tmp"
  mount --rbind /dev "$root/dev"
  mount --bind "$work/result" "$root/result"
  printf '[Unit]\nDefaultDependencies=no\n[Service]\nType=oneshot\nTimeoutStartSec=300\nExecStart=/bin/bash /opt/watcher/systemd/boot-test.sh drive\n' \
    > "$root/etc/systemd/system/drive.service"
  printf '[Unit]\nRequires=drive.service systemd-journald.service\n' \
    > "$root/etc/systemd/system/drive.target"
  cd "$root"
  # Not chroot: the kernel gives no user namespace (PrivateUsers=) to who is in one.
  pivot_root . old
  cd /
  umount -l /old
  exec /usr/bin/env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --system --unit=drive.target --log-target=null
}

# --- 1: on this machine ---------------------------------------------------------
main() {
  local work
  work=$(mktemp -d)
  mkdir "$work"/{disk,result}
  unshare --mount --pid --fork --kill-child --uts --ipc --cgroup --net \
    "$script" boot "$work" > "$work/boot" 2>&1 &
  local booted=$!
  for _ in $(seq 240); do
    grep -qs '^done$' "$work/result/verdicts" && break
    kill -0 "$booted" 2> /dev/null || break
    sleep 1
  done
  kill -KILL "$booted" 2> /dev/null || true
  wait "$booted" 2> /dev/null || true
  if ! grep -qs '^done$' "$work/result/verdicts"; then
    echo "it did not come to its end; what it said:"
    tail -n 20 "$work/boot" "$work/result/log" 2> /dev/null || true
    rm -rf "$work"
    exit 1
  fi
  grep -v '^done$' "$work/result/verdicts"
  local failed=0
  grep -q '^FAIL' "$work/result/verdicts" && failed=1
  [ "$failed" = 0 ] || cat "$work/result/log"
  rm -rf "$work"
  exit "$failed"
}

case ${1:-} in
  drive) drive ;;
  boot) boot "$2" ;;
  *) main ;;
esac
