@NullMarked
package dev.flyball.tracker.jira;

import org.jspecify.annotations.NullMarked;
