#!/bin/sh
# What a coding agent calls at each event: sh hook.sh PYTHON -I -S hook.py [OPTION...], with the event as JSON on
# standard input.
#
# The event is kept in a file first, by as little as can do that: to start Python takes ten times as long, and on a busy
# machine longer than an agent waits. What becomes of it is said in spool/kept.py. Nothing here may print, or fail aloud.

case ${YGGDRASIL_HOOKS:-} in [oO][fF][fF])
  cat >/dev/null  # so that the agent can say it
  exit 0
  ;;
esac
umask 077
data=${YGGDRASIL_DIR:-${HOME:-}/.yggdrasil}
before=
for each in "$@"; do
  [ "$before" != --data ] || data=$each
  before=$each
done
case $data in '~/'*) data=${HOME:-}/${data#??} ;; esac

runtime=${XDG_RUNTIME_DIR:-}
[ -d "$runtime" ] || runtime=
for spool in "$runtime/yggdrasil-hooks" "$data/hooks-spool"; do
  case $spool in /yggdrasil-hooks | /.yggdrasil/* | [!/]*) continue ;; esac
  [ -d "$spool" ] || mkdir -p "$spool" 2>/dev/null || continue
  { [ -O "$spool" ] && [ ! -L "$spool" ]; } || continue
  number=0
  while [ -e "$spool/$$-$number" ] || [ -e "$spool/$$-$number.part" ]; do number=$((number + 1)); done
  kept=$spool/$$-$number
  { printf '%s\0' 1 "$PWD" "${CLAUDE_PROJECT_DIR:-}" "${YGGDRASIL_DIR:-}" "${YGGDRASIL_MEMORY:-}" \
    "${YGGDRASIL_SOURCE:-}" "$#" "$@" >"$kept.part"; } 2>/dev/null || {
    rm -f "$kept.part"  # the folder is full: the next one may not be
    continue
  }
  head -c 33554433 >>"$kept.part" 2>/dev/null
  mv "$kept.part" "$kept" 2>/dev/null || exit 0
  exec "$@" --spooled "$kept" </dev/null 2>/dev/null
done
exec "$@" 2>/dev/null
