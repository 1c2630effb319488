package dev.flyball.conventions;

import com.sun.source.tree.AnnotationTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ThrowTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreeScanner;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;

/**
 * The sentences that the product's sources hold as text: errors, help, reasons, headings, log
 * lines. Each has a code: the type, then the method or field that says it, then a number from the
 * second on ({@code CapCommand.call}, {@code CapCommand.call.2}). Values are shown as {@code {}}.
 * Comments, SQL and scripts are no messages.
 */
final class Messages extends TreeScanner<Void, String> {
  /** Two words side by side. */
  private static final Pattern SENTENCE = Pattern.compile("[A-Za-z]{2,}[,:;)]? [A-Za-z{`'(-]");

  private static final Pattern LANGUAGE =
      Pattern.compile(
          "(?s)\\s*(SELECT|INSERT|UPDATE \\w+ SET|DELETE FROM|CREATE|ALTER|DROP|PRAGMA|WITH|BEGIN"
              + "|COMMIT|WHERE|FROM|ORDER BY|AND|ON CONFLICT|VALUES|LEFT JOIN|GROUP BY|#!|<!|trap "
              + "|exec |while ).*");

  /** What a message is for. */
  enum Use {
    /** What a command, an option or a key does. */
    HELP,
    /** Why something stopped or was rejected. */
    ERROR,
    /** For the log. */
    LOG,
    /** Anything else that can reach a person: reasons, headings, reports. */
    TEXT
  }

  /**
   * One message.
   *
   * @param code where it is said; unique, and stable while that method keeps its name
   * @param use what it is for
   * @param text as it is said, in one line
   */
  record Message(String code, Use use, String text) {
    String row() {
      return code + "\t" + use.name().toLowerCase(java.util.Locale.ROOT) + "\t" + text;
    }
  }

  private final Map<String, Message> found;
  private Use use = Use.TEXT;

  private Messages(Map<String, Message> found) {
    this.found = found;
  }

  /** All messages of the product, sorted by code. */
  static Collection<Message> ofTheProduct() {
    return of(
        Repository.modules().stream()
            .filter(module -> !module.startsWith(Repository.ROOT.resolve("quality")))
            .flatMap(module -> Repository.sourcesOf(module.resolve("src/main")))
            .toList());
  }

  /** All messages of these sources, sorted by code. */
  static Collection<Message> of(List<Path> sources) {
    var found = new TreeMap<String, Message>();
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
      for (CompilationUnitTree unit : task.parse()) {
        new Messages(found).scan(unit, "");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found.values();
  }

  @Override
  public Void visitClass(ClassTree type, String where) {
    String name = type.getSimpleName().toString();
    String inside = name.isEmpty() ? where : where.isEmpty() ? name : where + "." + name;
    return super.visitClass(type, inside);
  }

  @Override
  public Void visitMethod(MethodTree method, String where) {
    return super.visitMethod(
        method, where + "." + method.getName().toString().replaceAll("[<>]", ""));
  }

  @Override
  public Void visitVariable(VariableTree variable, String where) {
    boolean field = Character.isUpperCase(where.charAt(where.lastIndexOf('.') + 1));
    return super.visitVariable(variable, field ? where + "." + variable.getName() : where);
  }

  @Override
  public Void visitAnnotation(AnnotationTree annotation, String where) {
    String type = annotation.getAnnotationType().toString();
    return type.equals("SuppressWarnings")
        ? null
        : with(Use.HELP, () -> super.visitAnnotation(annotation, where));
  }

  @Override
  public Void visitThrow(ThrowTree thrown, String where) {
    return with(Use.ERROR, () -> super.visitThrow(thrown, where));
  }

  @Override
  public Void visitMethodInvocation(MethodInvocationTree call, String where) {
    return call.getMethodSelect()
            .toString()
            .matches("(LOG|log)\\..*|.*\\.addKeyValue|.*\\.at\\w+\\(\\).*")
        ? with(Use.LOG, () -> super.visitMethodInvocation(call, where))
        : super.visitMethodInvocation(call, where);
  }

  @Override
  public Void visitBinary(BinaryTree binary, String where) {
    if (binary.getKind() != Tree.Kind.PLUS) {
      return super.visitBinary(binary, where);
    }
    var parts = new ArrayList<ExpressionTree>();
    flatten(binary, parts);
    if (parts.stream().noneMatch(Messages::isText)) {
      return super.visitBinary(binary, where);
    }
    var text = new StringBuilder();
    for (ExpressionTree part : parts) {
      if (isText(part)) {
        text.append(((LiteralTree) part).getValue());
      } else {
        text.append("{}");
        scan(part, where);
      }
    }
    add(where, text.toString());
    return null;
  }

  @Override
  public Void visitLiteral(LiteralTree literal, String where) {
    if (isText(literal)) {
      add(where, (String) literal.getValue());
    }
    return null;
  }

  private void add(String where, String text) {
    if (!SENTENCE.matcher(text).find() || LANGUAGE.matcher(text).matches()) {
      return;
    }
    String shown = text.strip().replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t");
    String code = where;
    for (int n = 2; found.containsKey(code); n++) {
      code = where + "." + n;
    }
    found.put(code, new Message(code, use, shown));
  }

  private Void with(Use inside, Runnable scan) {
    Use before = use;
    use = inside;
    scan.run();
    use = before;
    return null;
  }

  private static void flatten(ExpressionTree tree, List<ExpressionTree> parts) {
    switch (tree) {
      case BinaryTree sum when sum.getKind() == Tree.Kind.PLUS -> {
        flatten(sum.getLeftOperand(), parts);
        flatten(sum.getRightOperand(), parts);
      }
      case ParenthesizedTree inner when inner.getExpression() instanceof BinaryTree ->
          flatten(inner.getExpression(), parts);
      default -> parts.add(tree);
    }
  }

  private static boolean isText(Tree tree) {
    return tree instanceof LiteralTree literal && literal.getValue() instanceof String;
  }
}
