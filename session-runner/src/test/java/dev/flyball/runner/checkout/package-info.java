@NullMarked
package dev.flyball.runner.checkout;

import org.jspecify.annotations.NullMarked;
