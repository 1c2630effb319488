package dev.flyball.contract.ledger;

/** Which of the entries of the checkpoint {@code set} an entry is, numbered from 1 without gaps. */
public record CheckpointPart(String set, int number, boolean last) {
  public CheckpointPart {
    EntryChecks.present(set, "set");
    EntryChecks.atLeast(1, number, "number");
  }
}
