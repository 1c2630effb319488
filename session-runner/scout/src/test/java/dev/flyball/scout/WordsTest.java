package dev.flyball.scout;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WordsTest {

  @Test
  void cutsNamesAtHumpsUnderscoresAndBeforeTheLastCapital() {
    assertThat(cut("parseRow parse_row HTMLText MAX_VALUE sha256 a.b-c"))
        .containsExactly(
            "1:parse",
            "1:row",
            "1=parserow",
            "1:parse",
            "1:row",
            "1=parserow",
            "1:html",
            "1:text",
            "1=htmltext",
            "1:max",
            "1:value",
            "1=maxvalue",
            "1:sha256",
            "1:a",
            "1:b",
            "1:c");
  }

  @Test
  void countsLinesFromOne() {
    assertThat(cut("one\n\nthree\r\nfour")).containsExactly("1:one", "3:three", "4:four");
  }

  @Test
  void readsLettersOfAnyScriptAndSkipsEncodedData() {
    assertThat(cut("\u05e9\u05dc\u05d5\u05dd caf\u00e9 " + "QUJD".repeat(40)))
        .containsExactly("1:\u05e9\u05dc\u05d5\u05dd", "1:caf\u00e9");
  }

  @Test
  void formsOfOneWordHaveOneStem() {
    var stems = new Stems();
    assertThat(List.of("expire", "expires", "expired", "expiring", "expiry"))
        .map(stems::of)
        .containsOnly("expir");
    assertThat(List.of("the", "17", "nbsp", "x")).map(stems::of).containsOnly(Stems.NOTHING);
  }

  private static List<String> cut(String text) {
    var found = new ArrayList<String>();
    Words.cut(
        text,
        new Words.Sink() {
          @Override
          public void word(String word, int line, boolean first) {
            found.add(line + ":" + word);
          }

          @Override
          public void name(String joined, int line) {
            found.add(line + "=" + joined);
          }
        });
    return found;
  }
}
