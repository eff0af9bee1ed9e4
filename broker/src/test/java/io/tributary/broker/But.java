package io.tributary.broker;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Real objects that do one thing otherwise. */
final class But {
    private But() {}

    /** An object whose one method gives something else, which may be made of what it gives itself. */
    static <T> T one(Class<T> type, T object, String method, Function<Supplier<Object>, @Nullable Object> other) {
        InvocationHandler handler = (_, called, arguments) -> {
            Supplier<Object> usual = () -> {
                try {
                    return called.invoke(object, arguments);
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(e);
                }
            };
            return called.getName().equals(method) ? other.apply(usual) : usual.get();
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
