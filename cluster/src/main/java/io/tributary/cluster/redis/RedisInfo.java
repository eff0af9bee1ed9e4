package io.tributary.cluster.redis;

import java.util.HashMap;
import java.util.Map;

/** The answer to INFO: names and values. */
record RedisInfo(Map<String, String> values) {

    static RedisInfo parse(String text) {
        Map<String, String> values = new HashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            if (colon > 0) {
                values.put(line.substring(0, colon), line.substring(colon + 1));
            }
        });
        return new RedisInfo(values);
    }

    /** A value, or "unknown" where the server does not tell. */
    String get(String name) {
        return values.getOrDefault(name, "unknown");
    }

    boolean isValkey() {
        return values.containsKey("valkey_version");
    }

    /** The first number of a version; 0 where the server does not tell. */
    int major(String name) {
        String version = get(name);
        int end = version.indexOf('.');
        String major = end < 0 ? version : version.substring(0, end);
        return major.chars().allMatch(Character::isDigit) && !major.isEmpty() ? Integer.parseInt(major) : 0;
    }
}
