package dev.flyball.program.config;

import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceRules;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The keys of a source. A key with another meaning for each type has one entry for each. */
final class SourceKeys {
  static final Key<String> NAME =
      key("name", SourceValues.NAME, null, "Part of the item keys `tenant/name/id`");
  static final Key<String> TYPE =
      key(
          "type",
          ValueType.oneOf("azure-devops", "azure-devops-cli", "github", "jira", "redmine", "jsonl"),
          null,
          "What kind of tracker it is");
  static final Key<String> TENANT =
      key("tenant", SourceValues.NAME, null, "Whose items these are; by default the key `tenant`");
  static final Key<Duration> INTERVAL =
      key(
          "interval",
          ValueType.DURATION,
          DurationText.format(SourceConfig.DEFAULT_INTERVAL),
          "From the end of one poll to the start of the next; at least 30s, for jsonl 1s");
  static final Key<List<String>> FINGERPRINT =
      key(
          "fingerprint",
          SourceValues.FIELDS,
          null,
          "Fields that decide whether an item changed; by default `fingerprint.fields`");
  static final Key<List<String>> CLOSED_STATES =
      key(
          "closed-states",
          ValueType.NAMES,
          "",
          "Further states in which no work is wanted: sessions of such an item are cancelled");
  static final Key<String> UNASSIGNED =
      key(
          "unassigned",
          ValueType.oneOf("ignore", "closed"),
          "ignore",
          "`closed`: no work is wanted for an item without an assignee");
  static final Key<String> ME =
      key(
          "me",
          ValueType.TEXT,
          null,
          "How the tracker names the account that write-backs come from: what only it changed is no"
              + " change");
  static final Key<Duration> REVISIT =
      key(
          "revisit",
          ValueType.DURATION,
          DurationText.format(SourceRules.DEFAULT_REVISIT),
          "How often items that wait or run are looked at again by their ids, to notice closed and"
              + " deleted ones; at least 30s");
  static final Key<Path> REPO =
      key(
          "repo",
          ValueType.PATH,
          null,
          "The repository that sessions of its items read; by default `sessions.repo`");
  static final Key<String> BRANCH =
      key(
          "branch",
          SourceValues.BRANCH,
          null,
          "The branch of it that they read; by default the folder as it stands");
  static final Key<String> WRITE_BACK =
      key(
          "write-back",
          ValueType.oneOf("off", "comment", "webhook"),
          "off",
          "Where analyses go beside their topic: a comment of their item (not azure-devops-cli and"
              + " jsonl), or `webhook-url`");
  static final Key<URI> WEBHOOK_URL =
      key("webhook-url", SourceValues.WEBHOOK, null, "Where `write-back: webhook` posts to");
  static final Key<String> WEBHOOK_TOKEN_ENV =
      key(
          "webhook-token-env",
          SourceValues.VARIABLE,
          null,
          "The environment variable with the bearer token of the webhook");
  static final Key<Path> WEBHOOK_TOKEN_FILE =
      key("webhook-token-file", ValueType.PATH, null, "The same in a file's first line");

  static final Key<String> TOKEN_ENV =
      key(
          "token-env",
          SourceValues.VARIABLE,
          null,
          "The environment variable with the token; this or `token-file`");
  static final Key<Path> TOKEN_FILE =
      key("token-file", ValueType.PATH, null, "The file whose first line is the token");

  static final Key<Path> PATH = key("path", ValueType.PATH, null, "A file, or a folder of files");
  static final Key<URI> AZURE_URL =
      key("url", SourceValues.URL, null, "`https://dev.azure.com/ORG/PROJECT`");
  static final Key<URI> AZURE_CLI_URL =
      key(
          "url",
          SourceValues.URL,
          null,
          "The organisation, `https://dev.azure.com/ORG`; by default the one that az is configured"
              + " for");
  static final Key<String> AZURE_QUERY =
      key("query", ValueType.TEXT, null, "WIQL with a WHERE; what changed is added to it");
  static final Key<String> PROGRAM = key("program", ValueType.TEXT, "az", "The program to call");
  static final Key<URI> GITHUB_URL =
      key(
          "url",
          SourceValues.URL,
          "https://api.github.com",
          "The API; of an enterprise server `https://HOST/api/v3`");
  static final Key<String> REPOSITORY =
      key(
          "repository",
          SourceValues.GITHUB_REPOSITORY,
          null,
          "`owner/name`, whose issues these are");
  static final Key<URI> JIRA_URL =
      key("url", SourceValues.URL, null, "`https://SITE.atlassian.net`");
  static final Key<String> JIRA_QUERY =
      key(
          "query",
          ValueType.TEXT,
          null,
          "Bounded JQL without ORDER BY, for example `project = SHOP`");
  static final Key<String> USER =
      key(
          "user",
          ValueType.TEXT,
          null,
          "The mail address of the account that the token belongs to; without it the token is sent"
              + " as a bearer token");
  static final Key<URI> REDMINE_URL = key("url", SourceValues.URL, null, "Its root");
  static final Key<String> PROJECT =
      key(
          "project",
          SourceValues.REDMINE_PROJECT,
          null,
          "The one project that is read; by default all that the token may see");
  static final Key<String> REDMINE_QUERY =
      key(
          "query",
          ValueType.TEXT,
          null,
          "Further filters of its issue list, for example `tracker_id=1`");

  /** The keys of every type, in the order in which people read them. */
  static final List<Key<?>> COMMON =
      List.of(
          NAME,
          TYPE,
          TENANT,
          INTERVAL,
          REPO,
          BRANCH,
          FINGERPRINT,
          CLOSED_STATES,
          UNASSIGNED,
          REVISIT,
          WRITE_BACK,
          ME,
          WEBHOOK_URL,
          WEBHOOK_TOKEN_ENV,
          WEBHOOK_TOKEN_FILE);

  /** Names that people give a secret when they are about to write it into the file. */
  private static final Set<String> SECRETS =
      Set.of(
          "token",
          "password",
          "secret",
          "key",
          "api-key",
          "apikey",
          "pat",
          "webhook-token",
          "webhook-secret");

  /** Keys whose values error messages never show: a secret may have slipped into them. */
  private static final Set<String> UNSPOKEN =
      Set.of(TOKEN_ENV.name(), WEBHOOK_TOKEN_ENV.name(), WEBHOOK_URL.name());

  private SourceKeys() {}

  /** Whether an unknown key names the secret itself. */
  static boolean isSecret(String word) {
    return SECRETS.contains(word);
  }

  /** A value as an error message may show it. */
  static String refused(Key<?> key, String raw) {
    if (UNSPOKEN.contains(key.name())) {
      return "(hidden)";
    }
    return raw.replaceAll("//[^/@]*@", "//(hidden)@");
  }

  /** A value as {@code config} shows it. The address of a webhook often is its secret. */
  static String shown(Key<?> key, String raw) {
    if (!key.equals(WEBHOOK_URL)) {
      return raw;
    }
    URI uri = SourceValues.WEBHOOK.parser().apply(raw);
    return uri.getScheme() + "://" + uri.getRawAuthority() + "/(hidden)";
  }

  private static <T> Key<T> key(
      String name, ValueType<T> type, @Nullable String initial, String meaning) {
    return new Key<>(name, type, initial, meaning);
  }
}
