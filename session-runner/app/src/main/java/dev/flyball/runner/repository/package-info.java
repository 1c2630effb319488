/** Repositories by URL: their addresses, and the mirrors that are fetched before sessions. */
@NullMarked
package dev.flyball.runner.repository;

import org.jspecify.annotations.NullMarked;
