@NullMarked
package dev.flyball.tracker.http;

import org.jspecify.annotations.NullMarked;
