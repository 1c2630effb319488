/** What monitors Flyball, for real: Debian's Prometheus and Alertmanager over a running service. */
@NullMarked
package dev.flyball.program.monitoring;

import org.jspecify.annotations.NullMarked;
