import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/**
 * Takes the native libraries out of the jars of a folder, and puts those of one kind of machine into another, where
 * {@code java.library.path} finds them: nothing has to be unpacked by a broker then. Some of them are found by another name
 * than they have in their jar.
 *
 * <p>Takes out of Bouncy Castle, too, what hashes of passwords have no use for: the provider, the algorithms against quantum
 * computers, and the signatures of the whole, 4.5 MB of 7.3.
 *
 * <p>{@code java Jars.java JARS TARGET x86_64|aarch64}
 */
final class Jars {
    private static final Pattern LIBRARY = Pattern.compile(".*\\.(so|dll|dylib|jnilib|a)");

    /** In the jar of Bouncy Castle. What describes it as a module goes, too: that names each package. */
    private static final Pattern UNUSED = Pattern.compile("(META-INF/versions/\\d+/)?"
            + "(org/bouncycastle/(pqc|jcajce|jce|x509|i18n|ldap)/.*|module-info\\.class)|META-INF/BC[^/]*\\.(SF|RSA)");

    /** What must be there for each machine: a pattern of the entry, and the name of the file. */
    private enum Needed {
        EPOLL("META-INF/native/(libnetty_transport_native_epoll_%s\\.so)", "x86_64", "aarch_64"),
        BORINGSSL("META-INF/native/(libnetty_tcnative_linux_%s\\.so)", "x86_64", "aarch_64"),
        ROCKSDB("(librocksdbjni-%s\\.so)", "linux64", "linux-aarch64"),
        ZSTD("linux/%s/(libzstd-jni-.*\\.so)", "amd64", "aarch64"),
        LZ4("net/jpountz/util/linux/%s/(liblz4-java\\.so)", "amd64", "aarch64"),
        SNAPPY("org/xerial/snappy/native/Linux/%s/(libsnappyjava\\.so)", "x86_64", "aarch64");

        private final String entry;
        private final String intel;
        private final String arm;

        Needed(String entry, String intel, String arm) {
            this.entry = entry;
            this.intel = intel;
            this.arm = arm;
        }

        Pattern pattern(String machine) {
            return Pattern.compile(entry.formatted(machine.equals("aarch64") ? arm : intel));
        }
    }

    private final Path target;
    private final String machine;
    private final Set<Needed> found = new TreeSet<>();

    private Jars(Path target, String machine) {
        this.target = target;
        this.machine = machine;
    }

    public static void main(String[] words) throws IOException {
        if (words.length != 3 || !List.of("x86_64", "aarch64").contains(words[2])) {
            System.err.println("jars: there are libraries for x86_64 and for aarch64, not for "
                    + (words.length == 3 ? words[2] : "an unknown machine"));
            System.exit(2);
        }
        Jars jars = new Jars(Files.createDirectories(Path.of(words[1])), words[2]);
        try (Stream<Path> files = Files.list(Path.of(words[0]))) {
            for (Path jar : files.filter(file -> file.toString().endsWith(".jar")).sorted().toList()) {
                jars.take(jar);
            }
        }
        Set<Needed> missing = new TreeSet<>(Set.of(Needed.values()));
        missing.removeAll(jars.found);
        if (!missing.isEmpty()) {
            System.err.println("jars: no library for " + words[2] + " of " + missing
                    + "; their jars have changed, see docker/Jars.java");
            System.exit(1);
        }
    }

    private void take(Path jar) throws IOException {
        Path less = Files.createTempFile(jar.getParent(), "less", ".tmp");
        boolean isLess = false;
        boolean isBouncyCastle = jar.getFileName().toString().startsWith("bcprov-");
        try (JarFile from = new JarFile(jar.toFile());
                ZipOutputStream to = new ZipOutputStream(Files.newOutputStream(less))) {
            for (JarEntry entry : (Iterable<JarEntry>) from.stream()::iterator) {
                if (LIBRARY.matcher(entry.getName()).matches()) {
                    isLess = true;
                    extract(from, entry);
                } else if (isBouncyCastle && UNUSED.matcher(entry.getName()).matches()) {
                    isLess = true;
                } else {
                    copy(from, entry, to);
                }
            }
        }
        if (isLess) {
            FileTime time = Files.getLastModifiedTime(jar);
            Files.move(less, jar, StandardCopyOption.REPLACE_EXISTING);
            Files.setLastModifiedTime(jar, time);
        } else {
            Files.delete(less);
        }
    }

    private void extract(JarFile from, JarEntry entry) throws IOException {
        for (Needed needed : Needed.values()) {
            Matcher name = needed.pattern(machine).matcher(entry.getName());
            if (name.matches()) {
                try (InputStream bytes = from.getInputStream(entry)) {
                    Files.copy(bytes, target.resolve(name.group(1)), StandardCopyOption.REPLACE_EXISTING);
                }
                found.add(needed);
            }
        }
    }

    /** With the entry's own time, whatever the time is now. */
    private static void copy(JarFile from, JarEntry entry, ZipOutputStream to) throws IOException {
        ZipEntry copy = new ZipEntry(entry.getName());
        copy.setTime(entry.getTime());
        to.putNextEntry(copy);
        try (InputStream bytes = from.getInputStream(entry)) {
            if (entry.getName().equals(JarFile.MANIFEST_NAME)) {
                Manifest manifest = new Manifest(bytes);
                manifest.getEntries().clear(); // digests of a signature
                manifest.write(to);
            } else {
                bytes.transferTo(to);
            }
        }
        to.closeEntry();
    }
}
