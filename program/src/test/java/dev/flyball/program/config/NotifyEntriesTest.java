package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.flyball.ops.console.notify.NotifyConfig;
import dev.flyball.ops.console.notify.NotifyConfig.NotifyTarget;
import dev.flyball.ops.console.notify.rule.Notification;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class NotifyEntriesTest {
  private static final String GOOD = "{name: good, type: slack, url-env: SLACK_URL, on: [dead]}";

  @TempDir Path folder;

  @Test
  void everyKeyOfATargetIsTakenUp() {
    NotifyConfig config =
        config(
            """
            console: {url: "https://flyball.example/"}
            notify:
              - {name: ops, type: slack, url-env: SLACK_URL, on: [dead, hung], tenant: acme}
              - {type: webhook, url: "https://h.example/x?k=1", secret-env: HOOK, on: [analysis]}
              - {type: teams, url: "http://t.example/", insecure: true, on: [trouble]}
            """);

    assertThat(config.links().consoleUrl()).isEqualTo("https://flyball.example/");
    assertThat(config.targets())
        .extracting(NotifyTarget::name)
        .containsExactly("ops", "webhook", "teams");
    NotifyTarget ops = config.targets().getFirst();
    assertThat(ops.tenant()).isEqualTo("acme");
    assertThat(ops.on()).containsExactlyInAnyOrder(Notification.Kind.DEAD, Notification.Kind.HUNG);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{type: irc, url: 'https://h/', on: [dead]} | one of slack, teams, webhook",
        "{type: slack, url-env: X} | needs on",
        "{type: slack, url-env: X, on: [deaths]} | some of dead, hung",
        "{type: slack, on: [dead]} | needs url, url-env or url-file",
        "{type: slack, uri: x, on: [dead]} | no such key 'uri' in a target of notify",
        "{type: mail, url-env: X, on: [dead]} | one of slack, teams, webhook",
        "{type: slack, url-env: X, on: [lost]} | some of dead, hung, analysis, trouble",
        "{type: teams, url-env: X, secret-env: Y, on: [dead]} | secret has no meaning for type"
            + " teams",
        "{type: slack, url-env: X, url-file: Y, on: [dead]} | exclude each other",
        "{type: webhook, url: 'http://h.example/', on: [dead]} | insecure: true",
        "{type: slack, name: good, url-env: X, on: [dead]} | used twice",
      })
  void whatIsNoTargetIsRejectedAtItsLine(String entry, String why) {
    assertThat(rejected("notify:\n  - " + GOOD + "\n  - " + entry + "\n"))
        .singleElement()
        .asString()
        .contains(":3: ")
        .contains(why);
  }

  @Test
  void anAddressIsHiddenInMessagesAndRows() {
    assertThat(rejected("notify: [{type: slack, url: 'ftp://h/hunter2', on: [dead]}]\n").toString())
        .doesNotContain("hunter2");
    Configuration shown =
        configuration("notify: [{type: webhook, url: 'https://h/hunter2', on: [dead]}]\n");
    assertThat(shown.rows()).extracting(Configuration.Row::value).contains("https://h/(hidden)");
    assertThat(shown.rows().toString()).doesNotContain("hunter2");
    assertThat(LaterChanges.between(shown, configuration("")))
        .containsExactly("notify needs a restart");
  }

  @Test
  void moreThanTwentyTargetsAreAMistake() {
    var yaml = new StringBuilder("notify:\n");
    for (int i = 0; i < 21; i++) {
      yaml.append("  - {name: t").append(i).append(", type: slack, url-env: X, on: [dead]}\n");
    }
    assertThat(rejected(yaml.toString())).singleElement().asString().contains("at most 20");
  }

  private List<String> rejected(String yaml) {
    return catchThrowableOfType(ConfigurationError.class, () -> config(yaml)).lines();
  }

  private NotifyConfig config(String yaml) {
    return new AppConfigurations(configuration(yaml)).notifications();
  }

  private Configuration configuration(String yaml) {
    return ConfigurationLoader.of(yaml, folder.resolve("flyball.yaml"));
  }
}
