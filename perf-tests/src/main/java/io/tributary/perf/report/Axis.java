package io.tributary.perf.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** How values lie along an axis of a chart. */
sealed interface Axis {

    /** What it shows, with its unit. */
    String name();

    /** Where a value lies, in any scale. */
    double place(double value);

    /** From where to where it goes to show these values. */
    double[] range(double low, double high);

    /** The values with a line. */
    List<Double> ticks(double[] range);

    /** What is written at such a line. */
    default String label(double tick) {
        String text = Format.number(tick);
        return text.indexOf('.') < 0 ? text : text.replaceAll("\\.?0+$", "");
    }

    /** Equal distances, from 0 on. */
    record Linear(String name) implements Axis {
        @Override
        public double place(double value) {
            return value;
        }

        @Override
        public double[] range(double low, double high) {
            return new double[] {0, high <= 0 ? 1 : high * 1.05};
        }

        @Override
        public List<Double> ticks(double[] range) {
            double step = Math.pow(10, Math.floor(Math.log10(range[1])));
            while (range[1] / step < 4) {
                step /= 2;
            }
            List<Double> ticks = new ArrayList<>();
            for (int i = 0; i * step <= range[1]; i++) {
                ticks.add(i * step);
            }
            return ticks;
        }
    }

    /** Equal factors. */
    record Logarithmic(String name) implements Axis {
        private static final double SMALLEST = 1e-3;

        @Override
        public double place(double value) {
            return Math.log10(Math.max(value, SMALLEST));
        }

        @Override
        public double[] range(double low, double high) {
            double least = Math.max(low, SMALLEST);
            double most = Math.max(high, least * 10);
            return new double[] {Math.pow(10, Math.floor(Math.log10(least))), Math.pow(10, Math.ceil(Math.log10(most)))
            };
        }

        @Override
        public List<Double> ticks(double[] range) {
            List<Double> ticks = new ArrayList<>();
            for (double tick = range[0]; tick <= range[1] * 1.001; tick *= 10) {
                ticks.add(tick);
            }
            return ticks;
        }
    }

    /** Percentiles: as much room from 90 to 99 as from 99 to 99.9. */
    record Nines(String name) implements Axis {
        private static final double[] SHOWN = {0, 50, 90, 99, 99.9, 99.99, 99.999, 99.9999};

        @Override
        public double place(double value) {
            return -Math.log10(Math.max(1 - value / 100, 1e-7));
        }

        @Override
        public double[] range(double low, double high) {
            return new double[] {0, Math.min(Math.max(high, 99), 99.9999)};
        }

        @Override
        public List<Double> ticks(double[] range) {
            List<Double> ticks = new ArrayList<>();
            for (double shown : SHOWN) {
                if (shown <= range[1]) {
                    ticks.add(shown);
                }
            }
            return ticks;
        }

        @Override
        public String label(double tick) {
            return tick == Math.rint(tick) ? String.format(Locale.ROOT, "%.0f", tick) : Double.toString(tick);
        }
    }
}
