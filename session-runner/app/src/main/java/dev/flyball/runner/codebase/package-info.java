/**
 * What a prompt includes of a repository: from its paths and a few of its files to one bounded
 * text.
 */
@NullMarked
package dev.flyball.runner.codebase;

import org.jspecify.annotations.NullMarked;
