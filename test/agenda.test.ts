import test from 'ava';
import * as fc from 'fast-check';
import { Agenda } from '#src/agenda.ts';

const nothing = (): void => {};

test('returns entries by due time, and entries with equal times in insertion order', (t) => {
  fc.assert(
    fc.property(fc.array(fc.record({ due: fc.integer({ min: 0, max: 9 }), stays: fc.boolean() })), (all) => {
      const agenda = new Agenda();
      const added = all.map(({ due, stays }) => ({ entry: agenda.add(due, nothing), stays }));
      for (const { entry, stays } of added) if (!stays) agenda.remove(entry);
      const left = added.filter(({ stays }) => stays).map(({ entry }) => entry);
      for (const entry of left.toSorted((one, other) => one.due - other.due)) {
        t.is(agenda.first(), entry);
        agenda.remove(entry);
      }
      t.is(agenda.first(), undefined);
    }),
  );
});

test('ignores the removal of a missing entry', (t) => {
  const agenda = new Agenda();
  const gone = agenda.add(1, nothing);
  agenda.remove(gone);
  const other = agenda.add(1, nothing);
  agenda.remove(gone);
  t.is(agenda.first(), other);
});
