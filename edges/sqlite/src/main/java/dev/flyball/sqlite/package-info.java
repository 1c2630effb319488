/** One SQLite file: open, migrate, query, update. Every module that keeps local state uses it. */
@NullMarked
package dev.flyball.sqlite;

import org.jspecify.annotations.NullMarked;
