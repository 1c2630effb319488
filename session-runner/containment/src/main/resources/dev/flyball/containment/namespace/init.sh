# First process of the namespace: reaps orphans, and when it ends the kernel ends the rest.
# $1 first deadline in centiseconds of /proc/uptime, then the agent.
read -r fb_now fb_b </proc/uptime
fb_now=${fb_now%.*}${fb_now#*.}
if ! [ "$fb_now" -lt "$1" ]; then echo "flyball: not started, its deadline has passed" >&2; exit 137; fi
shift
{ echo 500 >/proc/self/oom_score_adj; } 2>/dev/null
unset fb_now fb_b
"$@"
exit $?
