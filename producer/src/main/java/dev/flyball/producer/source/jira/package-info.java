/** Jira Cloud: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.producer.source.jira;

import org.jspecify.annotations.NullMarked;
