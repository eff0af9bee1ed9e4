package io.tributary.perf.scenario;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A topic or topic filter with placeholders: <code>{n}</code> is the number of the client in its group, from 0 on,
 * <code>{n%5}</code> what is left of it divided by 5, <code>{n/5}</code> how often 5 goes into it, and <code>{t}</code>
 * the number of the client's topic; of that, too, <code>{t%5}</code> and <code>{t/5}</code>.
 */
final class Template {
    private static final Pattern PLACEHOLDER = Pattern.compile("\\{([nt])(?:([%/])([1-9][0-9]{0,8}))?}");

    private Template() {}

    /** The text for one client and topic. */
    static String fill(String template, int n, int t) {
        if (template.indexOf('{') < 0) {
            return template;
        }
        Matcher matcher = PLACEHOLDER.matcher(template);
        String filled = matcher.replaceAll(found -> {
            int number = found.group(1).equals("n") ? n : t;
            if (found.group(2) == null) {
                return Integer.toString(number);
            }
            int by = Integer.parseInt(found.group(3));
            return Integer.toString(found.group(2).equals("%") ? number % by : number / by);
        });
        if (filled.indexOf('{') >= 0) {
            throw new ScenarioException("'" + template + "': placeholders are {n}, {n%K}, {n/K}, {t}, {t%K}, {t/K}");
        }
        return filled;
    }
}
