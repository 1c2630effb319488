/**
 * The bundled agent that needs no model. It ranks a repository's files by the words of a work item,
 * and answers with files and passages. It runs as a separate process under the same containment as
 * every other agent, follows no instruction that it reads, and states that it ranks words and
 * understands nothing. Decision 0004 has the reasons.
 */
@NullMarked
package dev.flyball.scout;

import org.jspecify.annotations.NullMarked;
