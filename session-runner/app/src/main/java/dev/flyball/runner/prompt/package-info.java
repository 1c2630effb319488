/**
 * An agent's prompt: the work item fenced as untrusted text, the tool limits, the answer's schema.
 */
@NullMarked
package dev.flyball.runner.prompt;

import org.jspecify.annotations.NullMarked;
