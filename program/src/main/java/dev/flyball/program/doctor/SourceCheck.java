package dev.flyball.program.doctor;

import dev.flyball.tracker.Credential;
import dev.flyball.tracker.SourceConfig;
import dev.flyball.tracker.SourceFailure;
import dev.flyball.tracker.WriteBack;
import dev.flyball.tracker.http.Tokens;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Checks what each source needs on this machine: its file, or its token, of which only the place is
 * shown. A token command is run. Sends no request to a tracker.
 */
final class SourceCheck {
  private SourceCheck() {}

  static List<Finding> all(List<SourceConfig> sources, Map<String, String> environment) {
    var findings = new ArrayList<Finding>();
    for (SourceConfig source : sources) {
      findings.add(one(source, environment));
      if (source.rules().writeBack() instanceof WriteBack.Webhook(var url, var token, var secret)) {
        String what = "webhook to " + url.getHost();
        findings.add(withToken("write-back " + source.key(), what, token, environment));
        if (!(secret instanceof Credential.None)) {
          what += ", its signature";
          findings.add(withToken("write-back " + source.key(), what, secret, environment));
        }
      }
    }
    return findings;
  }

  /** Warnings for the start of a service that polls these sources; none means that all is well. */
  static List<String> warnings(List<SourceConfig> sources, Map<String, String> environment) {
    if (sources.isEmpty()) {
      return List.of(
          "no source is configured, so nothing is polled; `./flyball init` writes a flyball.yaml");
    }
    return all(sources, environment).stream()
        .filter(finding -> finding.state() != Finding.State.OK)
        .map(finding -> finding.check() + ": " + finding.found() + "; " + finding.fix())
        .toList();
  }

  private static Finding one(SourceConfig source, Map<String, String> environment) {
    String check = "source " + source.key();
    return switch (source) {
      case SourceConfig.Jsonl file -> file(check, file.path());
      case SourceConfig.AzureDevOps azure ->
          withToken(check, "azure-devops, " + azure.url(), azure.token(), environment);
      case SourceConfig.GitHub github -> github(check, github, environment);
      case SourceConfig.Jira jira ->
          withToken(check, "jira, " + jira.url(), jira.token(), environment);
      case SourceConfig.Redmine redmine ->
          withToken(check, "redmine, " + redmine.url(), redmine.token(), environment);
    };
  }

  private static Finding file(String check, Path path) {
    String what = "jsonl, " + path;
    if (!Files.exists(path)) {
      return Finding.degraded(check, what + " is not there", "put it there, or correct its path");
    }
    if (!Files.isRegularFile(path) && !Files.isDirectory(path)) {
      return Finding.degraded(
          check, what + " is neither a file nor a folder", "name one of them as its path");
    }
    return Files.isReadable(path)
        ? Finding.ok(check, what)
        : Finding.degraded(check, what + " is not readable for this user", "check its permissions");
  }

  private static Finding github(
      String check, SourceConfig.GitHub github, Map<String, String> environment) {
    String what = "github, " + github.repository() + " at " + github.url();
    return github.token() instanceof Credential.None
        ? Finding.degraded(
            check,
            what + ", asked without a token: 60 requests an hour, shared by your address",
            "name a token with token-env, token-file or token-command")
        : withToken(check, what, github.token(), environment);
  }

  private static Finding withToken(
      String check, String what, Credential token, Map<String, String> environment) {
    try {
      Optional<String> secret = Tokens.read(token, environment);
      return Finding.ok(
          check, what + (secret.isPresent() ? ", token from " + place(token) : ", no token"));
    } catch (SourceFailure e) {
      return Finding.degraded(
          check,
          what + ": " + e.getMessage(),
          switch (token) {
            case Credential.Command _ -> "correct token-command";
            case Credential.InFile _ -> "put the token into that file, or correct token-file";
            case Credential.Environment(String variable) ->
                "export "
                    + variable
                    + " in the shell or service file that starts the producer, or name a file"
                    + " with token-file";
            case Credential.None _ -> "name a token with token-env, token-file or token-command";
          });
    }
  }

  private static String place(Credential token) {
    return switch (token) {
      case Credential.None _ -> "nowhere";
      case Credential.Environment(String variable) -> "the environment variable " + variable;
      case Credential.InFile(Path file) -> file.toString();
      case Credential.Command _ -> "its command";
    };
  }
}
