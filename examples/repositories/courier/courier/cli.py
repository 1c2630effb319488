"""The command line: parses arguments, calls the parts, prints what happened."""

import argparse
import sys
from pathlib import Path

from courier import bounces, config, issue, journal, readers, schedule, sender


def build_parser():
    parser = argparse.ArgumentParser(prog="courier")
    parser.add_argument("--config", default="courier.toml")
    commands = parser.add_subparsers(dest="command", required=True)
    check = commands.add_parser("check", help="render an issue and look for mistakes")
    check.add_argument("issue", type=Path)
    send = commands.add_parser("send", help="send an issue to a list")
    send.add_argument("issue", type=Path)
    send.add_argument("--list", required=True, type=Path)
    send.add_argument("--where", action="append", default=[])
    send.add_argument("--dry-run", action="store_true")
    send.add_argument("--at", help="time of day, 18:30")
    commands.add_parser("resume", help="go on with a run that was stopped")
    bounce = commands.add_parser("bounces", help="read returned mails")
    bounce.add_argument("mailbox", type=Path)
    return parser


def main(argv=None):
    args = build_parser().parse_args(argv)
    settings = config.load(args.config)
    if args.command == "check":
        return check(args, settings)
    if args.command == "send":
        return send(args, settings)
    if args.command == "bounces":
        print(bounces.collect(args.mailbox, settings), "addresses bounced")
    return 0


def check(args, settings):
    parsed = issue.parse(args.issue.read_text())
    for problem in issue.problems(parsed):
        print("problem:", problem, file=sys.stderr)
    print(parsed.subject)
    return 0


def send(args, settings):
    parsed = issue.parse(args.issue.read_text())
    chosen = readers.select(readers.load(args.list), args.where)
    log = journal.Journal(settings.newsletter["journal"])
    if args.at:
        schedule.wait_until(args.at)
    count = 0
    with sender.Sender(settings) as out:
        for reader in chosen:
            if log.was_sent(parsed.key, reader["mail"]):
                continue
            out.deliver(parsed, reader)
            log.sent(parsed.key, reader["mail"])
            count += 1
    print(count, "mails sent")
    return 0


if __name__ == "__main__":
    sys.exit(main())
