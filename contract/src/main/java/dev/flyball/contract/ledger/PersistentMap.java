package dev.flyball.contract.ledger;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An immutable map that shares the unchanged parts (a hash trie of 32-way branches), so that a fold
 * step costs the same with ten and with a hundred thousand entries. The order of iteration depends
 * only on the keys' hashes.
 */
final class PersistentMap<K, V> {
  private static final int BITS = 5;
  private static final PersistentMap<?, ?> EMPTY = new PersistentMap<>(null, 0);

  private final @Nullable Node<K, V> root;
  private final int size;

  private PersistentMap(@Nullable Node<K, V> root, int size) {
    this.root = root;
    this.size = size;
  }

  @SuppressWarnings("unchecked")
  static <K, V> PersistentMap<K, V> empty() {
    return (PersistentMap<K, V>) EMPTY;
  }

  int size() {
    return size;
  }

  @Nullable V get(K key) {
    Node<K, V> node = root;
    int hash = spread(key);
    for (int shift = 0; node != null; shift += BITS) {
      switch (node) {
        case Leaf<K, V> leaf -> {
          return leaf.get(hash, key);
        }
        case Branch<K, V> branch -> node = branch.child(hash >>> shift & 31);
      }
    }
    return null;
  }

  PersistentMap<K, V> with(K key, V value) {
    boolean grows = get(key) == null;
    int hash = spread(key);
    var added = new Leaf<>(hash, key, value, null);
    return new PersistentMap<>(put(root, added, 0), grows ? size + 1 : size);
  }

  PersistentMap<K, V> without(K key) {
    if (get(key) == null) {
      return this;
    }
    return new PersistentMap<>(remove(root, spread(key), key, 0), size - 1);
  }

  void forEach(BiConsumer<? super K, ? super V> visitor) {
    visit(root, visitor);
  }

  /** Receives a key whose value changed; null if the key was removed. */
  interface Change<K, V> {
    void accept(K key, @Nullable V value);
  }

  /**
   * Visits every key whose value differs from that in {@code older}. Where the two share the rest,
   * the cost is in proportion to the change.
   */
  void changes(PersistentMap<K, V> older, Change<? super K, ? super V> visitor) {
    differ(older.root, root, older, visitor);
  }

  // The same node is the same subtree; comparing its values would cost what this comparison saves.
  @SuppressWarnings("ReferenceEquality")
  private void differ(
      @Nullable Node<K, V> was,
      @Nullable Node<K, V> now,
      PersistentMap<K, V> older,
      Change<? super K, ? super V> visitor) {
    if (was == now) {
      return;
    }
    if (was instanceof Branch<K, V> before && now instanceof Branch<K, V> after) {
      for (int at = 0; at < 1 << BITS; at++) {
        differ(before.child(at), after.child(at), older, visitor);
      }
      return;
    }
    visit(
        was,
        (key, value) -> {
          if (get(key) == null) {
            visitor.accept(key, null);
          }
        });
    visit(
        now,
        (key, value) -> {
          if (!value.equals(older.get(key))) {
            visitor.accept(key, value);
          }
        });
  }

  List<V> values() {
    var values = new ArrayList<V>(size);
    forEach((key, value) -> values.add(value));
    return values;
  }

  /** Whether any value is so; looks no further than the first one. */
  boolean any(Predicate<? super V> so) {
    return any(root, so);
  }

  private static <K, V> boolean any(@Nullable Node<K, V> node, Predicate<? super V> so) {
    return switch (node) {
      case null -> false;
      case Leaf<K, V> leaf -> so.test(leaf.value) || (leaf.next != null && any(leaf.next, so));
      case Branch<K, V> branch -> {
        boolean found = false;
        for (int at = 0; !found && at < branch.children.size(); at++) {
          found = any(branch.children.get(at), so);
        }
        yield found;
      }
    };
  }

  private static int spread(Object key) {
    int hash = key.hashCode();
    return hash ^ hash >>> 16;
  }

  private static <K, V> Node<K, V> put(@Nullable Node<K, V> node, Leaf<K, V> added, int shift) {
    return switch (node) {
      case null -> added;
      case Leaf<K, V> leaf when leaf.hash == added.hash -> leaf.with(added.key, added.value);
      case Leaf<K, V> leaf ->
          put(new Branch<K, V>().with(leaf.hash >>> shift & 31, leaf), added, shift);
      case Branch<K, V> branch -> {
        int at = added.hash >>> shift & 31;
        yield branch.with(at, put(branch.child(at), added, shift + BITS));
      }
    };
  }

  private static <K, V> @Nullable Node<K, V> remove(
      @Nullable Node<K, V> node, int hash, K key, int shift) {
    return switch (node) {
      case null -> null;
      case Leaf<K, V> leaf -> leaf.without(key);
      case Branch<K, V> branch -> {
        int at = hash >>> shift & 31;
        yield branch.with(at, remove(branch.child(at), hash, key, shift + BITS)).collapsed();
      }
    };
  }

  private static <K, V> void visit(
      @Nullable Node<K, V> node, BiConsumer<? super K, ? super V> visitor) {
    switch (node) {
      case null -> {}
      case Leaf<K, V> leaf -> {
        for (Leaf<K, V> each = leaf; each != null; each = each.next) {
          visitor.accept(each.key, each.value);
        }
      }
      case Branch<K, V> branch -> branch.children.forEach(child -> visit(child, visitor));
    }
  }

  private sealed interface Node<K, V> {}

  /** One entry; keys with the same hash are chained. */
  private record Leaf<K, V>(int hash, K key, V value, @Nullable Leaf<K, V> next)
      implements Node<K, V> {
    @Nullable V get(int wantedHash, K wanted) {
      if (hash != wantedHash) {
        return null;
      }
      for (Leaf<K, V> each = this; each != null; each = each.next) {
        if (each.key.equals(wanted)) {
          return each.value;
        }
      }
      return null;
    }

    Leaf<K, V> with(K newKey, V newValue) {
      return new Leaf<>(hash, newKey, newValue, without(newKey));
    }

    @Nullable Leaf<K, V> without(K gone) {
      if (key.equals(gone)) {
        return next;
      }
      return next == null ? this : new Leaf<>(hash, key, value, next.without(gone));
    }
  }

  /** Up to 32 children, packed; each bit of {@code bits} marks a child that exists. */
  private record Branch<K, V>(int bits, List<Node<K, V>> children) implements Node<K, V> {
    Branch() {
      this(0, List.of());
    }

    @Nullable Node<K, V> child(int at) {
      return (bits >>> at & 1) == 0 ? null : children.get(index(at));
    }

    Branch<K, V> with(int at, @Nullable Node<K, V> child) {
      boolean present = (bits >>> at & 1) != 0;
      if (child == null && !present) {
        return this;
      }
      var changed = new ArrayList<Node<K, V>>(children.size() + 1);
      changed.addAll(children);
      if (child == null) {
        changed.remove(index(at));
        return new Branch<>(bits & ~(1 << at), changed);
      }
      if (present) {
        changed.set(index(at), child);
      } else {
        changed.add(index(at), child);
      }
      return new Branch<>(bits | 1 << at, changed);
    }

    @Nullable Node<K, V> collapsed() {
      if (children.isEmpty()) {
        return null;
      }
      return children.size() == 1 && children.getFirst() instanceof Leaf<K, V> only ? only : this;
    }

    private int index(int at) {
      return Integer.bitCount(bits & (1 << at) - 1);
    }
  }
}
