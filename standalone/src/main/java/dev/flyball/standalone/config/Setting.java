package dev.flyball.standalone.config;

import java.nio.file.Path;

/**
 * A value as somebody wrote it.
 *
 * @param raw the text; a list is joined by commas
 * @param origin who wrote it where, for example {@code flyball.yaml:3}, {@code FLYBALL_CAP}, {@code
 *     --set}, {@code default}
 * @param base the folder that a relative path counts from
 */
record Setting(String raw, String origin, Path base) {}
