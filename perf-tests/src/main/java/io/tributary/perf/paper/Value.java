package io.tributary.perf.paper;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonValue;

/**
 * A figure as it was printed.
 *
 * @param text such as 14.93, {@code <0.1} or {@code ~75}; {@code N/A} where the publication has none
 */
public record Value(@JsonValue String text) {
    /** Of a scalar in the file. */
    @JsonCreator
    public static Value of(Object printed) {
        return new Value(String.valueOf(printed));
    }

    /** The number, also where it is printed as about so much; not a number for a bound, a range and a word. */
    public double number() {
        String digits = text.replaceAll("^~", "");
        return digits.matches("-?[0-9]+(\\.[0-9]+)?") ? Double.parseDouble(digits) : Double.NaN;
    }
}
