package io.tributary.perf.scenario;

import java.time.Duration;

/**
 * Where a run counts as spoilt by the tool, and where it gives up waiting.
 *
 * @param sendDelay what the tool itself may be late with one of a hundred messages
 * @param loopBusy the share of a core that an event loop of the tool may take
 * @param idle the share of the machine's processors that is idle where a busy loop of the tool counts as the bottleneck
 * @param stall a drain, or a step with a number of messages, in which nothing comes for so long is over
 */
public record Limits(Duration sendDelay, double loopBusy, double idle, Duration stall) {}
