#!/usr/bin/env python3
"""Checks Flyball's promises against what Kafka holds, with none of Flyball's code.

usage: audit.py HOST:PORT [PREFIX]      asks kcat, and only reads; PREFIX is "flyball." unless configured
       audit.py LEDGER.json EVENTS.json  what `kcat -C -e -q -J` printed of session-ledger and session-events

Sessions are what session-events reports. In which order they held the permit is read from session-ledger: a session
holds it from its claim to its release, or to an expire that saw its last renewal. Prints each broken promise, then
the counts. Exit code 1: a promise is broken; 2: nothing was checked.
"""
import json
import math
import os
import subprocess
import sys
from collections import Counter, defaultdict
from datetime import datetime

ENDS = {"completed", "failed", "timedOut", "cancelled", "interrupted", "lost"}
MINUTE, HOUR = 60_000, 3_600_000
NOTHING = {"costMicros": 0, "tokens": 0}


def read(lines):
    """Each record that kcat printed, with its headers and its value."""
    for line in lines:
        record = json.loads(line)
        headers = record.get("headers") or []
        try:
            yield record, dict(zip(headers[::2], headers[1::2])), json.loads(record["payload"] or "{}")
        except ValueError:
            print(f"note: {record['topic']} {record['partition']}:{record['offset']} is not JSON; Flyball skips it too")


def kcat(server, topic):
    command = ["kcat", "-C", "-e", "-q", "-J", "-b", server, "-t", topic]
    answer = subprocess.run(command, stdout=subprocess.PIPE)
    if answer.returncode != 0:
        print(f"nothing was checked: kcat cannot read {topic} at {server}", file=sys.stderr)
        sys.exit(2)
    return answer.stdout.splitlines()


def beginning(ledger):
    """Where the fold begins: a ledger that was cut begins at its first whole checkpoint."""
    if not ledger or ledger[0][0]["offset"] == 0:
        return -1, {}
    parts = {}
    for _, _, entry in ledger:
        if entry.get("entry") == "checkpoint":
            part = entry.get("part") or {"set": "", "number": 1, "last": True}
            if part["number"] == 1:
                parts[part["set"]] = ""
            if part["set"] in parts:
                parts[part["set"]] += entry["state"]["state"]
                if part["last"] and entry["at"] + 1 >= ledger[0][0]["offset"]:
                    return entry["at"], json.loads(parts[part["set"]])
    sys.exit("the oldest entries of the ledger were cut, and no whole checkpoint follows; try again later")


def scopes_of(claim):
    """All scopes of a claim or a lease; those of what is spent for a tenant are the first two."""
    tenant, source, _ = claim["item"].split("/", 2)
    scopes = ["global", "tenant:" + tenant, f"source:{tenant}/{source}"]
    provider = claim.get("provider")
    if provider:
        scopes += sorted({"provider:" + provider.split("/")[0], "provider:" + provider})
    return scopes


def until(pause):
    """When a pause ends, in milliseconds."""
    return 1000 * datetime.fromisoformat(pause["until"]).timestamp() if pause.get("until") else math.inf


def audit(ledger, events):
    """Returns the broken promises and the counts."""
    broken, claimed, ends = [], set(), defaultdict(list)
    for record, headers, data in events:
        kind = headers.get("ce_type", "").removeprefix("flyball.").removesuffix(".v1").removeprefix("session.")
        session = data.get("session")
        if kind in ENDS | {"claimed", "spawned"}:
            claimed.add(session)
        if kind in ENDS:
            ends[session].append(kind)
            survivors = data.get("survivors", 0)
            if survivors:
                broken.append(f"INV-5 session {session}: {survivors} processes outlived it")

    at, saved = beginning(ledger)
    operators, days = saved.get("operators", {}), saved.get("days", [])
    now, ended, seeded = 0, {}, saved.get("initialCap") is not None
    caps = {"global": 0} | operators.get("caps", {})
    limits, last = operators.get("limits", {}), operators.get("last", {})
    pauses = {scope: until(pause) for scope, pause in operators.get("pauses", {}).items()}
    spent = {
        kind: Counter({(s, d["epochDay"]): amount[kind] for d in days for s, amount in d["scopes"].items()})
        for kind in ("costMicros", "tokens")
    }
    booked_refs = set(saved.get("refs", []) + saved.get("olderRefs", []))
    holds = {
        hold["ref"]: (["global", "tenant:" + hold["tenant"]], hold["costMicros"], hold["sinceMs"])
        for hold in saved.get("holds", [])
    }
    open_ = {
        lease["session"]: dict(lease, scopes=scopes_of(lease), used=lease)
        for lease in saved.get("leases", [])
    }
    most = len(open_)

    def book(scopes, day, used, before=NOTHING):
        for scope in scopes:
            for kind in NOTHING:
                spent[kind][scope, day] += max(0, used[kind] - before[kind])

    def full(scope, day, micros):
        live = [lease for lease in open_.values() if scope in lease["scopes"]]
        held = sum(max(0, lease["reserve"] - lease["used"]["costMicros"]) for lease in live)
        held += sum(kept for of, kept, _ in holds.values() if scope in of)
        asked = spent["costMicros"][scope, day] + held + micros
        limit = {name: most for name, most in limits.get(scope, {}).items() if most is not None}
        tokens = spent["tokens"][scope, day]
        return asked > limit.get("dailyCostMicros", math.inf) or tokens >= limit.get("dailyTokens", math.inf)

    def end(session, day, used, least=0):
        lease = open_.pop(session)
        book(lease["scopes"], day, used | {"costMicros": max(least, used["costMicros"])}, lease["used"])

    for record, _, entry in ledger:
        if record["offset"] <= at:
            continue
        at, now, kind = record["offset"], record["ts"], entry.get("entry")
        day, session = now // (24 * HOUR), entry.get("session")
        for ref, (scopes, micros, since) in list(holds.items()):
            if now - since > HOUR:  # whoever held it back is gone: the whole of it counts as spent
                book(scopes, day, NOTHING | {"costMicros": micros})
                booked_refs.add(ref)
                del holds[ref]
        if kind == "init" and not seeded:
            seeded = True
            if "global" not in last:
                caps["global"] = entry["cap"]
            for each in [{"scope": "global"}] + entry["budgets"]:
                if "limits" in each:
                    limits.setdefault(each["scope"], each["limits"])
                last.setdefault(each["scope"], at)
        elif kind in ("cap", "pause", "resume", "budget"):
            scope = entry["scope"]
            if entry["seen"] != last.get(scope, -1) or (kind == "resume" and scope not in pauses):
                continue
            last[scope] = at
            if kind == "cap":
                caps[scope] = entry["limit"]
            elif kind == "budget":
                limits[scope] = entry["limits"]
            elif kind == "pause":
                pauses[scope] = until(entry)
            else:
                del pauses[scope]
        elif kind == "claim" and session in claimed and session not in open_:
            scopes = scopes_of(entry)
            claimed.discard(session)
            name = f"session {session} of {entry['item']}, claimed at offset {at}"
            for scope in scopes:
                live = [each for each in open_.values() if scope in each["scopes"]]
                if scope in caps and len(live) >= caps[scope]:
                    broken.append(f"INV-1 {name}: {len(live)} of {caps[scope]} in {scope} lived already")
                if now < pauses.get(scope, 0):
                    broken.append(f"INV-1 {name}: {scope} was paused")
                if full(scope, day, entry["reserve"]):
                    broken.append(f"INV-8 {name}: the daily budget of {scope} did not allow it")
            for other, lease in open_.items():
                if lease["item"] == entry["item"]:
                    broken.append(f"INV-2 {name}: session {other} of the same item lived")
            open_[session] = dict(item=entry["item"], scopes=scopes, reserve=entry["reserve"], used=NOTHING, seen=at)
            most = max(most, len(open_))
        elif kind == "renew":
            for use in entry["sessions"]:
                lease = open_.get(use["session"])
                if lease:
                    book(lease["scopes"], day, use, lease["used"])
                    lease.update(seen=at, used={kind: max(lease["used"][kind], use[kind]) for kind in NOTHING})
        elif kind == "release" and session in open_:
            started = entry["receipt"].get("level") or entry["receipt"].get("survivors") != 0
            lost = entry["outcome"] == "lost" and started
            end(session, day, entry, open_[session]["reserve"] if lost else 0)
            ended[session] = now
        elif kind == "expire" and session in open_ and open_[session]["seen"] == entry["seen"]:
            end(session, day, NOTHING, open_[session]["reserve"])
            ended[session] = now
        elif kind == "reserve" and entry["ref"] not in booked_refs and entry["ref"] not in holds:
            scopes = ["global", "tenant:" + entry["tenant"]]
            if not any(full(scope, day, entry["costMicros"]) for scope in scopes):
                holds[entry["ref"]] = (scopes, entry["costMicros"], now)
        elif kind == "spend" and entry["ref"] not in booked_refs:
            booked_refs.add(entry["ref"])
            holds.pop(entry["ref"], None)
            book(["global", "tenant:" + entry["tenant"]], day, entry)

    for session, kinds in ends.items():
        if len(kinds) > 1:
            broken.append(f"INV-6 session {session}: {len(kinds)} terminal events: {', '.join(kinds)}")
    for session, at in ended.items():
        if session not in ends and now - at > MINUTE:
            broken.append(f"INV-6 session {session}: no terminal event")
    return broken, len(ended), len(open_), most


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    first, second = (sys.argv[1:] + ["flyball."])[:2]
    if os.path.exists(first):
        ledger, events = open(first), open(second)
    else:
        # The events last: what the ledger names has its events then.
        ledger, events = kcat(first, second + "session-ledger"), kcat(first, second + "session-events")
    ledger = list(read(ledger))
    broken, ended, live, most = audit(ledger, read(events))
    print("\n".join(broken) or "no promise is broken")
    print(f"{len(ledger)} entries of the ledger, {ended} sessions ended, {live} live, at most {most} at one time")
    sys.exit(1 if broken else 0)


if __name__ == "__main__":
    main()
