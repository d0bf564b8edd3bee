/** Drawings of the charts on the pages of the repository. */
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { setup } from 'xstate';
import { getStateNodes } from 'xstate/graph';
import { callMachine } from '#machines/call.ts';
import { mermaid } from '#src/charts/mermaid.ts';
import { drawingsOfPages, withDrawings } from '#src/charts/pages.ts';
import { stateGraph } from '#src/charts/state-graph.ts';

const small = setup({ guards: { isTired: () => true }, delays: { nap: 10 } }).createMachine({
  id: 'small',
  initial: 'awake',
  on: { alarm: '.awake' },
  states: {
    awake: { on: { yawn: { guard: 'isTired', target: 'asleep' }, sleep: 'asleep', leave: 'gone' } },
    asleep: {
      initial: 'half-asleep',
      after: { nap: 'awake' },
      states: { 'half-asleep': { always: { guard: 'isTired', target: 'awake' } }, awake: {} },
    },
    gone: { type: 'final' },
  },
});

test('a drawing has every state in its place, and every arrow with what leads along it', (t) => {
  t.is(
    mermaid(stateGraph(small)),
    `stateDiagram-v2
  state "(any)" as any
  awake
  [*] --> awake
  state asleep {
    state "half-asleep" as half_asleep
    [*] --> half_asleep
    state "awake" as asleep_awake
    half_asleep --> asleep_awake: [isTired]
  }
  gone
  any --> awake: alarm
  awake --> asleep: yawn [isTired], sleep
  awake --> gone: leave
  asleep --> awake: after nap
  gone --> [*]
`,
  );
});

test('a drawing without labels has the same arrows', (t) => {
  const graph = stateGraph(callMachine);
  const arrows = (drawing: string): number => drawing.match(/\w --> \w/g)?.length ?? 0;
  t.is(arrows(mermaid(graph, { withLabels: false })), graph.arrows.length);
  t.false(mermaid(graph, { withLabels: false }).includes(': '));
});

test('no state of the call is left out', (t) => {
  const drawing = mermaid(stateGraph(callMachine));
  for (const { key } of getStateNodes(callMachine))
    t.regex(drawing, new RegExp(`^ *(state )?"?${key}"?( |$)`, 'm'), key);
});

for (const [path, drawings] of Object.entries(drawingsOfPages))
  test(`the drawings on ${path} are those of the charts (npm run generate-charts)`, async (t) => {
    const page = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    t.is(withDrawings(page, drawings), page);
    t.is(page.split('```mermaid').length - 1, drawings.length);
  });

test('a page that has another number of drawings is not written', (t) => {
  const page = '```mermaid\nold\n```\ntext\n';
  t.is(withDrawings(page, ['new\n']), '```mermaid\nnew\n```\ntext\n');
  t.throws(() => withDrawings(page, []), { message: /more drawings/ });
  t.throws(() => withDrawings(page, ['one\n', 'two\n']), { message: /no place/ });
});
