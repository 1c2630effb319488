package dev.flyball.runner.repository;

import java.util.Optional;

/**
 * A branch of a repository by URL, and what its server wants to see.
 *
 * @param branch empty for the server's default branch
 */
public record RemoteBranch(
    RepositoryAddress.Url address, Optional<String> branch, RepositoryToken token) {

  /** The name of the server's ref. */
  String ref() {
    return branch.map(name -> "refs/heads/" + name).orElse("HEAD");
  }
}
