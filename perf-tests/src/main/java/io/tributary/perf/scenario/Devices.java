package io.tributary.perf.scenario;

import io.tributary.perf.judge.Stamp;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Groups of clients made from the device definitions in {@code devices.yaml}: a group with {@code devices: {mix: ...,
 * factor: ..., nodes: ...}} stands for one group of each kind of device in the mix, with the kind's number (of each
 * node, times the factor), its payload and rate, and the way in which the mix comes and goes.
 */
final class Devices {
    private static final String KEY = "devices";
    private static final double NANOS = 1e9;

    private Devices() {}

    /** The groups, with those of devices put in the place of what stands for them. */
    static List<Object> expand(List<Object> groups) {
        List<Object> expanded = new ArrayList<>();
        for (Object group : groups) {
            Map<String, Object> given = Yaml.asMap("groups", group);
            if (given.containsKey(KEY)) {
                expanded.addAll(devices(given));
            } else {
                expanded.add(given);
            }
        }
        return expanded;
    }

    private static List<Object> devices(Map<String, Object> group) {
        Map<String, Object> which = Yaml.asMap(KEY, group.get(KEY));
        Map<String, Object> mixes = Yaml.map("devices.yaml", Resources.text("devices.yaml"));
        String mix = String.valueOf(which.get("mix"));
        if (!mixes.containsKey(mix)) {
            throw new ScenarioException("devices.mix: one of " + mixes.keySet() + ", not " + mix);
        }
        Map<String, Object> devices = Yaml.asMap(mix, mixes.get(mix));
        int factor = number(which.getOrDefault("factor", 1)) * number(which.getOrDefault("nodes", 1));
        List<Object> all = new ArrayList<>();
        for (Object device : Yaml.asList(mix, devices.get(KEY))) {
            Map<String, Object> kind = Yaml.asMap(mix, device);
            if (number(kind.get("count")) > 0) {
                Map<String, Object> one = device(group, kind, factor);
                one.putIfAbsent("churn", devices.get("churn"));
                all.add(one);
            }
        }
        return all;
    }

    private static Map<String, Object> device(Map<String, Object> group, Map<String, Object> device, int factor) {
        Map<String, Object> one = new LinkedHashMap<>(group);
        one.remove(KEY);
        String name = String.valueOf(device.get("device"));
        one.put("name", name);
        one.put("count", number(device.get("count")) * factor);
        Map<String, Object> publish = Yaml.asMap("publish", group.get("publish"));
        publish.put("topic", String.valueOf(publish.get("topic")).replace("{device}", name));
        Map<String, Object> payload = Yaml.asMap(name + ".payload", device.get("payload"));
        payload.put("min", Stamp.BYTES);
        publish.put("payload", payload);
        double seconds = Binding.duration(String.valueOf(device.get("every"))).toNanos() / NANOS;
        publish.put("rate", 1 / seconds);
        one.put("publish", publish);
        return one;
    }

    private static int number(@Nullable Object value) {
        return Integer.parseInt(String.valueOf(value));
    }
}
