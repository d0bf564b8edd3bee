/** An item that becomes due at a time. */
export class Entry {
  readonly due: number;
  /** Order among items of the same time. */
  readonly order: number;
  readonly callback: () => void;
  /** Index in the heap; −1 while the item is not queued. */
  place = -1;

  constructor(due: number, order: number, callback: () => void) {
    this.due = due;
    this.order = order;
    this.callback = callback;
  }

  isBefore(other: Entry): boolean {
    return (this.due - other.due || this.order - other.order) < 0;
  }
}

/**
 * Priority queue by time. Items of the same time keep their order. The queue is a binary heap, because thousands of
 * calls wait in it.
 */
export class Agenda {
  readonly #heap: Entry[] = [];
  #added = 0;

  first(): Entry | undefined {
    return this.#heap[0];
  }

  add(due: number, callback: () => void): Entry {
    this.#added += 1;
    const entry = new Entry(due, this.#added, callback);
    this.#rise(entry, this.#heap.length);
    return entry;
  }

  /** Removes an item. An item that is not queued is ignored. */
  remove(entry: Entry): void {
    const { place } = entry;
    if (this.#heap[place] !== entry) return;
    entry.place = -1;
    const last = this.#heap.pop();
    if (last === undefined || last === entry) return;
    this.#rise(last, place);
    this.#sink(last, last.place);
  }

  #put(entry: Entry, place: number): void {
    this.#heap[place] = entry;
    entry.place = place;
  }

  /** Sifts an item up from this index. */
  #rise(entry: Entry, from: number): void {
    let place = from;
    while (place > 0) {
      const above = this.#heap[(place - 1) >> 1];
      if (above === undefined || above.isBefore(entry)) break;
      this.#put(above, place);
      place = (place - 1) >> 1;
    }
    this.#put(entry, place);
  }

  /** Sifts an item down from this index. */
  #sink(entry: Entry, from: number): void {
    let place = from;
    for (;;) {
      const left = this.#heap[2 * place + 1];
      const right = this.#heap[2 * place + 2];
      const below = left !== undefined && right?.isBefore(left) === true ? right : left;
      if (below === undefined || entry.isBefore(below)) break;
      const next = below.place;
      this.#put(below, place);
      place = next;
    }
    this.#put(entry, place);
  }
}
