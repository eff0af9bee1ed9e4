package io.tributary.common.collection;

import java.util.AbstractCollection;
import java.util.Collection;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Entries by a name that each of them has in itself: open addressing, without an object for each entry. Takes 11 to 16
 * bytes for each of many entries, where a hash map takes 30 and the name.
 *
 * <p>Any thread. Reading takes no lock, and finds each entry that was put before it began, whatever changes meanwhile;
 * changes come one at a time.
 *
 * <p>Names are strangers' choice: they are hashed with a number that is each table's own, so that nobody can find many
 * that meet. In that order, which is none, entries are shown.
 *
 * @param <E> the entries, never null
 */
public abstract class NameTable<E> {
    private static final int LEAST_SLOTS = 4;
    private static final Removed REMOVED = new Removed();

    /** Of its own: the order of another table's entries is to be none here, or they would crowd while they come. */
    private final long seed = SecretHash.newSeed();

    private volatile Slots slots = new Slots(LEAST_SLOTS);

    // Guarded by this.
    /** How many slots are not empty, those of removed entries included. */
    private int used;

    private volatile int size;

    /** Creates an empty one. */
    protected NameTable() {}

    /** What is in the slot of an entry that was removed: others may lie behind it. */
    private static final class Removed {}

    /** Where entries may be, each with its hash, which is written before it. Some slots are always empty. */
    private static final class Slots {
        final int[] hashes;
        final AtomicReferenceArray<@Nullable Object> entries;

        Slots(int length) {
            hashes = new int[length];
            entries = new AtomicReferenceArray<>(length);
        }

        int first(int hash) {
            return (int) (((hash & 0xFFFF_FFFFL) * hashes.length) >>> Integer.SIZE);
        }

        int next(int slot) {
            return slot + 1 == hashes.length ? 0 : slot + 1;
        }

        void set(int slot, int hash, Object entry) {
            hashes[slot] = hash;
            entries.setRelease(slot, entry);
        }
    }

    /** Whether an entry has this name. */
    protected abstract boolean isNamed(E entry, String name);

    /** The entry with a name, or null. */
    public final @Nullable E get(String name) {
        int hash = hash(name);
        Slots now = slots;
        int slot = now.first(hash);
        for (Object entry = now.entries.getAcquire(slot); entry != null; entry = now.entries.getAcquire(slot)) {
            if (now.hashes[slot] == hash && !(entry instanceof Removed) && isNamed(typed(entry), name)) {
                return typed(entry);
            }
            slot = now.next(slot);
        }
        return null;
    }

    /** Puts an entry in the place of the one with the same name, which is returned, or null if there is none. */
    public final synchronized @Nullable E put(String name, E entry) {
        int hash = hash(name);
        int slot = find(name, hash);
        if (slot >= 0) {
            E before = typed(slots.entries.getPlain(slot));
            slots.entries.setRelease(slot, entry);
            return before;
        }
        if ((used + 1) * 4L > slots.hashes.length * 3L) {
            rebuild();
        }
        if (addTo(slots, hash, entry)) {
            used++;
        }
        size++;
        return null;
    }

    /** Removes the entry with a name and returns it, or null if there is none. */
    public final synchronized @Nullable E remove(String name) {
        int slot = find(name, hash(name));
        if (slot < 0) {
            return null;
        }
        E before = typed(slots.entries.getPlain(slot));
        slots.entries.setRelease(slot, REMOVED);
        size--;
        if (size * 8L < slots.hashes.length && slots.hashes.length > LEAST_SLOTS) {
            rebuild();
        }
        return before;
    }

    /** How many entries there are. */
    public final int size() {
        return size;
    }

    /** All entries; what changes while they are looked at may be among them or not. */
    public final Collection<E> entries() {
        return new AbstractCollection<>() {
            @Override
            public Iterator<E> iterator() {
                return new Entries(slots.entries);
            }

            @Override
            public int size() {
                return size;
            }

            @Override
            public Spliterator<E> spliterator() { // of no certain size: it may change meanwhile
                return Spliterators.spliteratorUnknownSize(iterator(), Spliterator.CONCURRENT | Spliterator.NONNULL);
            }
        };
    }

    /** The slot of a name, or -1. */
    private int find(String name, int hash) {
        Slots now = slots;
        int slot = now.first(hash);
        for (Object entry = now.entries.getPlain(slot); entry != null; entry = now.entries.getPlain(slot)) {
            if (now.hashes[slot] == hash && !(entry instanceof Removed) && isNamed(typed(entry), name)) {
                return slot;
            }
            slot = now.next(slot);
        }
        return -1;
    }

    /** Puts an entry into the first slot that is free, and tells whether that was an empty one. */
    private static boolean addTo(Slots to, int hash, Object entry) {
        int slot = to.first(hash);
        Object known = to.entries.getPlain(slot);
        while (known != null && !(known instanceof Removed)) {
            slot = to.next(slot);
            known = to.entries.getPlain(slot);
        }
        to.set(slot, hash, entry);
        return known == null;
    }

    /** Half of the slots are empty then; readers go on with those that they have. */
    private void rebuild() {
        Slots old = slots;
        Slots next = new Slots(Math.max(LEAST_SLOTS, Math.toIntExact((size + 1) * 2L)));
        for (int i = 0; i < old.hashes.length; i++) {
            Object entry = old.entries.getPlain(i);
            if (entry != null && !(entry instanceof Removed)) {
                addTo(next, old.hashes[i], entry);
            }
        }
        used = size;
        slots = next;
    }

    /** This table's hash of a name. An entry with two names that have one hash would be found under either. */
    protected final int hash(String name) {
        return SecretHash.of(name, seed);
    }

    @SuppressWarnings("unchecked") // only entries are put into slots, and REMOVED, which is looked for before
    private E typed(@Nullable Object entry) {
        return (E) Objects.requireNonNull(entry);
    }

    private final class Entries implements Iterator<E> {
        private final AtomicReferenceArray<@Nullable Object> entries;
        private int at = -1;
        private @Nullable Object next;

        Entries(AtomicReferenceArray<@Nullable Object> entries) {
            this.entries = entries;
            advance();
        }

        private void advance() {
            next = null;
            while (next == null && ++at < entries.length()) {
                Object entry = entries.getAcquire(at);
                next = entry instanceof Removed ? null : entry;
            }
        }

        @Override
        public boolean hasNext() {
            return next != null;
        }

        @Override
        public E next() {
            if (next == null) {
                throw new NoSuchElementException();
            }
            E entry = typed(next);
            advance();
            return entry;
        }
    }
}
