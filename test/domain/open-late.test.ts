import test from 'ava';
import { openLate } from '#src/domain/open-late.ts';

const world = () => {
  const events: string[] = [];
  const late = openLate(
    async () => {
      events.push('opened');
      return 'something';
    },
    async (opened) => void events.push(`closed ${opened}`),
  );
  return { events, late };
};

test('opens at the first use, once, and closes what it opened', async (t) => {
  const { events, late } = world();
  t.deepEqual(events, []);
  t.deepEqual(await Promise.all([late.get(), late.get()]), ['something', 'something']);
  await late.close();
  t.deepEqual(events, ['opened', 'closed something']);
});

test('opens nothing to close it, and rejects a first use after that', async (t) => {
  const { events, late } = world();
  await late.close();
  await t.throwsAsync(late.get(), { message: /closed/ });
  t.deepEqual(events, []);
});
