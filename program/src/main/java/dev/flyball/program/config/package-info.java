/**
 * The configuration: the catalogue of keys, the layers that set them, and the configuration of each
 * app.
 */
@NullMarked
package dev.flyball.program.config;

import org.jspecify.annotations.NullMarked;
