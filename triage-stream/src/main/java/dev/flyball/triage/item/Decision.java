package dev.flyball.triage.item;

import java.util.List;

/** The item after an input, and what is to be done, in order. */
public record Decision(Item item, List<TriageEffect> effects) {
  public Decision {
    effects = List.copyOf(effects);
  }
}
