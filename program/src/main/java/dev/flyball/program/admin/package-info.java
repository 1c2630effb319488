/** What an administrator of Kafka runs for Flyball: commands that create topics and rights. */
@NullMarked
package dev.flyball.program.admin;

import org.jspecify.annotations.NullMarked;
