/**
 * The bundled agent that needs no model: it ranks a repository's files by what a work item says and
 * answers with files and passages. It runs as a process of its own under the same containment as
 * every other agent, obeys nothing that it reads, and says that it ranks words and understands
 * nothing. Why it looks the way it does: decision 0004.
 */
@NullMarked
package dev.flyball.runner.scout;

import org.jspecify.annotations.NullMarked;
