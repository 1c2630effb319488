/** Azure DevOps: its interface, its answers, its limits. */
@NullMarked
package dev.flyball.producer.source.azure;

import org.jspecify.annotations.NullMarked;
