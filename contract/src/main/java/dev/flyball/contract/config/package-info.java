/** How configuration records name the keys that set them. */
@NullMarked
package dev.flyball.contract.config;

import org.jspecify.annotations.NullMarked;
