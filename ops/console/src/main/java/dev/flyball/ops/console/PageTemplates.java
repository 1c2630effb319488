package dev.flyball.ops.console;

import gg.jte.ContentType;
import gg.jte.TemplateEngine;
import gg.jte.output.StringOutput;
import java.util.Map;

/**
 * The pages' templates, compiled with the module. They escape every text by its place in the
 * markup. Any thread.
 */
final class PageTemplates {
  private static final String PACKAGE = "dev.flyball.ops.console.template";

  private final TemplateEngine engine =
      TemplateEngine.createPrecompiled(
          null, ContentType.Html, PageTemplates.class.getClassLoader(), PACKAGE);

  /** The markup of a template with these parameters. */
  String render(String template, Map<String, Object> parameters) {
    var output = new StringOutput();
    engine.render(template + ".jte", parameters, output);
    return output.toString();
  }
}
