/**
 * The files with which Flyball is installed: the Helm chart, the systemd units, and their pages.
 */
@NullMarked
package dev.flyball.program.deployment;

import org.jspecify.annotations.NullMarked;
