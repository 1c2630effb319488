#!/bin/sh
# An agent of the demo that misbehaves: "searches" starts more and more searches, "silent" says nothing after its first line.
cat > /dev/null
echo "reading the item"
case $1 in
  searches)
    n=0
    while [ $n -lt 40 ]; do
      sleep 600 &
      n=$((n + 1))
      sleep 0.1
    done
    ;;
esac
sleep 600
