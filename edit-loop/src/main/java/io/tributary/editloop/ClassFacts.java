package io.tributary.editloop;

import java.lang.classfile.Annotation;
import java.lang.classfile.Attribute;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.FieldModel;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeAnnotation;
import java.lang.classfile.attribute.AnnotationDefaultAttribute;
import java.lang.classfile.attribute.ConstantValueAttribute;
import java.lang.classfile.attribute.ExceptionsAttribute;
import java.lang.classfile.attribute.InnerClassInfo;
import java.lang.classfile.attribute.PermittedSubclassesAttribute;
import java.lang.classfile.attribute.RecordAttribute;
import java.lang.classfile.attribute.RuntimeInvisibleAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeInvisibleParameterAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeInvisibleTypeAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeVisibleAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeVisibleParameterAnnotationsAttribute;
import java.lang.classfile.attribute.RuntimeVisibleTypeAnnotationsAttribute;
import java.lang.classfile.attribute.SignatureAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.constantpool.Utf8Entry;
import java.lang.reflect.AccessFlag;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A class file as its users see it.
 *
 * @param name as in class files: {@code io/tributary/common/topic/TopicName$Level}
 * @param source its source file, from the root of the sources
 * @param supers super class and interfaces
 * @param own its surface without that of its super types
 */
record ClassFacts(String name, String source, List<String> supers, Surface own) {
    private static final Pattern TYPE = Pattern.compile("L([\\w/$-]+)[;<]");

    static ClassFacts of(byte[] bytes) {
        ClassModel model = ClassFile.of().parse(bytes);
        String name = model.thisClass().asInternalName();
        List<String> supers = new ArrayList<>();
        model.superclass().ifPresent(type -> supers.add(type.asInternalName()));
        model.interfaces().forEach(type -> supers.add(type.asInternalName()));
        return new ClassFacts(name, sourceOf(model, name), supers, surfaceOf(model, name, supers));
    }

    /** The classes that a class file names, in whatever way; and words that only look like one. */
    static Set<String> namedIn(byte[] bytes) {
        Set<String> named = new HashSet<>();
        for (PoolEntry entry : ClassFile.of().parse(bytes).constantPool()) {
            if (entry instanceof ClassEntry type) {
                named.add(type.asInternalName());
            }
            if (entry instanceof Utf8Entry text && text.stringValue().indexOf('L') >= 0) {
                TYPE.matcher(text.stringValue()).results().forEach(type -> named.add(type.group(1)));
            }
        }
        return named;
    }

    private static String sourceOf(ClassModel model, String name) {
        String file = model.findAttribute(Attributes.sourceFile())
                .map(attribute -> attribute.sourceFile().stringValue())
                .orElse("?");
        return name.substring(0, name.lastIndexOf('/') + 1) + file;
    }

    private static Surface surfaceOf(ClassModel model, String name, List<String> supers) {
        if (model.findAttribute(Attributes.enclosingMethod()).isPresent()) { // local or anonymous
            return Surface.NONE;
        }
        int declared = model.flags().flagsMask();
        for (InnerClassInfo inner : model.findAttribute(Attributes.innerClasses())
                .map(attribute -> attribute.classes())
                .orElse(List.of())) {
            if (inner.innerClass().asInternalName().equals(name)) {
                declared = inner.flagsMask();
            }
        }
        String header = declared + " " + supers + textOf(model);
        TreeSet<String> members = new TreeSet<>();
        for (FieldModel field : model.fields()) {
            if (!field.flags().has(AccessFlag.PRIVATE)) {
                String fieldName = field.fieldName().stringValue();
                members.add(field.flags().flagsMask()
                        + fieldName
                        + field.fieldType().stringValue()
                        + textOf(field));
            }
        }
        for (MethodModel method : model.methods()) {
            if (!method.flags().has(AccessFlag.PRIVATE) && !method.methodName().equalsString("<clinit>")) {
                members.add(method.flags().flagsMask()
                        + method.methodName().stringValue()
                        + method.methodType().stringValue()
                        + textOf(method));
            }
        }
        boolean hidden = (declared & ClassFile.ACC_PRIVATE) != 0;
        return new Surface(hidden ? "" : Digests.of(header), Digests.of(header + members));
    }

    /** Attributes that the compiler looks at when it compiles users; not code, nor where something is in the source. */
    private static String textOf(AttributedElement element) {
        return element.attributes().stream()
                .map(ClassFacts::textOf)
                .filter(text -> !text.isEmpty())
                .sorted()
                .collect(Collectors.joining(" ", " ", ""));
    }

    private static String textOf(Attribute<?> attribute) {
        return switch (attribute) {
            case SignatureAttribute it -> it.signature().stringValue();
            case ConstantValueAttribute it -> it.constant().constantValue().toString();
            case ExceptionsAttribute it ->
                it.exceptions().stream()
                        .map(ClassEntry::asInternalName)
                        .toList()
                        .toString();
            case PermittedSubclassesAttribute it ->
                it.permittedSubclasses().stream()
                        .map(ClassEntry::asInternalName)
                        .toList()
                        .toString();
            case RecordAttribute it ->
                it.components().stream()
                        .map(component -> component.name().stringValue()
                                + component.descriptor().stringValue()
                                + textOf(component))
                        .toList()
                        .toString();
            case AnnotationDefaultAttribute it -> "default " + it.defaultValue();
            case RuntimeVisibleAnnotationsAttribute it -> it.annotations().toString();
            case RuntimeInvisibleAnnotationsAttribute it -> it.annotations().toString();
            case RuntimeVisibleParameterAnnotationsAttribute it ->
                it.parameterAnnotations().toString();
            case RuntimeInvisibleParameterAnnotationsAttribute it ->
                it.parameterAnnotations().toString();
            case RuntimeVisibleTypeAnnotationsAttribute it -> textOf(it.annotations());
            case RuntimeInvisibleTypeAnnotationsAttribute it -> textOf(it.annotations());
            default -> "";
        };
    }

    private static String textOf(List<TypeAnnotation> annotations) {
        return annotations.stream()
                .map(it -> it.targetInfo() + " " + it.targetPath() + " " + textOf(it.annotation()))
                .toList()
                .toString();
    }

    private static String textOf(Annotation annotation) {
        return annotation.className().stringValue() + annotation.elements();
    }
}
