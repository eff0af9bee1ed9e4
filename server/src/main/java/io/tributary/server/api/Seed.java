package io.tributary.server.api;

import io.tributary.broker.security.store.Change;
import io.tributary.broker.security.store.ChangeResult;
import io.tributary.broker.security.store.SecurityObject;
import io.tributary.broker.security.store.SecurityStore;
import io.tributary.broker.security.store.SecurityTable;
import io.tributary.security.file.SeedFile;
import io.tributary.security.file.SeedFile.Item;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Security objects of a file, which are put into the store where they are not there yet. Users have their passwords as
 * slow hashes alone, and there are no device tokens in it: nobody else than the broker makes them.
 */
public final class Seed {
    private static final Logger LOG = LoggerFactory.getLogger(Seed.class);
    private static final int ATTEMPTS = 5;

    /** In brackets, for no administrator can have such a name. */
    private static final String BY = "(seed)";

    private final Path file;
    private final List<SecurityObject> objects;

    private Seed(Path file, List<SecurityObject> objects) {
        this.file = file;
        this.objects = objects;
    }

    /**
     * Reads it.
     *
     * @param problems what is wrong with it is added, a sentence each with line and column
     */
    public static Seed read(Path file, List<String> problems) {
        List<SecurityObject> objects = new ArrayList<>();
        try {
            for (Item item : SeedFile.read(file)) {
                try {
                    objects.add(object(item));
                } catch (ApiProblem | IllegalArgumentException | ArithmeticException wrong) {
                    String words = String.valueOf(wrong.getMessage());
                    String part = words.split(" ", 2)[0]; // what is wrong comes first, as the API has it
                    problems.add(item.places().of(part) + ": " + item.table() + " " + item.id() + ": " + words);
                }
            }
        } catch (IllegalArgumentException wrong) {
            problems.add(String.valueOf(wrong.getMessage()));
        }
        return new Seed(file, objects);
    }

    /** How many objects it has. */
    public int size() {
        return objects.size();
    }

    private static SecurityObject object(Item item) {
        SecurityTable table = SecurityTable.named(item.table())
                .filter(named -> named != SecurityTable.TOKENS)
                .orElseThrow(() -> new IllegalArgumentException("there are users, rules, bans and tenants"));
        if (item.value().containsKey("password")) {
            throw new IllegalArgumentException("has a password; it must be passwordHash, a slow hash of it");
        }
        return ObjectJson.read(table, item.id(), JsonFields.of(item.value()), null);
    }

    /** Puts in what is not there yet. Blocks until done; what is not done for good is in the log. */
    public void putInto(SecurityStore store) {
        int made = 0;
        int failed = 0;
        for (SecurityObject object : objects) {
            if (store.find(object.table(), object.id()) != null) {
                continue;
            }
            switch (put(object, store)) {
                case ChangeResult.Done _ -> made++;
                case ChangeResult.Conflict _ -> LOG.debug("another node has put {} in", object.id());
                case ChangeResult other -> {
                    failed++;
                    LOG.warn("{} of {} is not in the store: {}", object.id(), file, other);
                }
            }
        }
        LOG.info("{} of {} security objects of {} were put into the store", made, objects.size(), file);
        if (failed > 0) {
            LOG.warn("{} security objects of {} are not in the store; the next start tries again", failed, file);
        }
    }

    private static ChangeResult put(SecurityObject object, SecurityStore store) {
        ChangeResult result = new ChangeResult.NotNow("");
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            try {
                result = store.change(Change.put(object, new Change.Absent(), BY, ""))
                        .toCompletableFuture()
                        .join();
            } catch (CompletionException e) {
                return new ChangeResult.Unknown(String.valueOf(e.getMessage()));
            }
            boolean mayHelp = result instanceof ChangeResult.NotNow || result instanceof ChangeResult.Unknown;
            if (!mayHelp) {
                return result;
            }
        }
        return result;
    }
}
