/** GitHub: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.producer.source.github;

import org.jspecify.annotations.NullMarked;
