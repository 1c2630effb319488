package dev.flyball.program.config;

import dev.flyball.tracker.SourceConfig;
import java.nio.file.Path;
import java.util.Optional;

/**
 * One source: what the producer polls, and where sessions of its items work.
 *
 * @param repository empty for {@code sessions.repo}
 * @param branch of that repository; empty for the folder as it is
 */
public record ConfiguredSource(
    SourceConfig source, Optional<Path> repository, Optional<String> branch) {}
