@NullMarked
package dev.flyball.triage.shadow;

import org.jspecify.annotations.NullMarked;
