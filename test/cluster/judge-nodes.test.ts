import test from 'ava';
import { createNodeJudge, numbersWithoutLines } from '#src/cluster/judge-nodes.ts';
import type { OtherNode } from '#src/persistence/nodes.ts';

const numbers = { looksWithoutSession: 3, looksOfLease: 10, looksOfLost: 0 };

const other = (changes: Partial<OtherNode> = {}): OtherNode => ({
  name: 'other',
  instance: 'first',
  seenAt: new Date(1_000),
  isLost: false,
  hasSession: true,
  ...changes,
});

/** How many looks it takes until the other is dead; `undefined` when it lives through all of them. */
const looksUntilDead = (nodes: readonly OtherNode[], by = numbers): number | undefined => {
  const judge = createNodeJudge(by);
  const index = nodes.findIndex((node) => judge.look([node]).length > 0);
  return index === -1 ? undefined : index + 1;
};

const looks = (count: number, node: (index: number) => Partial<OtherNode>): OtherNode[] =>
  Array.from({ length: count }, (_, index) => other(node(index)));

test('one whose session is gone is dead after three looks that show the same', (t) => {
  t.is(looksUntilDead(looks(8, () => ({ hasSession: false }))), 4);
});

test('one that renews its row lives, with or without a session', (t) => {
  t.is(looksUntilDead(looks(40, (index) => ({ hasSession: false, seenAt: new Date(index) }))), undefined);
});

test('one whose session comes back lives, although it was gone for two looks', (t) => {
  t.is(looksUntilDead(looks(9, (index) => ({ hasSession: index % 3 === 2 }))), undefined);
});

test('one with a session that says nothing is dead when its lease is over', (t) => {
  t.is(looksUntilDead(looks(12, () => ({}))), 11);
});

test('one that was started anew is another one', (t) => {
  t.is(
    looksUntilDead(looks(9, (index) => ({ hasSession: false, instance: `run ${index >> 1}` }))),
    undefined,
  );
});

test('one that was found dead before stays so for everybody', (t) => {
  t.is(looksUntilDead([other({ isLost: true })]), 1);
});

test('a gateway without lines leaves a dead one to others for as long as a lease lasts', (t) => {
  const patient = numbersWithoutLines(numbers);
  t.is(
    looksUntilDead(
      looks(12, () => ({ hasSession: false })),
      patient,
    ),
    11,
  );
  t.is(
    looksUntilDead(
      looks(12, () => ({ hasSession: false, isLost: true })),
      patient,
    ),
    11,
  );
});

test('whoever saw nothing for a while begins to count anew: an old row is no dead gateway', (t) => {
  const judge = createNodeJudge(numbers);
  const silent = other({ hasSession: false });
  for (let round = 0; round < 5; round += 1) {
    for (let look = 0; look < 3; look += 1) t.deepEqual(judge.look([silent]), []);
    judge.blink();
  }
});
