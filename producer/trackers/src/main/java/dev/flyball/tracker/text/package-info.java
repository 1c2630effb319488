/** HTML, Markdown and Jira's document format to bounded clean text. Pure: no I/O, no clock. */
@NullMarked
package dev.flyball.tracker.text;

import org.jspecify.annotations.NullMarked;
