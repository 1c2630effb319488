/** Keeps trees of branches on disk for agents to read, one for each commit. */
@NullMarked
package dev.flyball.runner.workspace;

import org.jspecify.annotations.NullMarked;
