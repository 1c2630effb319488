package dev.flyball.tracker.http;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpHeaders;
import java.time.Duration;

/**
 * A tracker's answer to one request.
 *
 * @param status 200 to 299, 304, or one of the further statuses that the caller expects
 * @param json the body; a missing node where there is none
 * @param retryAfter the pause that the tracker asks for by this answer's headers, zero if it asks
 *     for none
 */
public record Answer(int status, HttpHeaders headers, JsonNode json, Duration retryAfter) {}
