@NullMarked
package dev.flyball.tracker.redmine;

import org.jspecify.annotations.NullMarked;
