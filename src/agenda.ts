/** One thing that is due at a moment. */
export class Entry {
  readonly due: number;
  /** Which of the same moment comes first. */
  readonly order: number;
  readonly callback: () => void;

  constructor(due: number, order: number, callback: () => void) {
    this.due = due;
    this.order = order;
    this.callback = callback;
  }

  isBefore(other: Entry): boolean {
    return (this.due - other.due || this.order - other.order) < 0;
  }
}

/** What is due when: sorted by the moment; of the same moment, what was added first comes first. */
export type Agenda = {
  first(): Entry | undefined;
  add(due: number, callback: () => void): Entry;
  /** One that is not on it any more is none of its business. */
  remove(entry: Entry): void;
};

export const createAgenda = (): Agenda => {
  const entries: Entry[] = [];
  let added = 0;

  /** Where it stands, or would stand. */
  const placeOf = (entry: Entry): number => {
    let low = 0;
    let high = entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (entries[middle]?.isBefore(entry) === true) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  return {
    first: () => entries[0],
    add(due, callback) {
      added += 1;
      const entry = new Entry(due, added, callback);
      entries.splice(placeOf(entry), 0, entry);
      return entry;
    },
    remove(entry) {
      const place = placeOf(entry);
      if (entries[place] === entry) entries.splice(place, 1);
    },
  };
};
