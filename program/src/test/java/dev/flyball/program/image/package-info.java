/** The image and docker-compose.yml as their users meet them. */
@NullMarked
package dev.flyball.program.image;

import org.jspecify.annotations.NullMarked;
