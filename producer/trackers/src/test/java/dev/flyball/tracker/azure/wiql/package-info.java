@NullMarked
package dev.flyball.tracker.azure.wiql;

import org.jspecify.annotations.NullMarked;
