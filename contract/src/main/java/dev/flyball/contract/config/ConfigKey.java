package dev.flyball.contract.config;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The key of flyball.yaml that sets a component of a configuration record. Parsing, environment
 * variables, checks, {@code config} and the JSON Schema follow from it and from the component's
 * type; its default is the component of the record's default instance.
 *
 * <p>On a sealed interface it is a key whose value chooses one of the interface's records; each
 * record carries its value as {@link #name}.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.RECORD_COMPONENT, ElementType.TYPE})
public @interface ConfigKey {
  /** How a number is written. */
  enum Unit {
    /** As it is. */
    NONE,
    /** As a size, for example 64MB. */
    BYTES,
    /** A number of micro-dollars as dollars, for example 0.50. */
    MICRO_DOLLARS
  }

  /** As in flyball.yaml, dots between its parts. */
  String name();

  /** What it means, one line for a person; empty where docs/configuration.md says it. */
  String meaning() default "";

  /** The least number; a fraction must be above it. */
  long from() default 0;

  /** The highest number. */
  long to() default Long.MAX_VALUE;

  /** How a number is written. */
  Unit unit() default Unit.NONE;

  /** The regular expression of a text; empty for any text. */
  String matches() default "";

  /** What a person may write where {@link #matches} is given. */
  String allowed() default "";

  /**
   * The only texts allowed, of a list the only elements; empty for any text. Of a boolean: how
   * false and true are written. An enum needs none.
   */
  String[] choices() default {};

  /** The default as it is written, for a record without a default instance; empty for none. */
  String initial() default "";

  /** Whether a record without a default instance needs it. */
  boolean required() default false;

  /** An answer that {@code init} offers. */
  String example() default "";

  /** Whether the value itself may be a secret: messages and {@code config} hide it. */
  boolean secret() default false;
}
