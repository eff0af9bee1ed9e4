package io.tributary.editloop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** After an update, all is as if everything had been compiled. */
class TreesTest {
    @TempDir
    private Path root;

    private SmallProject project;

    @BeforeEach
    void makeProject() throws IOException {
        project = new SmallProject(root);
        project.edit(
                "lower",
                "Low",
                "public class Low { public static final int LIMIT = 1;"
                        + " @Deprecated public static int twice(long value) { return (int) (2 * value); } }");
        project.edit("upper", "Copies", "public class Copies { public static int get() { return Low.LIMIT; } }");
        project.edit("upper", "Calls", "public class Calls { public static int get() { return Low.twice(1); } }");
        project.edit("upper", "Alone", "public class Alone { public static int get() { return 7; } }");
        project.update("upper");
    }

    @Test
    void compilesNothingWhenNothingChanged() throws IOException {
        assertThat(project.update("lower")).isEmpty();
        assertThat(project.update("upper")).isEmpty();
    }

    @Test
    void compilesNoUserWhenBodyChanges() throws IOException, ReflectiveOperationException {
        project.edit(
                "lower",
                "Low",
                "public class Low { public static final int LIMIT = 1;"
                        + " @Deprecated public static int twice(long value) { return helper((int) value); }"
                        + " private static int helper(int value) { return 20 * value; } }");
        assertThat(project.update("upper")).isEmpty();
        assertThat(project.get("Calls")).isEqualTo(20);
    }

    @Test
    void copyOfConstantIsSeenWhenConstantChanges() throws IOException, ReflectiveOperationException {
        project.edit(
                "lower",
                "Low",
                "public class Low { public static final int LIMIT = 2;"
                        + " @Deprecated public static int twice(long value) { return 0; } }");
        assertThat(project.update("upper")).contains("p/Copies.java").doesNotContain("p/Alone.java");
        assertThat(project.get("Copies")).isEqualTo(2);
    }

    @Test
    void constantIsSeenWhenOnlyConstantsOfConstantsAreUsed() throws IOException, ReflectiveOperationException {
        project.edit("upper", "Middle", "class Middle { static final int MORE = Low.LIMIT + 10; }");
        project.edit(
                "upper",
                "Copies",
                "import static p.Middle.*;" + " public class Copies { public static int get() { return MORE; } }");
        project.update("upper");
        assertThat(project.get("Copies")).isEqualTo(11);
        project.edit(
                "lower",
                "Low",
                "public class Low { public static final int LIMIT = 2;"
                        + " public static int twice(long value) { return 0; } }");
        project.update("upper");
        assertThat(project.get("Copies")).isEqualTo(12);
    }

    @Test
    void userDoesNotCompileWhenSignatureChanges() throws IOException, ReflectiveOperationException {
        project.edit(
                "lower",
                "Low",
                "public class Low { public static final int LIMIT = 1;"
                        + " public static int twice(String value) { return 0; } }");
        assertThatThrownBy(() -> project.update("upper"))
                .isInstanceOf(LoopException.class)
                .hasMessageContaining("upper/main");
        assertThatThrownBy(() -> project.update("upper")).as("again").isInstanceOf(LoopException.class);
        project.edit("upper", "Calls", "public class Calls { public static int get() { return Low.twice(\"\"); } }");
        assertThat(project.update("upper")).contains("p/Calls.java");
        assertThat(project.get("Calls")).isEqualTo(0);
    }

    @Test
    void userTakesBetterMethodWhenOneIsAdded() throws IOException, ReflectiveOperationException {
        project.edit(
                "lower",
                "Low",
                "public class Low { public static final int LIMIT = 1;"
                        + " public static int twice(int value) { return 100; }"
                        + " public static int twice(long value) { return 0; } }");
        project.update("upper");
        assertThat(project.get("Calls")).isEqualTo(100);
    }

    @Test
    void userOfSubclassIsCompiledWhenSuperclassOfOtherModuleChanges() throws IOException, ReflectiveOperationException {
        project.edit("lower", "Base", "public class Base { public int value(long number) { return 1; } }");
        project.edit("upper", "Sub", "class Sub extends Base {}");
        project.edit("upper", "Calls", "public class Calls { public static int get() { return new Sub().value(0); } }");
        project.update("upper");
        project.edit(
                "lower",
                "Base",
                "public class Base { public int value(long number) { return 1; }"
                        + " public int value(int number) { return 2; } }");
        project.update("upper");
        assertThat(project.get("Calls")).isEqualTo(2);
    }

    @Test
    void classThatNobodyNamesIsConsideredWhenItsSuperTypesChange() throws IOException, ReflectiveOperationException {
        project.edit("lower", "Item", "public class Item {}");
        project.edit(
                "lower",
                "Items",
                "public class Items { public static java.util.List<Item> all() {"
                        + " return java.util.List.of(new Item()); } }");
        project.edit(
                "upper",
                "Calls",
                "public class Calls { public static int get() { return of(Items.all().getFirst()); }"
                        + " static int of(Object any) { return 1; } static int of(Runnable runnable) { return 2; } }");
        project.update("upper");
        assertThat(project.get("Calls")).isEqualTo(1);
        project.edit("lower", "Item", "public class Item implements Runnable { public void run() {} }");
        project.update("upper");
        assertThat(project.get("Calls")).isEqualTo(2);
    }

    @Test
    void switchIsCheckedWhenSealedTypeGetsAnother() throws IOException {
        project.edit("lower", "Shape", "public sealed interface Shape { record A() implements Shape {} }");
        project.edit(
                "upper",
                "Calls",
                "public class Calls { static int of(Shape shape) {"
                        + " return switch (shape) { case Shape.A a -> 1; }; } }");
        project.update("upper");
        project.edit(
                "lower",
                "Shape",
                "public sealed interface Shape {" + " record A() implements Shape {} record B() implements Shape {} }");
        assertThatThrownBy(() -> project.update("upper")).isInstanceOf(LoopException.class);
    }

    @Test
    void userDoesNotCompileWhenClassIsDeleted() throws IOException {
        project.delete("lower", "Low");
        assertThatThrownBy(() -> project.update("upper")).isInstanceOf(LoopException.class);
        assertThat(root.resolve("lower/target/loop-classes/p/Low.class")).doesNotExist();
    }

    @Test
    void unusedImportIsAnErrorWhenItsClassIsDeleted() throws IOException {
        project.edit("lower", "Gone", "public class Gone {}");
        project.edit("upper", "Alone", "import p.Gone; public class Alone {}");
        project.update("upper");
        project.delete("lower", "Gone");
        assertThatThrownBy(() -> project.update("upper")).isInstanceOf(LoopException.class);
    }

    @Test
    void classFilesStayWhenAnErrorIsMendedByGoingBack() throws IOException, ReflectiveOperationException {
        project.edit("upper", "Alone", "public class Alone { nonsense }");
        assertThatThrownBy(() -> project.update("upper")).isInstanceOf(LoopException.class);
        project.edit("upper", "Alone", "public class Alone { public static int get() { return 8; } }");
        assertThat(project.update("upper")).containsExactly("p/Alone.java");
        assertThat(project.get("Alone")).isEqualTo(8);
        assertThat(project.get("Calls")).isEqualTo(2);
    }

    @Test
    void sourceIsNotCompiledWhenMavenHasDoneIt() throws IOException, ReflectiveOperationException {
        asIfMavenHadCompiled("lower", Instant.now());
        asIfMavenHadCompiled("upper", Instant.now().plusSeconds(1));
        project.edit("upper", "Alone", "public class Alone { public static int get() { return 9; } }");
        touchAfterMaven("upper", "Alone");
        assertThat(project.update("lower")).isEmpty();
        assertThat(project.get("Alone")).isEqualTo(9);
        assertThat(project.get("Calls")).isEqualTo(2);
    }

    @Test
    void needsNoCheckWhenMavenHasCompiledAllAsItIs() throws IOException {
        MavensBuild build = new MavensBuild(project.workspace());
        SourceTree upper = project.workspace().module("upper").main();
        assertThat(build.isCurrent(upper)).as("not compiled by Maven").isFalse();
        asIfMavenHadCompiled("lower", Instant.now());
        asIfMavenHadCompiled("upper", Instant.now().plusSeconds(1));
        assertThat(build.isCurrent(upper)).isTrue();
        touchAfterMaven("lower", "Low");
        assertThat(build.isCurrent(upper)).as("upstream edited").isFalse();
    }

    @Test
    void sourcesAreCompiledWhenMavenCompiledThemBeforeTheirUpstream() throws IOException {
        asIfMavenHadCompiled("upper", Instant.now());
        asIfMavenHadCompiled("lower", Instant.now().plusSeconds(1));
        assertThat(project.update("upper")).hasSize(3);
    }

    private void asIfMavenHadCompiled(String module, Instant when) throws IOException {
        Path target = root.resolve(module).resolve("target");
        Files.move(target.resolve("loop-classes"), target.resolve("classes"));
        Files.delete(target.resolve("loop-main.state"));
        for (String file : ClassFiles.files(target.resolve("classes"))) {
            Files.setLastModifiedTime(target.resolve("classes").resolve(file), FileTime.from(when));
        }
    }

    private void touchAfterMaven(String module, String name) throws IOException {
        Files.setLastModifiedTime(
                root.resolve(module + "/src/main/java/p/" + name + ".java"),
                FileTime.from(Instant.now().plusSeconds(10)));
    }
}
