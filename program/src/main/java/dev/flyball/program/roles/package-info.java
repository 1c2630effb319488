/** Starts and stops roles in one process: data folder, log file, signals, health. */
@NullMarked
package dev.flyball.program.roles;

import org.jspecify.annotations.NullMarked;
