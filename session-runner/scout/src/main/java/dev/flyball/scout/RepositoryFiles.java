package dev.flyball.scout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The files of a repository that an agent may need: those of its head commit, or those of a folder
 * that is in none. Never .git, binaries by their name, links, or folders of installed packages. For
 * one thread.
 */
public interface RepositoryFiles extends AutoCloseable {
  /**
   * Opens the head of the repository that a folder is in; where there is none, or the commit does
   * not have the folder, the folder itself.
   *
   * @param without folders to skip, the data folder for example
   * @throws IOException if the repository or the folder cannot be read
   */
  static RepositoryFiles open(Path folder, List<Path> without) throws IOException {
    HeadFiles head = HeadFiles.open(folder, without);
    return head == null ? FolderFiles.open(folder, without) : head;
  }

  /** The commit that is read, in hexadecimal; null if a folder is. */
  @Nullable String commit();

  /**
   * Hands out the paths of files, those of shallow folders first, a part of each top-level folder
   * in turn: a listing that ends early has a part of each, not all of the first one by name.
   *
   * @param paths relative to the folder, with forward slashes
   * @param most the most files
   * @param timeIsUp true when no further folder is to be read
   * @return whether all files were handed out
   * @throws IOException if the repository is damaged
   */
  boolean list(Consumer<String> paths, int most, BooleanSupplier timeIsUp) throws IOException;

  /** A file's text; empty if there is no such file, or it is larger, a link or unreadable. */
  Optional<String> text(String path, int maxBytes);

  @Override
  void close();

  /**
   * Folders that wait to be read, so that each folder at the top gets its turn.
   *
   * @param <T> a folder
   */
  final class Turns<T> {
    private final Deque<Deque<T>> waiting = new ArrayDeque<>();
    private Deque<T> current = new ArrayDeque<>();
    private int turns;

    Turns(T root) {
      add(root);
    }

    /** The folder whose turn it is; null if none waits. */
    @Nullable T next() {
      if (!current.isEmpty()) {
        waiting.addLast(current);
      }
      Deque<T> next = waiting.pollFirst();
      if (next == null) {
        return null;
      }
      turns++;
      current = next;
      return current.poll();
    }

    /** Adds a folder found in the one that was handed out last. */
    void add(T inner) {
      if (turns > 1) {
        current.addLast(inner);
      } else {
        Deque<T> own = new ArrayDeque<>();
        own.addLast(inner);
        waiting.addLast(own);
      }
    }
  }
}
