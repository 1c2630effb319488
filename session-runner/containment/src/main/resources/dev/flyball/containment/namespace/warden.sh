# Level A's deadman. It runs outside the namespace: the agent can neither see nor signal it.
# stdin: a file without a name, "<deadline> <deadline>" in centiseconds of /proc/uptime.
# $1 prompt file, $2 seconds between checks, $3 sleep program, then the chain to start.
fb_prompt=$1 fb_tick=$2 fb_sleep=$3
shift 3
fb_end=0
fb_past() {
  if read -r fb_a fb_b </proc/self/fd/0 && [ "$fb_a" = "$fb_b" ]; then fb_end=$fb_a; fi
  read -r fb_now fb_b </proc/uptime
  fb_now=${fb_now%.*}${fb_now#*.}
  # Not the other way round: a deadline that cannot be compared is treated as passed.
  ! [ "$fb_now" -lt "$fb_end" ]
}
if fb_past; then echo "flyball: not started, its deadline has passed" >&2; exit 137; fi
# A child that ends between two commands ends the nap too: otherwise its end would be seen one nap late.
fb_nap= fb_woken=
trap 'fb_woken=1; if [ "$fb_nap" ]; then kill "$fb_nap"; fi' CHLD
"$@" <"$fb_prompt" &
fb_chain=$!
unset FLYBALL_SESSION
exec >/dev/null 2>&1
while fb_woken= && kill -0 "$fb_chain"; do
  "$fb_sleep" "$fb_tick" &
  fb_nap=$!
  if [ "$fb_woken" ]; then kill "$fb_nap"; fi
  wait "$fb_nap"
  if fb_past; then kill -9 "$fb_chain"; exit 137; fi
done
trap - CHLD
kill "$fb_nap"
# Until it executes sleep it has the environment of this shell, session cookie included, and would be found as a survivor.
wait "$fb_nap"
wait "$fb_chain"
exit $?
