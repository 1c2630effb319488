/** What the kernel knows of processes: /proc, session cookies, and the system calls of no JDK. */
@NullMarked
package dev.flyball.containment.kernel;

import org.jspecify.annotations.NullMarked;
