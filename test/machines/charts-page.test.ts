/** The page about the charts says what the charts say. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { deliveryMachine } from '#machines/delivery.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import { trunkMachine } from '#machines/trunk-life.ts';
import { voicemailMachine } from '#machines/voicemail.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('machines/charts.md', root), 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, body]) => body ?? '');

/** The parts of a state node that are compared. */
type Node = {
  key: string;
  description?: string | undefined;
  states: Record<string, Node>;
};

const descendants = (node: Node): Node[] =>
  Object.values(node.states).flatMap((child) => [child, ...descendants(child)]);

const charts = [
  callMachine,
  conversationMachine,
  voicemailMachine,
  lineLifeMachine,
  trunkMachine,
  deliveryMachine,
].map(({ root }): Node => root);

test('every state has a description of one sentence', (t) => {
  for (const machine of charts)
    for (const { key, description } of [machine, ...descendants(machine)])
      t.regex(description ?? '', /^[A-Z"][^.]*\.$/, `the description of ${key}`);
});

test('no chart has more than four levels of states', (t) => {
  const levels = ({ states }: Node): number =>
    Math.max(0, ...Object.values(states).map((one) => 1 + levels(one)));
  t.deepEqual(charts.map(levels), [4, 2, 1, 2, 2, 1]);
});

test('the example on the page is the test that runs', (t) => {
  t.deepEqual(blocks('ts'), [readFileSync(new URL('test/machines/example.test.ts', root), 'utf8')]);
});

test('every fact is on the page', (t) => {
  const source = readFileSync(new URL('machines/facts.ts', root), 'utf8');
  const facts = [...source.matchAll(/type: '([\w.]+)'/g)].map(([, type]) => type ?? '');
  t.true(facts.length > 5);
  for (const fact of facts) t.regex(page, new RegExp(`^\\| \`${fact}\``, 'm'));
});
