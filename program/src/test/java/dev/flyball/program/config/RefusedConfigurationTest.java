package dev.flyball.program.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is wrong with a configuration is named, with what is allowed, and no secret is repeated. */
final class RefusedConfigurationTest {
  private static final Map<String, String> ENVIRONMENT =
      Map.of("GOOD", "a-token-of-some-length", "SHORT", "s3cret");

  @TempDir Path folder;

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          agents  | {name: default, agent: claude}                          | default
          agents  | {name: Deep, agent: claude}                             | 'Deep'
          agents  | {agent: claude}                                         | needs name
          agents  | {name: a}                                               | needs agent
          agents  | {name: a, agent: claud}                                 | 'claud'
          agents  | {name: a, agent: claude, modle: x}                      | did you mean 'model'
          agents  | {name: a, agent: claude, tools: [Bash]}                 | some of Read
          agents  | {name: a, agent: codex, tools: [Read]}                  | claude only
          agents  | {name: a, agent: codex, args: [--yolo]}                 | --yolo
          agents  | {name: a, agent: codex, args: [fix it]}                 | fix it
          agents  | {name: a, agent: codex, env: [A-B]}                     | 'A-B'
          agents  | {name: a, agent: codex, prices: {input: 1}}             | prices.output
          agents  | {name: a, agent: claude, prices: {input: 1, output: 1}} | prices
          agents  | {name: a, agent: claude, wall-clock: 0s}                | above 0
          agents  | a                                                       | keys and values
          agents  | {name: good, agent: claude}                             | used twice, first at
          routes  | {profile: deeper}                                       | deeper
          routes  | {complexity: 4}                                         | needs profile
          routes  | {profile: good, complexity: 6}                          | 1 (trivial)
          routes  | {profile: good, complexity: 5-4}                        | smaller number first
          routes  | {profile: good, priority: high}                         | 'high'
          routes  | {profile: good, label: [a]}                             | did you mean 'labels'
          notify  | {type: irc, url: 'https://h/', on: [dead]}              | one of slack, teams, webhook
          notify  | {type: slack, url-env: X}                               | needs on
          notify  | {type: slack, url-env: X, on: [deaths]}                 | some of dead, hung, analysis, trouble
          notify  | {type: slack, on: [dead]}                               | needs url, url-env or url-file
          notify  | {type: slack, uri: x, on: [dead]}                       | no such key 'uri' in a target of notify
          notify  | {type: teams, url-env: X, secret-env: Y, on: [dead]}    | secret has no meaning for type teams
          notify  | {type: slack, url-env: X, url-file: Y, on: [dead]}      | url-env and url-file, not both
          notify  | {type: slack, url: 'ftp://h/s3cret', on: [dead]}        | (hidden)
          notify  | {type: webhook, url: 'http://h.example/', on: [dead]}   | insecure: true
          notify  | {type: slack, name: good, url-env: X, on: [dead]}       | used twice
          console.tokens | {name: ann}                                      | exactly one of
          console.tokens | {name: ann, token-env: NONE}                     | NONE with the token is not set
          console.tokens | {name: ann, token-env: s3cret-token-of-some-length} | token-env ~ (hidden)
          console.tokens | {name: ann, token-env: SHORT}                    | fewer than 20 characters
          console.tokens | {name: ann, token-file: /none}                   | /none does not exist
          console.tokens | {name: ann, sha256: abc}                         | 64 hexadecimal digits
          console.tokens | {name: ann, token-env: GOOD, roles: [operator]}  | is not tenant:role
          console.tokens | {name: ann, token-env: GOOD, roles: ['a:king']}  | viewer, operator or admin
          console.tokens | {name: good, token-env: GOOD}                    | used twice
          console.tokens | {name: ann, token: s3cret}                       | a secret does not belong
          sources | {type: github, repository: o/r, token: s3cret}          | token-env ~ token-file
          sources | {type: github, repository: o/r, password: s3cret}       | token-env ~ token-file
          sources | {type: github, repository: o/r, api-key: s3cret}        | token-env ~ token-file
          sources | {type: github, repository: o/r, pat: s3cret}            | token-env ~ token-file
          sources | {type: github, repository: o/r, key: s3cret}            | token-env ~ token-file
          sources | {type: github, repository: o/r, webhook-token: s3cret}  | token-env ~ token-file
          sources | {type: github, repository: o/r, token-env: ghp_0123456789012345678901234567890123s3cret} | token-env ~ (hidden)
          sources | {type: jsonl, path: x, repo: 'https://me:s3cret/x@example.org/b'}        | repo ~ (hidden) ~ repo-token-env
          sources | {type: redmine, token-env: T, url: 'http://redmine.example'}             | url ~ https
          sources | {type: redmine, token-env: T, url: 'https://me:s3cret@redmine.example'}  | url ~ https
          sources | {type: redmine, token-env: T, url: 'https://redmine.example/?key=1'}     | url ~ https
          sources | {type: redmine, token-env: T, url: 'https://redmine.example/#a'}         | url ~ https
          sources | {type: redmine, token-env: T, url: 'redmine.example'}                    | url ~ https
          sources | {type: redmine, token-env: T, url: 'ftp://redmine.example'}              | url ~ https
          sources | {type: redmine, token-env: T, url: 'https://redmine.example /x'}         | url ~ https
          sources | {type: redmine, token-env: T, url: 'http://127.0.0.1.evil.example'}      | url ~ https
          sources | {type: jirra, path: x}                                    | 'jirra' ~ azure-devops
          sources | {type: jsonl}                                             | jsonl ~ path
          sources | {type: jsonl, path: x, pth: y}                            | 'pth' ~ jsonl ~ 'path'
          sources | {type: jsonl, path: x, interval: 5}                       | interval ~ '5' ~ 500ms
          sources | {type: jsonl, path: x, interval: 10ms}                    | interval ~ 10ms ~ 1s
          sources | {type: redmine, url: 'https://r.example', interval: 10s, token-env: T} | interval ~ 10s ~ 30s
          sources | {type: jira, user: me, token-env: T}                      | jira ~ url ~ query
          sources | {type: redmine, url: 'https://r.example', token-env: T, fingerprint: [titel]} | fingerprint ~ 'titel' ~ comments ~ priority
          sources | {type: redmine, url: 'https://r.example', token-env: T, unassigned: never} | unassigned ~ 'never' ~ ignore, closed
          sources | {type: redmine, url: 'https://r.example'}                 | redmine ~ token-env ~ token-file
          sources | {type: github, repository: o/r, start: yesterday}         | start ~ 'yesterday' ~ now, all
          sources | {type: jsonl, path: x, when: {assignee: bob}}             | when.assignee:
          sources | {type: jsonl, path: x, when: {label: bob}}                | 'when.label' ~ jsonl ~ 'when.labels'
          sources | {type: redmine, url: 'https://r.example', query: key=x, token-env: T} | query ~ 'key'
          sources | {type: jira, url: 'https://shop.atlassian.net', query: ORDER BY key, token-env: T} | no condition
          sources | {type: github, repository: o/r, token-env: T, token-file: f} | token-env ~ token-file
          sources | {type: jsonl, path: x, write-back: comment}               | jsonl ~ comments
          sources | {type: github, repository: o/r, write-back: comment}      | token-env ~ token-file
          sources | {type: jsonl, path: x, write-back: webhook}               | write-back: ~ webhook-url
          sources | {type: jsonl, path: x, webhook-url: 'https://hooks.example'} | webhook-url ~ write-back:
          sources | {type: jsonl, path: x, write-back: webhook, webhook-url: 'http://u:s3cret@hooks.example/x'} | webhook-url ~ (hidden) ~ https
          sources | {type: jsonl, path: x, revisit: 1s}                       | revisit ~ 1s ~ 30s
          sources | {type: jsonl, path: x, branch: '../x'}                  | branch ~ '../x'
          sources | {type: jsonl, path: x, branch: '-x'}                    | branch ~ '-x'
          sources | {type: jsonl, path: x, branch: 'a..b'}                  | branch ~ 'a..b'
          sources | {type: jsonl, path: x, branch: 'a b'}                   | branch ~ 'a b'
          sources | {type: jsonl, path: x, branch: 'x.lock'}                | branch ~ 'x.lock'
          sources | {type: jsonl, path: x, branch: 'a//b'}                  | branch ~ 'a//b'
          sources | {type: jsonl, path: x, branch: '/a'}                    | branch ~ '/a'
          sources | {type: jsonl, path: x, branch: 'a/'}                    | branch ~ 'a/'
          sources | {type: jsonl, path: x, branch: 'a:b'}                   | branch ~ 'a:b'
          sources | {type: jsonl, path: x, branch: '~a'}                    | branch ~ '~a'
          """)
  void anEntryOfAList(String list, String entry, String named) {
    String usual =
        switch (list) {
          case "agents" -> "agents:\n  - {name: good, agent: scout}\n";
          case "routes" -> "agents: [{name: good, agent: codex}]\nroutes:\n";
          case "notify" -> "notify:\n  - {name: good, type: slack, url-env: URL, on: [dead]}\n";
          case "sources" -> "\nsources:\n";
          default -> "console.tokens:\n  - {name: good, token-env: GOOD}\n";
        };
    String written = list.equals("sources") ? entry.replaceFirst("\\{", "{name: a, ") : entry;

    refused(usual + "  - " + written + "\n", ":3: ", named);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          sessions: {repo: 'https://example.org/b?t=s3cret'}                            | :1: ~ repo-token-env
          ledger: {lease: 20s}                                                          | :1: ledger.lease 20s must be at least ledger.margin 10s plus two of ledger.renew 10s
          sessions: {prompt: none.md}                                                   | none.md
          triage: {prompt: none.md}                                                     | none.md
          triage: {classifier: agent}                                                   | :1: ~ triage.agent
          triage: {classifier: agent, agent: other}                                     | :1: triage.agent 'other'
          triage: {classifier: messages, model: m, token-env: T, url: 'http://g.example'} | :1: triage.url
          triage: {classifier: messages, model: m, token-file: t, url: 'http://127.0.0.1.g.example'} | :1: triage.url
          triage: {classifier: messages, model: m, url: 'https://user:s3cret@g.example'} | :1: triage.url
          triage: {classifier: messages, url: 'https://g.example'}                      | :1: ~ triage.model
          triage: {classifier: messages, model: m, prices: {input: 1}}                  | :1: triage.prices
          console: {listen: '0.0.0.0:8321'}                                             | :1: console.listen 0.0.0.0:8321 can be reached from other machines ~ add a token
          console: {hosts: [flyball.example]}                                           | :1: console.hosts
          console: {tls: {key-store: none.p12}}                                         | :1: console.tls.key-store ~ none.p12
          """)
  void aKey(String yaml, String named) {
    refused(yaml + "\n", "", named);
  }

  @Test
  @DisplayName("more targets than are possible are a mistake")
  void moreThanTwentyTargets() {
    var yaml = new StringBuilder("notify:\n");
    for (int i = 0; i < 21; i++) {
      yaml.append("  - {name: t").append(i).append(", type: slack, url-env: X, on: [dead]}\n");
    }
    refused(yaml.toString(), "", "at most 20");
  }

  private void refused(String yaml, String line, String named) {
    ConfigurationError error =
        catchThrowableOfType(
            ConfigurationError.class,
            () -> {
              Configuration configuration =
                  ConfigurationLoader.of(yaml, folder.resolve("flyball.yaml"));
              new AppConfigurations(configuration).check();
              var _ = ConsoleAddress.of(configuration, ENVIRONMENT);
            });
    assertThat(error.lines())
        .singleElement()
        .asString()
        .contains(line)
        .contains(named.split(" ~ "))
        .doesNotContain("s3cret", "\n");
  }
}
