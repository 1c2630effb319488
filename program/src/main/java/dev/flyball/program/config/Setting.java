package dev.flyball.program.config;

import java.nio.file.Path;

/**
 * A value as it was written.
 *
 * @param raw the text; a list is joined by commas
 * @param origin where it was written, for example {@code flyball.yaml:3}, {@code FLYBALL_CAP},
 *     {@code --set}, {@code default}
 * @param base the folder that a relative path counts from
 */
record Setting(String raw, String origin, Path base) {}
