package io.tributary.perf.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/** Lines over an axis, as SVG that needs nothing else. */
final class Chart {
    private static final int WIDTH = 640;
    private static final int HEIGHT = 300;
    private static final int LEFT = 64;
    private static final int RIGHT = 30;
    private static final int TOP = 34;
    private static final int BOTTOM = 44;
    private static final int COLOURS = 8;
    /** The width of a letter of a step's name. */
    private static final int LETTER = 7;

    private final String title;
    private final Axis x;
    private final Axis y;
    private final List<Line> lines = new ArrayList<>();
    private final List<Phase> phases = new ArrayList<>();

    Chart(String title, Axis x, Axis y) {
        this.title = title;
        this.x = x;
        this.y = y;
    }

    /** Adds a line; one without points is left out. */
    void add(String name, List<Point> points) {
        if (!points.isEmpty()) {
            lines.add(new Line(name, List.copyOf(points)));
        }
    }

    /** Marks a step of the run on the axis of time. */
    void mark(Phase phase) {
        phases.add(phase);
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** As an svg element, with a legend below. */
    String svg() {
        double[] xs = range(x, points().mapToDouble(Point::x));
        double[] ys = range(y, points().mapToDouble(Point::y));
        StringBuilder svg = new StringBuilder();
        svg.append(String.format(
                Locale.ROOT,
                "<figure><svg viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s\">%n",
                WIDTH,
                HEIGHT,
                Html.escape(title)));
        svg.append(String.format(
                Locale.ROOT, "<text class=\"title\" x=\"%d\" y=\"18\">%s</text>%n", LEFT, Html.escape(title)));
        phases.forEach(phase -> mark(svg, phase, xs));
        grid(svg, xs, ys);
        for (int i = 0; i < lines.size(); i++) {
            svg.append(String.format(Locale.ROOT, "<polyline class=\"line c%d\" points=\"", i % COLOURS));
            for (Point point : lines.get(i).points) {
                svg.append(String.format(Locale.ROOT, "%.1f,%.1f ", px(point.x, xs), py(point.y, ys)));
            }
            svg.append("\"/>\n");
        }
        svg.append("</svg><figcaption>");
        for (int i = 0; i < lines.size(); i++) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<span class=\"key\"><i class=\"c%d\"></i>%s</span> ",
                    i % COLOURS,
                    Html.escape(lines.get(i).name)));
        }
        return svg.append("</figcaption></figure>\n").toString();
    }

    /** A measured step is shaded; each begins with a line, and has its name where there is room for it. */
    private void mark(StringBuilder svg, Phase phase, double[] xs) {
        double from = px(phase.begin(), xs);
        double to = px(phase.end(), xs);
        if (phase.isMeasured()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"measured\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>",
                    from,
                    TOP,
                    to - from,
                    HEIGHT - BOTTOM - TOP));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<line class=\"step\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                from,
                TOP,
                from,
                HEIGHT - BOTTOM));
        if (to - from >= LETTER * phase.name().length()) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<text class=\"tick\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                    from + 4,
                    TOP - 4,
                    Html.escape(phase.name())));
        }
    }

    private Stream<Point> points() {
        return lines.stream().flatMap(line -> line.points.stream());
    }

    private void grid(StringBuilder svg, double[] xs, double[] ys) {
        for (double tick : x.ticks(xs)) {
            double at = px(tick, xs);
            svg.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>",
                    at,
                    TOP,
                    at,
                    HEIGHT - BOTTOM));
            svg.append(String.format(
                    Locale.ROOT,
                    "<text class=\"tick\" text-anchor=\"middle\" x=\"%.1f\" y=\"%d\">%s</text>%n",
                    at,
                    HEIGHT - BOTTOM + 16,
                    x.label(tick)));
        }
        for (double tick : y.ticks(ys)) {
            double at = py(tick, ys);
            svg.append(String.format(
                    Locale.ROOT,
                    "<line class=\"grid\" x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\"/>",
                    LEFT,
                    at,
                    WIDTH - RIGHT,
                    at));
            svg.append(String.format(
                    Locale.ROOT,
                    "<text class=\"tick\" text-anchor=\"end\" x=\"%d\" y=\"%.1f\">%s</text>%n",
                    LEFT - 6,
                    at + 4,
                    y.label(tick)));
        }
        svg.append(String.format(
                Locale.ROOT,
                "<text class=\"tick\" text-anchor=\"middle\" x=\"%d\" y=\"%d\">%s</text>%n",
                (LEFT + WIDTH - RIGHT) / 2,
                HEIGHT - 8,
                Html.escape(x.name())));
    }

    private double px(double value, double[] range) {
        return LEFT + (WIDTH - LEFT - RIGHT) * part(x, value, range);
    }

    private double py(double value, double[] range) {
        return HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * part(y, value, range);
    }

    private static double part(Axis axis, double value, double[] range) {
        double low = axis.place(range[0]);
        double high = axis.place(range[1]);
        return Math.clamp((axis.place(value) - low) / (high - low), 0, 1);
    }

    private static double[] range(Axis axis, DoubleStream values) {
        var statistics = values.summaryStatistics();
        return axis.range(statistics.getMin(), statistics.getMax());
    }

    /** A point in the units of the axes. */
    record Point(double x, double y) {}

    private record Line(String name, List<Point> points) {}
}
