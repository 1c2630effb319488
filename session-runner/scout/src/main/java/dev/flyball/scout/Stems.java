package dev.flyball.scout;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reduces the forms of one word ({@code expires}, {@code expired}, {@code expiry}) to one stem, and
 * knows which words identify no place in a repository. Not thread-safe.
 */
public final class Stems {
  /** The stem of a word that identifies nothing. */
  public static final String NOTHING = "";

  private static final Set<String> STOP =
      FileKind.words(
          "a about above after again against all also although always am an and another any"
              + " anyone anything are around as at away back be became because become been before"
              + " behind being below between both but by came can cannot come could did do does"
              + " doing done down during each either else even ever every few for from further"
              + " get gets give go goes going gone got had has have having he her here hers him"
              + " his how however i if in instead into is it its itself just keep kept know later"
              + " least less let like made make makes many may maybe me might more most much must"
              + " my near need needs neither never no nobody nor not nothing now of off often on"
              + " once one only onto or other others our ours out over own per perhaps put quite"
              + " rather really said same say says see seem seems several she should since so"
              + " some somebody someone something sometimes somewhere soon still such take than"
              + " that the their theirs them then there these they thing things this those though"
              + " three through thus to together too toward two under until unto up upon us use"
              + " used uses using very via want wants was we well went were what when where"
              + " whether which while who whole whom whose why will with within without would yet"
              + " you your yours");

  /**
   * Words of trackers, and of mark-up that got into a text: every item has them, and they identify
   * no file.
   */
  private static final Set<String> NOISE =
      FileKind.words(
          "actual amp acceptance br bug cc criteria dear expected fyi gt hello hey hi href https"
              + " http hr img issue kind li lt nbsp nobr ol please px quot regards repro"
              + " reproduce rgb rgba span steps td thanks thank th ticket tr ul www todo asap etc"
              + " eg ie");

  /** Endings that make another form of a word, the longest first. */
  private static final List<String> ENDINGS =
      List.of(
          "ations", "ation", "ments", "ingly", "ings", "ions", "ment", "ness", "able", "ing", "ion",
          "ied", "ies", "ers", "ed", "er", "es", "ly", "al", "y", "s");

  /** No ending is cut if less than this is left. */
  private static final int SHORTEST = 3;

  private final Map<String, String> known = new HashMap<>();

  /** The stem of a word in lower case, or {@link #NOTHING}. */
  public String of(String word) {
    return known.computeIfAbsent(word, this::stem);
  }

  private String stem(String word) {
    if (word.length() < 2 || STOP.contains(word) || NOISE.contains(word) || number(word)) {
      return NOTHING;
    }
    String cut = word;
    for (String ending : ENDINGS) {
      if (word.endsWith(ending) && word.length() - ending.length() >= SHORTEST) {
        cut = word.substring(0, word.length() - ending.length());
        break;
      }
    }
    int last = cut.length() - 1;
    boolean twice = last >= SHORTEST && cut.charAt(last) == cut.charAt(last - 1);
    boolean vowel = last >= SHORTEST && cut.charAt(last) == 'e';
    return twice || vowel ? cut.substring(0, last) : cut;
  }

  private static boolean number(String word) {
    for (int i = 0; i < word.length(); i++) {
      if (!Character.isDigit(word.charAt(i))) {
        return false;
      }
    }
    return true;
  }
}
