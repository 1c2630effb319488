package dev.flyball.program.config;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceConfig.Identity;
import dev.flyball.tracker.SourceRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The types of sources with the keys that each has besides the common ones. */
enum SourceType {
  AZURE_DEVOPS(
      "azure-devops",
      "Azure DevOps by REST",
      Login.TOKEN,
      true,
      List.of(SourceKeys.AZURE_URL, SourceKeys.AZURE_QUERY),
      List.of()) {
    @Override
    SourceConfig made(SourceEntry entry, Identity identity, SourceRules rules, Credential token) {
      return new SourceConfig.AzureDevOps(
          identity,
          rules,
          entry.get(SourceKeys.AZURE_URL),
          entry.get(SourceKeys.AZURE_QUERY),
          token);
    }
  },

  AZURE_DEVOPS_CLI(
      "azure-devops-cli",
      "Azure DevOps by `az boards query`, for who may log in but has no token",
      Login.ITS_OWN,
      false,
      List.of(SourceKeys.AZURE_QUERY),
      List.of(SourceKeys.AZURE_CLI_URL, SourceKeys.PROGRAM)) {
    @Override
    SourceConfig made(SourceEntry entry, Identity identity, SourceRules rules, Credential token) {
      return new SourceConfig.AzureDevOpsCli(
          identity,
          rules,
          entry.find(SourceKeys.AZURE_CLI_URL).orElse(null),
          entry.get(SourceKeys.AZURE_QUERY),
          entry.program(SourceKeys.PROGRAM));
    }
  },

  GITHUB(
      "github",
      "Issues of one GitHub repository",
      Login.TOKEN_OR_NOBODY,
      true,
      List.of(SourceKeys.REPOSITORY),
      List.of(SourceKeys.GITHUB_URL)) {
    @Override
    SourceConfig made(SourceEntry entry, Identity identity, SourceRules rules, Credential token) {
      return new SourceConfig.GitHub(
          identity,
          rules,
          entry.get(SourceKeys.GITHUB_URL),
          entry.get(SourceKeys.REPOSITORY),
          token);
    }
  },

  JIRA(
      "jira",
      "Jira Cloud",
      Login.TOKEN,
      true,
      List.of(SourceKeys.JIRA_URL, SourceKeys.JIRA_QUERY),
      List.of(SourceKeys.USER)) {
    @Override
    SourceConfig made(SourceEntry entry, Identity identity, SourceRules rules, Credential token) {
      return new SourceConfig.Jira(
          identity,
          rules,
          entry.get(SourceKeys.JIRA_URL),
          entry.get(SourceKeys.JIRA_QUERY),
          entry.find(SourceKeys.USER).orElse(null),
          token);
    }
  },

  REDMINE(
      "redmine",
      "Redmine",
      Login.TOKEN,
      true,
      List.of(SourceKeys.REDMINE_URL),
      List.of(SourceKeys.PROJECT, SourceKeys.REDMINE_QUERY)) {
    @Override
    SourceConfig made(SourceEntry entry, Identity identity, SourceRules rules, Credential token) {
      return new SourceConfig.Redmine(
          identity,
          rules,
          entry.get(SourceKeys.REDMINE_URL),
          entry.find(SourceKeys.PROJECT).orElse(null),
          entry.find(SourceKeys.REDMINE_QUERY).orElse(""),
          token);
    }
  },

  JSONL(
      "jsonl",
      "A file with one item a line, or a folder of such files",
      Login.NONE,
      false,
      List.of(SourceKeys.PATH),
      List.of()) {
    @Override
    SourceConfig made(SourceEntry entry, Identity identity, SourceRules rules, Credential token) {
      return new SourceConfig.Jsonl(identity, rules, entry.path(SourceKeys.PATH));
    }
  };

  private final String label;
  private final String meaning;
  private final Login login;
  private final boolean comments;
  private final List<Key<?>> required;
  private final List<Key<?>> optional;

  SourceType(
      String label,
      String meaning,
      Login login,
      boolean comments,
      List<Key<?>> required,
      List<Key<?>> optional) {
    this.label = label;
    this.meaning = meaning;
    this.login = login;
    this.comments = comments;
    this.required = required;
    this.optional = optional;
  }

  /** The configuration of the polled source, made from an entry without problems. */
  abstract SourceConfig made(
      SourceEntry entry, Identity identity, SourceRules rules, Credential token);

  static Optional<SourceType> named(String label) {
    return Stream.of(values()).filter(type -> type.label.equals(label)).findFirst();
  }

  String label() {
    return label;
  }

  String meaning() {
    return meaning;
  }

  Login login() {
    return login;
  }

  /** Whether an analysis can become a comment there. */
  boolean comments() {
    return comments;
  }

  List<Key<?>> required() {
    return required;
  }

  /** The keys of this type alone, the required ones first. */
  List<Key<?>> own() {
    var own = new ArrayList<Key<?>>(required);
    own.addAll(optional);
    if (login.takesToken()) {
      own.add(SourceKeys.TOKEN_ENV);
      own.add(SourceKeys.TOKEN_FILE);
    }
    return own;
  }

  /** Every key that such a source may have. */
  List<Key<?>> keys() {
    return Stream.concat(SourceKeys.COMMON.stream(), own().stream()).toList();
  }

  /** How the tracker identifies the account that asks. */
  enum Login {
    /** By a token, always. */
    TOKEN,
    /** By a token, or anonymously. */
    TOKEN_OR_NOBODY,
    /** By the login of its command line program. */
    ITS_OWN,
    /** Not at all: no request is sent. */
    NONE;

    boolean takesToken() {
      return this == TOKEN || this == TOKEN_OR_NOBODY;
    }
  }
}
