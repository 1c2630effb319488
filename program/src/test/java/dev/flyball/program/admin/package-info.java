/** A Kafka that others administer: logins, rights, certificates, topics that exist already. */
@NullMarked
package dev.flyball.program.admin;

import org.jspecify.annotations.NullMarked;
