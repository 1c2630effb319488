/** The command demo: work items that change over time, and agents that misbehave. */
@NullMarked
package dev.flyball.program.demo;

import org.jspecify.annotations.NullMarked;
