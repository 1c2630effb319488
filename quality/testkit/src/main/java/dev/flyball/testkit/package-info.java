/** Fakes, clocks and real parts for tests, held to conformance suites. */
@NullMarked
package dev.flyball.testkit;

import org.jspecify.annotations.NullMarked;
