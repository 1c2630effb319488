#!/bin/sh
# Namespaces NAME-router, NAME-broker and NAME-runner-N, joined by wires that the router's side can cut:
#
#   wires.sh NAME SUBNET lay RUNNERS     the processes of this namespace reach the broker over a wire that is never cut
#   wires.sh NAME SUBNET cut N KIND      silent: both ways vanish without a word; to-broker: what the runner says vanishes,
#                                        it goes on hearing; from-broker: what the broker says vanishes, what the runner
#                                        asks for still happens; refused: the router answers that the host cannot be
#                                        reached; unplugged: the router's side of the cable is pulled
#   wires.sh NAME SUBNET heal N KIND     takes the same cut back
#   wires.sh NAME SUBNET remove          the wires go with the namespaces that hold their ends
#   wires.sh PREFIX - sweep              removes those of processes PREFIX<pid> that were killed before they could
#
# SUBNET are the first three numbers of addresses: leaf N has SUBNET.(4N+2), its router's end SUBNET.(4N+1).
set -eu
name=$1 subnet=$2 verb=$3
router=$name-router

end() { echo "$subnet.$((4 * $1 + 1))"; }
leaf() { echo "$subnet.$((4 * $1 + 2))"; }

# A leaf's namespace: leaf 0 is the broker.
join() {
  if [ "$1" = 0 ]; then space=$name-broker; else space=$name-runner-$(($1 - 1)); fi
  ip netns add "$space"
  ip -n "$router" link add "wire$1" type veth peer name eth0 netns "$space"
  ip -n "$router" addr add "$(end "$1")/30" dev "wire$1"
  ip -n "$router" link set "wire$1" up
  ip -n "$space" link set lo up
  ip -n "$space" addr add "$(leaf "$1")/30" dev eth0
  ip -n "$space" link set eth0 up
  ip -n "$space" route add default via "$(end "$1")"
}

# add or del, a runner, a kind of cut.
change() {
  leaf=$(($2 + 1))
  to="rule $1 pref 100 iif wire$leaf"
  from="rule $1 pref 101 to $(leaf "$leaf")"
  case $3 in
    silent | refused)
      if [ "$3" = silent ]; then how=blackhole; else how=unreachable; fi
      ip -n "$router" $to $how
      ip -n "$router" $from $how
      ;;
    to-broker) ip -n "$router" $to blackhole ;;
    from-broker) ip -n "$router" $from blackhole ;;
    unplugged) ip -n "$router" link set "wire$leaf" "$([ "$1" = add ] && echo down || echo up)" ;;
    *) echo "no such cut: $3" >&2; exit 2 ;;
  esac
}

remove() {
  ip netns list | sed -n "s/^\($1-[^ ]*\).*/\1/p" | while read -r each; do ip netns del "$each"; done
}

case $verb in
  lay)
    ip netns add "$router"
    ip -n "$router" link set lo up
    # From inside, because /proc/sys shows the namespace of who reads it.
    nsenter --net=/run/netns/"$router" sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward'
    i=0
    while [ $i -le "$4" ]; do
      join $i
      i=$((i + 1))
    done
    host=fb${name##*-}
    ip -n "$router" link add wire99 type veth peer name "$host" netns $$
    ip -n "$router" addr add "$(end 62)/30" dev wire99
    ip -n "$router" link set wire99 up
    ip addr add "$(leaf 62)/30" dev "$host"
    ip link set "$host" up
    ip route add "$(leaf 0)/32" via "$(end 62)"
    ;;
  cut) change add "$4" "$5" ;;
  heal) change del "$4" "$5" ;;
  remove) remove "$name" ;;
  sweep)
    ip netns list | sed -n "s/^$name\([0-9]*\)-.*/\1/p" | sort -u | while read -r pid; do
      [ -d "/proc/$pid" ] || remove "$name$pid"
    done
    ;;
esac
