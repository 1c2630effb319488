package dev.flyball.containment.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.ClassEntry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SupervisorJarTest {
  @TempDir Path folder;

  @Test
  void itHoldsEveryClassThatItsClassesName() throws IOException {
    Set<String> held =
        SupervisorJar.CLASSES.stream()
            .map(type -> type.getName().replace('.', '/'))
            .collect(Collectors.toSet());

    for (Class<?> type : SupervisorJar.CLASSES) {
      Set<String> named =
          StreamSupport.stream(
                  ClassFile.of().parse(SupervisorJar.bytes(type)).constantPool().spliterator(),
                  false)
              .filter(ClassEntry.class::isInstance)
              .map(entry -> ((ClassEntry) entry).asInternalName())
              .filter(name -> name.startsWith("dev/flyball/"))
              .collect(Collectors.toSet());

      assertThat(held).as("what %s names", type).containsAll(named);
    }
  }

  @Test
  void itIsMadeOnceAndReplacesOlderOnes() throws IOException {
    Path older = Files.createFile(folder.resolve("supervisor-00000000.jar"));
    Path jar = SupervisorJar.in(folder);
    Object made = Files.getLastModifiedTime(jar);

    assertThat(SupervisorJar.in(folder)).isEqualTo(jar);
    assertThat(Files.getLastModifiedTime(jar)).isEqualTo(made);
    assertThat(older).doesNotExist();
    try (var opened = new JarFile(jar.toFile())) {
      assertThat(opened.getManifest().getMainAttributes().getValue("Enable-Native-Access"))
          .isEqualTo("ALL-UNNAMED");
    }
  }
}
