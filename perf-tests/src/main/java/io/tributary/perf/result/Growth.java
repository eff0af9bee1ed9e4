package io.tributary.perf.result;

import com.fasterxml.jackson.annotation.JsonIgnore;

/**
 * What became of something over a run in which it should have stayed the same: the slope of a straight line through its
 * lowest values.
 *
 * @param what of what, such as {@code broker: threads}
 * @param unit of its values; empty for a number of things
 * @param minutes that were looked at
 * @param rise what the line rises by in them; negative where it falls
 * @param perHour the same an hour
 * @param limit an hour; above it counts as growth
 * @param leastRise a smaller rise is noise, whatever it would be an hour
 */
public record Growth(
        String what, String unit, double minutes, double rise, double perHour, double limit, double leastRise) {

    /** Whether it grows. */
    @JsonIgnore
    public boolean isBeyondLimit() {
        return perHour > limit && rise >= leastRise;
    }
}
