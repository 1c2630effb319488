package dev.flyball.tracker.azure;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Addresses of projects, in the cloud and on local servers. */
class AzurePlaceTest {

  @ParameterizedTest
  @CsvSource({
    "https://dev.azure.com/org/project, https://dev.azure.com/org, /project",
    "https://dev.azure.com/org/My%20Project/, https://dev.azure.com/org, /My%20Project",
    "https://dev.azure.com/org, https://dev.azure.com/org, ''",
    "https://org.visualstudio.com/project, https://org.visualstudio.com, /project",
    "https://org.visualstudio.com, https://org.visualstudio.com, ''",
    "https://tfs.example.com:8080/tfs/Main/project, https://tfs.example.com:8080/tfs/Main, /project"
  })
  void aProjectIsTakenFromItsOrganisation(URI url, URI organisation, String project) {
    assertThat(AzurePlace.of(url)).isEqualTo(new AzurePlace(organisation, project));
  }
}
