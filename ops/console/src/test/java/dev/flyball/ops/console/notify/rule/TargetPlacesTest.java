package dev.flyball.ops.console.notify.rule;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TargetPlacesTest {
  @Test
  void aSlowTargetHoldsThePositionAndRepeatsNothingForTheOther() {
    var places = new TargetPlaces(List.of("fast", "slow"));
    places.resume(0, 10, "");
    for (long offset = 10; offset < 13; offset++) {
      places.began("fast", 0, offset);
      places.began("slow", 0, offset);
      places.read(0, offset);
      places.ended("fast", 0, offset);
    }

    assertThat(places.commit(0)).isEqualTo(new TargetPlaces.Commit(10, "fast=13 slow=10"));

    var again = new TargetPlaces(List.of("fast", "slow", "new"));
    again.resume(0, 10, "fast=13 slow=10");
    assertThat(again.wants("fast", 0, 12)).isFalse();
    assertThat(again.wants("fast", 0, 13)).isTrue();
    assertThat(again.wants("slow", 0, 10)).isTrue();
    assertThat(again.wants("new", 0, 12)).isFalse();
  }

  @Test
  void aRecordWithTwoMessagesIsFinishedWithTheSecond() {
    var places = new TargetPlaces(List.of("a"));
    places.resume(0, 5, "");
    places.began("a", 0, 5);
    places.began("a", 0, 5);
    places.read(0, 5);

    places.ended("a", 0, 5);
    assertThat(places.commit(0).next()).isEqualTo(5);
    places.ended("a", 0, 5);
    assertThat(places.commit(0).next()).isEqualTo(6);
  }

  @Test
  void aReaderThatJoinsAgainTakesNothingTwice() {
    var places = new TargetPlaces(List.of("a"));
    places.resume(0, 5, "");
    places.began("a", 0, 5);
    places.read(0, 5);

    places.resume(0, 5, "a=5");

    assertThat(places.wants("a", 0, 5)).isFalse();
    assertThat(places.commit(0).next()).isEqualTo(5);
  }

  @Test
  void aTextThatIsNoneIsIgnored() {
    var places = new TargetPlaces(List.of("a"));
    places.resume(0, 5, "a=x ==  b a=99999999999999999999999");

    assertThat(places.commit(0)).isEqualTo(new TargetPlaces.Commit(5, "a=5"));
  }
}
