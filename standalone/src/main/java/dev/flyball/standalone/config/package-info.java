/**
 * The configuration: the catalogue of keys, the layers that set them, and what the apps are told.
 */
@NullMarked
package dev.flyball.standalone.config;

import org.jspecify.annotations.NullMarked;
