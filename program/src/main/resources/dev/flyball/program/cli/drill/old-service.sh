#!/bin/sh
# Starts an agent for every item together and forgets it, as the service of the incident did.
here=$(dirname "$0")
mkfifo -m 644 "$here/slow/pipe"
while read -r id searches manner; do
  echo "$id" | "$here/agent.sh" > /dev/null 2>&1 &
done < "$here/agents.tsv"
sleep 600
