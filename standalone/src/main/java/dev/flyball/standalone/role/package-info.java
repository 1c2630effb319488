/** Starts and stops roles in one process: data folder, log file, signals, health. */
@NullMarked
package dev.flyball.standalone.role;

import org.jspecify.annotations.NullMarked;
