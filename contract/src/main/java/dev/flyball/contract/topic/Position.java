package dev.flyball.contract.topic;

/** A place in a topic. */
public record Position(int partition, long offset) {}
