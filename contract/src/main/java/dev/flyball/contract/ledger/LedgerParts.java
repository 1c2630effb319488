package dev.flyball.contract.ledger;

/** The parts of the state that have separate rules. */
record LedgerParts(
    Leases leases, Requests requests, Operators operators, Spending spending, Runners runners) {
  static final LedgerParts NONE =
      new LedgerParts(Leases.NONE, Requests.NONE, Operators.NONE, Spending.NONE, Runners.NONE);

  LedgerParts leases(Leases changed) {
    return new LedgerParts(changed, requests, operators, spending, runners);
  }

  LedgerParts requests(Requests changed) {
    return new LedgerParts(leases, changed, operators, spending, runners);
  }

  LedgerParts operators(Operators changed) {
    return new LedgerParts(leases, requests, changed, spending, runners);
  }

  LedgerParts spending(Spending changed) {
    return new LedgerParts(leases, requests, operators, changed, runners);
  }

  LedgerParts runners(Runners changed) {
    return new LedgerParts(leases, requests, operators, spending, changed);
  }
}
