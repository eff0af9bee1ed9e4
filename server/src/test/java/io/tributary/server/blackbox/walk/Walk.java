package io.tributary.server.blackbox.walk;

import io.netty.buffer.ByteBuf;
import java.lang.StackWalker.StackFrame;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What something crosses on its way through nodes whose classes a {@link WeavingLoader} loads: each class of which a
 * method is given it, and each that called that method. A hop is what one thread, or another one for it, does of a
 * queue in one go, see {@link Hop}. Records, enums and interfaces are left out: they are what is carried.
 */
public final class Walk {
    private static final StackWalker STACK = StackWalker.getInstance(StackWalker.Option.RETAIN_CLASS_REFERENCE);
    private static final ThreadLocal<Boolean> LOOKING = ThreadLocal.withInitial(() -> false);
    private static final Map<String, CountDownLatch> FROZEN = new ConcurrentHashMap<>();
    private static volatile @Nullable Walk current;

    private final Predicate<Object> isMeant;
    private final List<Hop> hops;
    private final Map<String, Set<String>> crossed = new LinkedHashMap<>();

    /**
     * Where work of one thread begins that others have queued.
     *
     * @param name what it is called
     * @param type the class, without its packages
     * @param method the name of its method that does the work, or that has it done by what it makes
     */
    public record Hop(String name, String type, String method) {}

    private Walk(Predicate<Object> isMeant, List<Hop> hops) {
        this.isMeant = isMeant;
        this.hops = hops;
    }

    /** Records from now on the way of what is meant: asked of texts, and of records with all that they hold. */
    public static Walk of(Predicate<Object> isMeant, List<Hop> hops) {
        Walk walk = new Walk(isMeant, hops);
        current = walk;
        return walk;
    }

    /**
     * The classes by hop, {@code hop}, or {@code node, hop} of a node with a name, in the order in which they were
     * crossed.
     */
    public synchronized Map<String, List<String>> soFar() {
        Map<String, List<String>> ordered = new LinkedHashMap<>();
        crossed.forEach((hop, classes) -> ordered.put(hop, List.copyOf(classes)));
        return ordered;
    }

    /** Records no more; gives what {@link #soFar} does. */
    public Map<String, List<String>> end() {
        current = null;
        return soFar();
    }

    /**
     * Has each thread of a node stand still where it enters the next method, as if its process were stopped, until
     * {@link #thaw}.
     */
    public static void freeze(String node) {
        FROZEN.put(node, new CountDownLatch(1));
    }

    /** Has a node go on. */
    public static void thaw(String node) {
        CountDownLatch frozen = FROZEN.remove(node);
        if (frozen != null) {
            frozen.countDown();
        }
    }

    private static void awaitThaw(CountDownLatch frozen) {
        boolean isInterrupted = false;
        while (frozen.getCount() > 0) {
            try {
                frozen.await();
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** A method begins; called by each method of woven classes. */
    public static void entered(String node, String type, @Nullable Object[] arguments) {
        CountDownLatch frozen = FROZEN.get(node);
        if (frozen != null) {
            awaitThaw(frozen);
        }
        Walk walk = current;
        if (walk == null || LOOKING.get()) {
            return;
        }
        LOOKING.set(true);
        try {
            for (Object argument : arguments) {
                if (argument != null && walk.carries(argument)) {
                    walk.cross(node);
                    return;
                }
            }
        } finally {
            LOOKING.set(false);
        }
    }

    private boolean carries(Object value) {
        return switch (value) {
            case String text -> isMeant.test(text);
            case byte[] bytes -> isMeant.test(new String(bytes, StandardCharsets.ISO_8859_1));
            case ByteBuf bytes -> isMeant.test(bytes.toString(StandardCharsets.ISO_8859_1));
            case List<?> list -> list.stream().anyMatch(each -> each != null && carries(each));
            case Record made -> isMeant.test(made) || holds(made);
            default -> isWoven(value.getClass()) && holdsBytes(value);
        };
    }

    /** An encoded message, or a write of one. */
    private boolean holdsBytes(Object value) {
        for (Field field : value.getClass().getDeclaredFields()) {
            if (field.getType() == byte[].class && !Modifier.isStatic(field.getModifiers())) {
                try {
                    field.setAccessible(true);
                    Object bytes = field.get(value);
                    if (bytes != null && carries(bytes)) {
                        return true;
                    }
                } catch (IllegalAccessException e) {
                    throw new IllegalStateException(e);
                }
            }
        }
        return false;
    }

    private boolean holds(Record made) {
        for (RecordComponent component : made.getClass().getRecordComponents()) {
            if (component.getType().isPrimitive()) {
                continue;
            }
            try {
                component.getAccessor().setAccessible(true);
                Object value = component.getAccessor().invoke(made);
                if (value != null && carries(value)) {
                    return true;
                }
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        return false;
    }

    private void cross(String node) {
        List<StackFrame> frames = STACK.walk(all -> all.filter(Walk::isOurs).toList());
        List<String> inside = new ArrayList<>();
        String hop = "";
        for (StackFrame frame : frames) {
            Class<?> type = outermost(frame.getDeclaringClass());
            if (!type.isRecord() && !type.isEnum() && !type.isInterface()) {
                inside.addFirst(
                        type.getName().substring("io.tributary.".length()).replace('.', '/'));
            }
            hop = hopOf(type, frame.getMethodName());
            if (!hop.isEmpty()) {
                break;
            }
        }
        if (hop.isEmpty()) {
            hop = "from " + inside.getFirst();
        }
        synchronized (this) {
            crossed.computeIfAbsent(node.isEmpty() ? hop : node + ", " + hop, _ -> new LinkedHashSet<>())
                    .addAll(inside);
        }
    }

    private String hopOf(Class<?> type, String method) {
        for (Hop hop : hops) {
            boolean isIn = method.equals(hop.method()) || method.startsWith("lambda$" + hop.method() + "$");
            if (isIn && hop.type().equals(type.getSimpleName())) {
                return hop.name();
            }
        }
        return "";
    }

    private static boolean isOurs(StackFrame frame) {
        return isWoven(frame.getDeclaringClass());
    }

    private static boolean isWoven(Class<?> type) {
        return type.getClassLoader() instanceof WeavingLoader;
    }

    private static Class<?> outermost(Class<?> type) {
        Class<?> outer = type;
        while (outer.getEnclosingClass() != null) {
            outer = outer.getEnclosingClass();
        }
        return outer;
    }
}
