#!/bin/sh
# An agent of the drill. It starts as many searches as one of the incident did. They wait in a pipe that is never written, as on a slow disk,
# and one keeps a processor busy. A third of them leave the process group.
here=$(dirname "$0")
prompt=$(cat)
while read -r id searches manner; do
  case $prompt in *"$id"*) break ;; esac
done < "$here/agents.tsv"
[ "$manner" = stubborn ] && trap '' TERM
nice -n 19 sh -c 'while :; do :; done' "$here/slow" &
n=1
while [ $n -lt "$searches" ]; do
  case $((n % 3)) in
    0) setsid grep -r -D read needle "$here/slow" & ;;
    *) grep -r -D read needle "$here/slow" & ;;
  esac
  n=$((n + 1))
done
case $manner in
  gone) sleep 2; exit 0 ;;
  silent) sleep 600 ;;
esac
while :; do
  echo searching
  sleep 1
done
