/** The page about the charts says what the charts say. */
import { readFileSync } from 'node:fs';
import test from 'ava';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { deliveryMachine } from '#machines/delivery.ts';
import { lineLifeMachine } from '#machines/line-life.ts';
import { trunkMachine } from '#machines/trunk.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('machines/README.md', root), 'utf8');

const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\`$`, 'gms'))].map(([, body]) => body ?? '');

/** The parts of a state node that are compared. */
type Node = {
  key: string;
  description?: string | undefined;
  states: Record<string, Node>;
  transitions: Map<string, readonly { target: readonly unknown[] | undefined }[]>;
};

const descendants = (node: Node): Node[] =>
  Object.values(node.states).flatMap((child) => [child, ...descendants(child)]);

/** `xstate.after.ringTimeout.call.ringing` is drawn as `ringTimeout`, a child's end as `check done` or `line crashed`. */
const drawnAs = (event: string): string =>
  event
    .replace(/^xstate\.after\.(\w+)\..*$/, '$1')
    .replace(/^xstate\.error\.actor\.(\w+)$/, '$1 (crashed|failed)')
    .replace(/^xstate\.done\.actor\.(\w+)$/, '$1 done');

const drawing = test.macro<[Node, number]>({
  exec(t, machine, index) {
    const chart = blocks('mermaid')[index] ?? '';
    const drawn = (name: string): boolean => new RegExp(`(^|\\W)${name}($|\\W)`, 'm').test(chart);
    const nodes = descendants(machine);
    t.true(nodes.length >= 5);
    for (const { key } of nodes) {
      t.true(drawn(key), `${key} is not drawn`);
      const id = key.replaceAll('-', '_');
      t.regex(chart, new RegExp(`--> ${id}\\b`), `nothing leads to ${key}`);
    }
    for (const node of [machine, ...nodes])
      for (const [event, transitions] of node.transitions)
        if (transitions.some(({ target }) => target !== undefined))
          t.true(
            drawn(drawnAs(event).replaceAll('.', '\\.')),
            `${drawnAs(event)} of ${node.key} is not drawn`,
          );
  },
  title: (_, machine) =>
    `the drawing of "${machine.key}" shows every state and every event that leads to one`,
});

const charts = [
  callMachine.root,
  conversationMachine.root,
  lineLifeMachine.root,
  trunkMachine.root,
  deliveryMachine.root,
];

test(drawing, callMachine.root, 0);
test(drawing, conversationMachine.root, 1);
test(drawing, lineLifeMachine.root, 2);
test(drawing, trunkMachine.root, 3);
test(drawing, deliveryMachine.root, 4);

test('a drawing shows no state that the chart has not', (t) => {
  for (const [index, machine] of charts.entries()) {
    const names = new Set(descendants(machine).map(({ key }) => key.replaceAll('-', '_')));
    const ends = [...(blocks('mermaid')[index] ?? '').matchAll(/^\s*(\w+) --> (\w+)/gm)];
    t.true(ends.length > 8);
    for (const name of ends.flatMap(([, from, to]) => [from ?? '', to ?? '']))
      t.true(names.has(name), `${name} is no state of ${machine.key}`);
  }
});

test('every state has a description of one sentence', (t) => {
  for (const machine of charts)
    for (const { key, description } of [machine, ...descendants(machine)])
      t.regex(description ?? '', /^[A-Z"][^.]*\.$/, `the description of ${key}`);
});

test('no chart has more than two levels of states', (t) => {
  for (const machine of charts)
    for (const outer of descendants(machine).filter(({ key }) => Object.hasOwn(machine.states, key)))
      for (const inner of Object.values(outer.states)) t.deepEqual(Object.keys(inner.states), []);
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
