package io.tributary.perf.report;

import io.tributary.perf.paper.Figure;
import io.tributary.perf.paper.Figure.Better;
import io.tributary.perf.paper.Published;
import io.tributary.perf.paper.PublishedRow;
import io.tributary.perf.paper.PublishedTable;
import io.tributary.perf.paper.PublishedTable.Summary;
import io.tributary.perf.paper.Value;
import io.tributary.perf.paper.Work;
import io.tributary.perf.result.ResultFile;
import io.tributary.perf.result.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The tables of published works with our figures beside theirs, as Markdown. */
public final class PublishedPage {
    private static final String NOTHING = "";
    private static final String FULL = ".full";
    private static final String JSON = ".json";

    /** What is measured in the publications and is no broker: no ratio is to it. */
    private static final String NO_BROKER = "OpenDDS";

    /** What runs are called that are made on a target; others by the target's words. Tributary comes first. */
    private static final Map<String, String> TARGETS = targets();

    private final Path results;

    private PublishedPage(Path results) {
        this.results = results;
    }

    private static Map<String, String> targets() {
        Map<String, String> names = new LinkedHashMap<>();
        names.put("standalone", "Tributary");
        names.put("one-core", "Tributary on one core");
        names.put("cluster", "Tributary, cluster");
        names.put("nginx", "Tributary behind NGINX");
        names.put("haproxy", "Tributary behind HAProxy");
        names.put("mosquitto", "Mosquitto here");
        names.put("mosquitto-one-core", "Mosquitto here on one core");
        names.put("haproxy-mosquitto", "Mosquitto behind HAProxy here");
        names.put("nginx-mosquitto", "Mosquitto behind NGINX here");
        names.put("mochi", "Mochi here");
        names.put("rabbitmq", "RabbitMQ here");
        names.put("hivemq-ce", "HiveMQ CE here");
        names.put("nats", "NATS here");
        return names;
    }

    /**
     * All tables, and what is left of the works.
     *
     * @param results the folder with files {@code TABLE.TARGET.json}, and {@code TABLE.TARGET.full.json} of the full
     *     form
     * @throws IOException if a result cannot be read
     */
    public static String of(Published published, Path results) throws IOException {
        PublishedPage page = new PublishedPage(results);
        StringBuilder text = new StringBuilder();
        for (Map.Entry<String, Work> work : published.works().entrySet()) {
            text.append("\n## ").append(work.getValue().title()).append("\n\nMeasured there: ");
            text.append(work.getValue().measured()).append(".\n");
            for (PublishedTable table : published.tables()) {
                if (table.work().equals(work.getKey())) {
                    text.append('\n').append(page.table(table));
                }
            }
            text.append(left(published, work.getKey()));
        }
        return text.append('\n').toString();
    }

    /** The name of the file with the runs of a table on a target, in the full form or the fast one. */
    public static String fileName(PublishedTable table, String target, boolean isFull) {
        String kind = target.replaceFirst("^cluster:.*", "cluster")
                .replaceFirst("^(haproxy|nginx):[^:]*:[^:]*", "$1")
                .replaceAll("[^A-Za-z0-9-]+", "-");
        return table.name() + "." + kind + (isFull ? FULL : NOTHING) + JSON;
    }

    /** What the column of a target is called, {@code standalone} or {@code standalone.full}. */
    private static String heading(String target) {
        String kind = kind(target);
        return TARGETS.getOrDefault(kind, kind) + (target.endsWith(FULL) ? ", in full" : NOTHING);
    }

    private static String kind(String target) {
        return target.endsWith(FULL) ? target.substring(0, target.length() - FULL.length()) : target;
    }

    /**
     * One table.
     *
     * @throws IOException if a result cannot be read
     */
    private String table(PublishedTable table) throws IOException {
        Map<String, List<RunResult>> ours = ours(table);
        StringBuilder text = new StringBuilder("### ").append(table.place());
        text.append(": ").append(table.title()).append("\n\n");
        text.append("`./tributary perf paper ").append(table.source()).append('`');
        if (ours.isEmpty()) {
            return text.append(": not run yet.\n").toString();
        }
        List<RunResult> all = ours.values().stream().flatMap(List::stream).toList();
        text.append(sizes(table, ours.keySet())).append(runs(table, ours)).append(".\n\n");
        text.append(rows(table, ours).markdown()).append('\n');
        Summary summary = table.summary();
        if (summary != null) {
            text.append(summary.place()).append(", over all rows:\n\n");
            text.append(summary(table, summary, ours).markdown()).append('\n');
        }
        differences(table, all).forEach(line -> text.append("* ").append(line).append('\n'));
        return text.append('\n').append(setting(all)).append('\n').toString();
    }

    private static String sizes(PublishedTable table, Set<String> targets) {
        List<String> sizes = new ArrayList<>();
        if (targets.stream().anyMatch(target -> !target.endsWith(FULL))) {
            sizes.add("size: " + table.fast().size());
        }
        if (targets.stream().anyMatch(target -> target.endsWith(FULL))) {
            sizes.add("in full (`--full`): " + table.full().size());
        }
        return ", " + String.join("; ", sizes);
    }

    /** Of how many runs figures are medians, where they are: rows and targets may have fewer. */
    private static String runs(PublishedTable table, Map<String, List<RunResult>> ours) {
        long most = table.rows().stream()
                .flatMap(row -> ours.values().stream()
                        .map(runs -> runs.stream()
                                .filter(run -> table.isRunOf(row, run.label()))
                                .count()))
                .max(Comparator.naturalOrder())
                .orElse(0L);
        return most < 2 ? NOTHING : "; medians of up to " + most + " runs";
    }

    private Map<String, List<RunResult>> ours(PublishedTable table) throws IOException {
        String begin = table.source() + ".";
        Map<String, List<RunResult>> byTarget = new LinkedHashMap<>();
        if (!Files.isDirectory(results)) {
            return byTarget;
        }
        List<String> order = TARGETS.keySet().stream()
                .flatMap(kind -> Stream.of(kind + FULL, kind))
                .toList();
        List<Path> files;
        try (Stream<Path> all = Files.list(results)) {
            files = all.filter(file -> isResult(file.getFileName().toString(), begin))
                    .sorted(Comparator.comparingInt((Path file) -> rank(order, target(file, begin)))
                            .thenComparing(Path::toString))
                    .toList();
        }
        for (Path file : files) {
            byTarget.put(target(file, begin), ResultFile.read(file).runs());
        }
        return byTarget;
    }

    private static boolean isResult(String name, String begin) {
        return name.startsWith(begin) && name.endsWith(JSON);
    }

    private static int rank(List<String> order, String target) {
        int place = order.indexOf(target);
        return place < 0 ? order.size() : place;
    }

    private static String target(Path file, String begin) {
        String name = file.getFileName().toString();
        return name.substring(begin.length(), name.length() - JSON.length());
    }

    private static Table rows(PublishedTable table, Map<String, List<RunResult>> ours) {
        List<String> systems = table.systems();
        List<String> head = head("row", systems, ours);
        List<List<String>> rows = new ArrayList<>();
        for (PublishedRow row : table.rows()) {
            for (int i = 0; i < table.figures().size(); i++) {
                Figure figure = table.figures().get(i);
                List<Value> theirs = new ArrayList<>();
                for (String system : systems) {
                    List<Value> values = row.published().get(system);
                    theirs.add(values == null ? new Value(NOTHING) : values.get(i));
                }
                List<Value> brokers = new ArrayList<>(theirs);
                if (systems.contains(NO_BROKER)) {
                    brokers.remove(systems.indexOf(NO_BROKER));
                }
                List<Cell> here = ours.values().stream()
                        .map(runs -> cell(runs, table, row, figure))
                        .toList();
                List<String> line = line(i == 0 ? row.name() : NOTHING, figure.words(), theirs, here);
                line.add(ratio(figure.better(), brokers, ofTributary(ours, here)));
                rows.add(line);
            }
        }
        return new Table(head, rows);
    }

    private static List<String> head(String first, List<String> systems, Map<String, List<RunResult>> ours) {
        List<String> head = new ArrayList<>(List.of(first, "figure"));
        head.addAll(systems);
        ours.keySet().forEach(target -> head.add("**" + heading(target) + "**"));
        head.add("ratio");
        return head;
    }

    /** Without the ratio. */
    private static List<String> line(String name, String figure, List<Value> theirs, List<Cell> ours) {
        List<String> line = new ArrayList<>(List.of(name, figure));
        theirs.forEach(value -> line.add(value.text()));
        ours.forEach(cell -> line.add(cell.text()));
        return line;
    }

    /** The figure of the first target if that is a Tributary: in the full form, where there is one. */
    private static Cell ofTributary(Map<String, List<RunResult>> ours, List<Cell> here) {
        List<String> targets = List.copyOf(ours.keySet());
        String first = kind(targets.getFirst());
        if (!TARGETS.getOrDefault(first, NOTHING).startsWith("Tributary")) {
            return Cell.EMPTY;
        }
        return IntStream.range(0, targets.size())
                .filter(i -> kind(targets.get(i)).equals(first)
                        && here.get(i).value().isPresent())
                .mapToObj(here::get)
                .findFirst()
                .orElse(Cell.EMPTY);
    }

    /** The median of the runs of a row, without those that have no figures. */
    private static Cell cell(List<RunResult> runs, PublishedTable table, PublishedRow row, Figure figure) {
        List<RunResult> sorted = runs.stream()
                .filter(run -> table.isRunOf(row, run.label()) && !Doubts.hasNoFigures(run))
                .filter(run -> Double.isFinite(figure.of(run)))
                .sorted(Comparator.comparingDouble(figure::of))
                .toList();
        if (sorted.isEmpty()) {
            return Cell.EMPTY;
        }
        RunResult median = sorted.get(sorted.size() / 2);
        return new Cell(OptionalDouble.of(figure.of(median)), Doubts.isLeast(median, figure));
    }

    /** Ours divided by the best of theirs. */
    private static String ratio(Better better, List<Value> theirs, Cell ours) {
        DoubleStream numbers =
                theirs.stream().mapToDouble(Value::number).filter(value -> Double.isFinite(value) && value > 0);
        OptionalDouble best = switch (better) {
            case LESS -> numbers.min();
            case MORE -> numbers.max();
            case GIVEN -> OptionalDouble.empty();
        };
        return best.isEmpty() ? NOTHING : ours.dividedBy(best.getAsDouble()).text();
    }

    /**
     * A figure of ours.
     *
     * @param isLeast whether it is as much as the load tool can do
     */
    private record Cell(OptionalDouble value, boolean isLeast) {
        static final Cell EMPTY = new Cell(OptionalDouble.empty(), false);

        String text() {
            return value.isEmpty() ? NOTHING : (isLeast ? "at least " : NOTHING) + Format.number(value.getAsDouble());
        }

        Cell dividedBy(double divisor) {
            return value.isEmpty() ? this : new Cell(OptionalDouble.of(value.getAsDouble() / divisor), isLeast);
        }
    }

    private static Table summary(PublishedTable table, Summary summary, Map<String, List<RunResult>> ours) {
        List<String> systems = List.copyOf(summary.published().keySet());
        List<String> names = List.of(
                "mean: " + table.figures().getFirst().words(),
                "standard deviation of it",
                "mean: " + table.figures().getLast().words());
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            int which = i;
            List<Value> theirs = systems.stream()
                    .map(system ->
                            summary.published().getOrDefault(system, List.of()).get(which))
                    .toList();
            List<Cell> here = ours.values().stream()
                    .map(runs -> new Cell(summary(table, runs, which), false))
                    .toList();
            List<String> line = line("all rows", names.get(i), theirs, here);
            line.add(NOTHING);
            rows.add(line);
        }
        return new Table(head("", systems, ours), rows);
    }

    /** @param which 0: mean of the first figure; 1: its standard deviation; 2: mean of the last figure */
    private static OptionalDouble summary(PublishedTable table, List<RunResult> runs, int which) {
        Figure figure = which == 2 ? table.figures().getLast() : table.figures().getFirst();
        double[] values = table.rows().stream()
                .map(row -> cell(runs, table, row, figure).value())
                .flatMapToDouble(OptionalDouble::stream)
                .toArray();
        if (values.length < table.rows().size()) {
            return OptionalDouble.empty();
        }
        OptionalDouble mean = DoubleStream.of(values).average();
        if (which != 1 || mean.isEmpty()) {
            return mean;
        }
        double center = mean.getAsDouble();
        double variance = DoubleStream.of(values)
                .map(value -> (value - center) * (value - center))
                .average()
                .orElseThrow();
        return OptionalDouble.of(Math.sqrt(variance));
    }

    /**
     * In what the experiment was not the published one, each line once; and what the load tool says of its own part.
     */
    private static Set<String> differences(PublishedTable table, List<RunResult> runs) {
        Set<String> lines = new LinkedHashSet<>(table.differs());
        for (RunResult run : runs) {
            if (run.scenario().get("differs") instanceof List<?> differs) {
                differs.stream().map(String::valueOf).forEach(lines::add);
            }
        }
        lines.addAll(Doubts.lines(table, runs));
        return lines;
    }

    /** When, of what and where. */
    private static String setting(List<RunResult> runs) {
        Set<String> said = new TreeSet<>();
        runs.forEach(run -> said.add(String.format(
                Locale.ROOT,
                "%s; commit %s; %s; %s, %d cores",
                run.started().substring(0, run.started().indexOf('T')),
                run.commit(),
                Format.product(run.target()),
                run.machine().processor(),
                run.machine().cores())));
        return String.join(". ", said) + ".";
    }

    private static String left(Published published, String work) {
        List<List<String>> rows = published.left().stream()
                .filter(one -> one.work().equals(work))
                .map(one -> List.of(one.place(), one.what(), one.why()))
                .toList();
        return rows.isEmpty()
                ? NOTHING
                : "\nNot in the tables:\n\n" + new Table(List.of("there", "what", "why"), rows).markdown();
    }
}
