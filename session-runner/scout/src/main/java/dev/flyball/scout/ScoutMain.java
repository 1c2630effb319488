package dev.flyball.scout;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * The bundled agent as a process: a {@link ScoutInput} on standard input, the repository as working
 * directory, two lines of stream-json on standard output. Exit code 0 with an answer, 1 without, 2
 * for a wrong argument.
 *
 * <p>Arguments: {@code --exclude FOLDER} (repeatable) names folders never opened, for example the
 * data folder.
 */
public final class ScoutMain {
  /** The time after which no further file is read; the answer then reports it. */
  private static final Duration TIME_LIMIT = Duration.ofSeconds(20);

  private ScoutMain() {}

  /** Runs and exits. */
  public static void main(String[] args) throws IOException {
    System.exit(run(args, System.in.readNBytes(ScoutInput.MAX_BYTES + 1), System.out));
  }

  private static int run(String[] args, byte[] in, PrintStream out) throws IOException {
    List<Path> excluded = new ArrayList<>();
    for (int i = 0; i < args.length; i += 2) {
      if (!args[i].equals("--exclude") || i + 1 == args.length) {
        System.err.println("scout: unknown argument '" + args[i] + "'; allowed: --exclude FOLDER");
        return 2;
      }
      excluded.add(Path.of(args[i + 1]));
    }
    // Derived from the input, so that the same item and repository give the same bytes.
    String session = UUID.nameUUIDFromBytes(in).toString();
    write(out, ScoutAnswer.initLine(session));
    try {
      if (in.length > ScoutInput.MAX_BYTES) {
        throw new IOException("the input is longer than " + ScoutInput.MAX_BYTES + " bytes");
      }
      long end = System.nanoTime() + TIME_LIMIT.toNanos();
      var scout = new Scout(Path.of(""), excluded, () -> System.nanoTime() - end > 0);
      write(out, scout.answer(ScoutInput.read(in)).resultLine(session));
      return 0;
    } catch (JsonProcessingException e) {
      write(
          out,
          ScoutAnswer.errorLine(session, "scout: the input is no JSON: " + e.getOriginalMessage()));
      return 1;
    } catch (IOException e) {
      write(out, ScoutAnswer.errorLine(session, "scout: " + e.getMessage()));
      return 1;
    }
  }

  private static void write(OutputStream out, byte[] line) throws IOException {
    out.write(line);
    out.flush();
  }
}
