#!/usr/bin/env bash
# hosts.sh up N | down N: N hosts on this machine: network namespaces with an address and a name each, 10.77.0.1 and on, and
# a bridge between them. Needs root. hosts.sh run ADDRESS COMMAND: in one of them, as mpirun's agent (where others have ssh).
set -euo pipefail
case $1 in
  up)
    ip link add hipsight type bridge
    ip address add 10.77.0.254/24 dev hipsight
    ip link set hipsight up
    for ((i = 1; i <= $2; i++)); do
      ip netns add "hipsight$i"
      ip link add "hipsight$i" type veth peer name eth0 netns "hipsight$i"
      ip link set "hipsight$i" master hipsight up
      ip -n "hipsight$i" address add "10.77.0.$i/24" dev eth0
      ip -n "hipsight$i" link set eth0 up
      ip -n "hipsight$i" link set lo up
    done
    ;;
  down)
    for ((i = 1; i <= $2; i++)); do ip netns delete "hipsight$i" 2>/dev/null || true; done
    ip link delete hipsight 2>/dev/null || true
    ;;
  run)
    host=$2
    shift 2
    exec ip netns exec "hipsight${host##*.}" unshare --uts bash -c "hostname hipsight${host##*.} && $*"
    ;;
esac
