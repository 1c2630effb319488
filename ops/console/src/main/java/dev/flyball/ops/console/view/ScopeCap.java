package dev.flyball.ops.console.view;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/**
 * How many sessions of a scope run at the same time, at most.
 *
 * @param scope global, tenant:T, source:T/S or provider:P
 * @param cap the most
 * @param live how many run; null if the scope is of all tenants and the reader sees only some
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScopeCap(String scope, int cap, @Nullable Integer live) {}
