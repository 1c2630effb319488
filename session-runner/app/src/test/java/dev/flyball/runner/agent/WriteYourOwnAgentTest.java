package dev.flyball.runner.agent;

import static org.assertj.core.api.Assertions.assertThat;

import dev.flyball.containment.ContainedProcess.Exit;
import dev.flyball.contract.item.ItemKey;
import dev.flyball.runner.agent.AgentProgram.Setup;
import dev.flyball.testkit.Sample;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.eclipse.jgit.api.Git;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The agents of docs/agents.md, as they are printed there")
final class WriteYourOwnAgentTest {
  @TempDir private Path folder = Path.of("");

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "sh,     The LeaseTable forgets, LeaseTable is in src/Lease.java., true",
    "python, The LeaseTable forgets, LeaseTable is in src/Lease.java., true",
    "sh,     A NoSuchThing fails,    No file has the word NoSuchThing., false",
    "python, A NoSuchThing fails,    No file has the word NoSuchThing., false",
  })
  void theyAnswer(String language, String title, String answer, boolean names) throws Exception {
    Path repository = folder.resolve("repository");
    Files.createDirectories(repository.resolve("src"));
    Files.writeString(
        repository.resolve("src/Lease.java"), "class Lease {\n  LeaseTable table;\n}\n");
    try (Git git = Git.init().setDirectory(repository.toFile()).call()) {
      git.add().addFilepattern(".").call();
    }
    var reader = new Command("any").session(Setup.DEFAULT).reader();

    Exit exit = run(printed(language), prompt(title), repository, reader);

    AgentAnswer result = reader.end(exit, "");
    assertThat(result).isInstanceOf(AgentAnswer.Complete.class);
    assertThat(result.text().strip()).isEqualTo(answer);
    assertThat(((AgentAnswer.Complete) result).files())
        .as("the passage")
        .allMatch(each -> each.path().equals("src/Lease.java") && each.fromLine() == 2)
        .hasSize(names ? 1 : 0);
  }

  /** The first block of the page in this language. */
  private static String printed(String language) throws Exception {
    Path root = Path.of("").toAbsolutePath();
    while (!Files.isDirectory(root.resolve("docs"))) {
      root = Objects.requireNonNull(root.getParent());
    }
    String page = Files.readString(root.resolve("docs/agents.md"));
    Matcher block = Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  private static String prompt(String title) {
    var request = Sample.request("r", Instant.EPOCH, Sample.snapshot(title, "text"));
    return new Command("any")
        .session(Setup.DEFAULT)
        .input()
        .of(ItemKey.parse("acme/web/1"), request, () -> "");
  }

  private Exit run(String script, String prompt, Path repository, Agent.Reader reader)
      throws Exception {
    Path program = Files.writeString(folder.resolve("program"), script);
    assertThat(program.toFile().setExecutable(true)).isTrue();
    Path out = folder.resolve("out");
    Process process =
        new ProcessBuilder(program.toString())
            .directory(repository.toFile())
            .redirectInput(Files.writeString(folder.resolve("in"), prompt).toFile())
            .redirectOutput(out.toFile())
            .redirectError(folder.resolve("err").toFile())
            .start();
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    Files.readAllLines(out).forEach(reader::line);
    return new Exit(process.exitValue(), 0);
  }
}
