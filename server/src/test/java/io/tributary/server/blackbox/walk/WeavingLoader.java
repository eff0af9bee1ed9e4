package io.tributary.server.blackbox.walk;

import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_String;
import static java.lang.constant.ConstantDescs.CD_void;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeTransform;
import java.lang.classfile.MethodModel;
import java.lang.classfile.MethodTransform;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.lang.reflect.AccessFlag;
import java.util.List;

/**
 * Loads the broker's classes once more, for one node, so that each of their methods tells {@link Walk#entered} what it
 * is given. Libraries and this package are those of the test.
 */
final class WeavingLoader extends ClassLoader {
    private static final List<String> OURS = List.of(
            "io.tributary.common.", "io.tributary.persistence.", "io.tributary.broker.", "io.tributary.cluster.");

    private static final String THIS_PACKAGE = WeavingLoader.class.getPackageName() + ".";
    private static final ClassDesc WALK = Walk.class.describeConstable().orElseThrow();
    private static final MethodTypeDesc ENTERED =
            MethodTypeDesc.of(CD_void, CD_String, CD_String, CD_Object.arrayType());

    private final String node;
    private final ClassFile classFile;

    /** Creates it for a node of that name. */
    WeavingLoader(String node) {
        super(WeavingLoader.class.getClassLoader());
        this.node = node;
        classFile = ClassFile.of(
                ClassFile.ClassHierarchyResolverOption.of(ClassHierarchyResolver.ofResourceParsing(getParent())
                        .orElse(ClassHierarchyResolver.defaultResolver())));
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        boolean isNode = name.startsWith(EmbeddedNode.class.getName());
        boolean isOurs = OURS.stream().anyMatch(name::startsWith) && !name.startsWith(THIS_PACKAGE);
        if (!isOurs && !isNode) {
            return super.loadClass(name, resolve);
        }
        synchronized (getClassLoadingLock(name)) {
            Class<?> loaded = findLoadedClass(name);
            return loaded == null ? define(name, isOurs) : loaded;
        }
    }

    private Class<?> define(String name, boolean isWoven) throws ClassNotFoundException {
        try (InputStream file = getParent().getResourceAsStream(name.replace('.', '/') + ".class")) {
            if (file == null) {
                throw new ClassNotFoundException(name);
            }
            byte[] code = file.readAllBytes();
            byte[] woven = isWoven ? weave(classFile.parse(code), name) : code;
            return defineClass(name, woven, 0, woven.length, getClass().getProtectionDomain());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private byte[] weave(ClassModel type, String name) {
        ClassTransform transform = (builder, element) -> {
            if (element instanceof MethodModel method && takesObjects(method)) {
                builder.transformMethod(method, MethodTransform.transformingCode(new Entry(name, method)));
            } else {
                builder.with(element);
            }
        };
        return classFile.transformClass(type, transform);
    }

    private static boolean takesObjects(MethodModel method) {
        return method.code().isPresent()
                && method.methodTypeSymbol().parameterList().stream().anyMatch(type -> !type.isPrimitive());
    }

    /** Tells of the arguments that are objects, before anything else. */
    private final class Entry implements CodeTransform {
        private final String type;
        private final MethodModel method;

        private Entry(String type, MethodModel method) {
            this.type = type;
            this.method = method;
        }

        @Override
        public void atStart(CodeBuilder code) {
            List<ClassDesc> parameters = method.methodTypeSymbol().parameterList();
            code.loadConstant(node)
                    .loadConstant(type)
                    .loadConstant(parameters.size())
                    .anewarray(CD_Object);
            int slot = method.flags().has(AccessFlag.STATIC) ? 0 : 1;
            for (int i = 0; i < parameters.size(); i++) {
                TypeKind kind = TypeKind.from(parameters.get(i));
                if (kind == TypeKind.REFERENCE) {
                    code.dup().loadConstant(i).aload(slot).aastore();
                }
                slot += kind.slotSize();
            }
            code.invokestatic(WALK, "entered", ENTERED);
        }

        @Override
        public void accept(CodeBuilder code, CodeElement element) {
            code.with(element);
        }
    }
}
