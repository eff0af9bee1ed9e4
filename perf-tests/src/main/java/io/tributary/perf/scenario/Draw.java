package io.tributary.perf.scenario;

import java.util.random.RandomGenerator;

/**
 * A number that is drawn from a normal distribution each time, or always the same.
 *
 * @param deviation the standard deviation; 0 for a constant
 * @param min what is drawn below counts as this
 * @param max what is drawn above counts as this
 */
public record Draw(double mean, double deviation, double min, double max) {

    /** Checks the order of the numbers. */
    public Draw {
        if (deviation < 0 || mean < min || mean > max) {
            throw new ScenarioException(
                    "a distribution needs min <= mean <= max and a deviation of 0 or more, not mean " + mean
                            + ", deviation " + deviation + ", min " + min + ", max " + max);
        }
    }

    /** Always this number. */
    public static Draw constant(double value) {
        return new Draw(value, 0, value, value);
    }

    /** Whether it is always the same. */
    public boolean isConstant() {
        return deviation == 0;
    }

    /** The next number. */
    public double next(RandomGenerator random) {
        return isConstant() ? mean : Math.clamp(random.nextGaussian(mean, deviation), min, max);
    }
}
