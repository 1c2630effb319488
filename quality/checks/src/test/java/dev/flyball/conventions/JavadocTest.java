package dev.flyball.conventions;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What other modules can call is documented. */
final class JavadocTest {
  /** Percent; may only rise. */
  private static final double TYPES = 99;

  private static final double METHODS = 94;

  @Test
  @DisplayName("S3-15: nearly all public types and methods of the product have a doc comment")
  void publicTypesAndMethodsAreDocumented() throws IOException {
    var seen =
        new Documented(
            Repository.modules().stream()
                .filter(module -> !module.startsWith(Repository.ROOT.resolve("quality")))
                .flatMap(module -> Repository.sourcesOf(module.resolve("src/main")))
                .toList());

    assertThat(seen.types).isGreaterThan(300);
    assertThat(seen.percentOfTypes()).as("%s", seen.missing).isGreaterThanOrEqualTo(TYPES);
    assertThat(seen.percentOfMethods()).as("%s", seen.missing).isGreaterThanOrEqualTo(METHODS);
  }

  @Test
  void whatOnlyItsOwnTypeCanCallNeedsNone(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("A.java");
    Files.writeString(
        file,
        """
        /** Documented. */
        public class A {
          public A() {}
          public void bare() {}
          /** Documented. */
          public void told() {}
          @Override public String toString() { return ""; }
          void own() {}
          public interface Bare { void implied(); }
          private static class Own { public void unseen() {} }
        }
        class Hidden { public void unseen() {} }
        """);

    var seen = new Documented(List.of(file));

    assertThat(seen.missing).containsExactly("A.Bare", "A.Bare.implied", "A.bare");
    assertThat(seen.percentOfTypes()).isEqualTo(50);
    assertThat(seen.percentOfMethods()).isEqualTo(100.0 / 3);
  }

  /** Counts public types and methods, and those of them without a doc comment. */
  private static final class Documented extends TreePathScanner<Void, String> {
    private final TreeSet<String> missing = new TreeSet<>();
    private final DocTrees docs;
    private int types;
    private int bareTypes;
    private int methods;
    private int bareMethods;

    private Documented(List<Path> sources) throws IOException {
      var compiler = ToolProvider.getSystemJavaCompiler();
      try (var files = compiler.getStandardFileManager(null, null, null)) {
        var task =
            (JavacTask)
                compiler.getTask(
                    null,
                    files,
                    null,
                    List.of("-proc:none"),
                    null,
                    files.getJavaFileObjectsFromPaths(sources));
        docs = DocTrees.instance(task);
        for (CompilationUnitTree unit : task.parse()) {
          scan(new TreePath(unit), "");
        }
      }
    }

    private double percentOfTypes() {
      return 100.0 * (types - bareTypes) / types;
    }

    private double percentOfMethods() {
      return 100.0 * (methods - bareMethods) / methods;
    }

    @Override
    public Void visitClass(ClassTree type, String where) {
      // What is inside of a type that others cannot see is not seen either.
      if (type.getSimpleName().isEmpty() || !visible(type.getModifiers())) {
        return null;
      }
      String name = where + type.getSimpleName();
      types++;
      if (bare()) {
        bareTypes++;
        missing.add(name);
      }
      return super.visitClass(type, name + ".");
    }

    @Override
    public Void visitMethod(MethodTree method, String where) {
      boolean overrides =
          method.getModifiers().getAnnotations().stream()
              .anyMatch(each -> each.getAnnotationType().toString().equals("Override"));
      if (method.getReturnType() != null && !overrides && visible(method.getModifiers())) {
        methods++;
        if (bare()) {
          bareMethods++;
          missing.add(where + method.getName());
        }
      }
      return null;
    }

    private boolean bare() {
      return docs.getDocComment(getCurrentPath()) == null;
    }

    /** Members of interfaces are public without the word. */
    private boolean visible(ModifiersTree modifiers) {
      Tree around = getCurrentPath().getParentPath().getLeaf();
      boolean implied =
          around.getKind() == Tree.Kind.INTERFACE
              && !modifiers.getFlags().contains(Modifier.PRIVATE);
      return implied || modifiers.getFlags().contains(Modifier.PUBLIC);
    }
  }
}
