/** Charts: definitions, factories and drawings. */
import { readFile } from 'node:fs/promises';
import test from 'ava';
import { type AnyStateMachine, createMachine, setup } from 'xstate';
import { getStateNodes } from 'xstate/graph';
import { z } from 'zod';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { chartDefinition, callCharts, createChartDrawings } from '#src/charts/chart-drawings.ts';
import { drawChart } from '#src/charts/draw-chart.ts';
import { mermaid } from '#src/charts/mermaid.ts';
import { drawingsOfPages, withDrawings } from '#src/charts/pages.ts';
import { stateGraph } from '#src/charts/state-graph.ts';
import { chartNames } from '#src/domain/chart-name.ts';

// Chart definition

const charts: [string, AnyStateMachine][] = Object.entries(callCharts);

const namesIn = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [value];
  return Object.values(value).flatMap(namesIn);
};

test('builds a machine with the states and transitions of its chart definition', (t) => {
  for (const [name, machine] of charts) {
    const { version, ...definition } = z
      .looseObject({ version: z.string() })
      .parse(JSON.parse(chartDefinition(machine, 'abcdef012345')));
    t.is(version, 'abcdef012345');
    t.deepEqual(stateGraph(createMachine(definition)), stateGraph(machine), name);
  }
});

test('has an implementation name for every action, guard, delay and actor in the definition of a chart', (t) => {
  for (const [name, machine] of charts) {
    const definition: unknown = JSON.parse(chartDefinition(machine, 'v'));
    t.false(namesIn(definition).includes(null), name);
    const code: string[] = [];
    const look = (value: unknown, path: string): void => {
      if (typeof value === 'function') code.push(path);
      if (typeof value !== 'object' || value === null) return;
      for (const [key, inner] of Object.entries(value)) look(inner, `${path}.${key}`);
    };
    look(machine.config, name);
    t.deepEqual(
      code.filter((path) => !/\.(context|output|input|params)$/.test(path)),
      [],
    );
  }
});

// Create charts

const createChartsSmall = setup({ guards: { isTired: () => true }, delays: { nap: 10 } }).createMachine({
  id: 'small',
  initial: 'awake',
  states: {
    awake: {
      description: 'Eyes "open" & wide.',
      on: { yawn: { guard: 'isTired', target: 'asleep' }, blink: {}, sleep: 'asleep' },
    },
    asleep: {
      initial: 'light',
      after: { nap: 'awake' },
      states: { light: { always: { guard: 'isTired', target: 'deep' } }, deep: {} },
    },
  },
});

test.serial('draws a chart as boxes and arrows', (t) => {
  const { root, arrows } = stateGraph(createChartsSmall);
  t.deepEqual(
    root.children.map(({ id, isInitial }) => [id, isInitial]),
    [
      ['awake', true],
      ['asleep', false],
    ],
  );
  t.deepEqual(
    root.children[1]?.children.map(({ id }) => id),
    ['asleep.light', 'asleep.deep'],
  );
  t.deepEqual(
    arrows.toSorted((a, b) => a.from.localeCompare(b.from)),
    [
      { from: 'asleep', to: 'awake', labels: ['after nap'] },
      { from: 'asleep.light', to: 'asleep.deep', labels: ['[isTired]'] },
      { from: 'awake', to: 'asleep', labels: ['yawn [isTired]', 'sleep'] },
    ],
  );
});

test.serial('chart drawings are up to date (else run `npm run generate-charts`)', async (t) => {
  const drawing = createChartDrawings();
  for (const name of chartNames)
    t.is(await drawing(name), await drawChart(stateGraph(callCharts[name])), name);
});

test.serial('draws every state of a chart once, with escaped names', async (t) => {
  const charts = createChartDrawings();
  for (const [name, machine] of [
    ['call', callMachine],
    ['conversation', conversationMachine],
  ] as const) {
    const picture = await charts(name);
    const drawn = [...picture.matchAll(/data-state="([^"]*)"/g)].map(([, id = '']) => id);
    const states = getStateNodes(machine).map(({ path }) => path.join('.'));
    t.deepEqual(drawn.toSorted(), ['', ...states].toSorted(), name);
    t.false(/style|fill=|<script/.test(picture));
  }
  t.true(
    (await drawChart(stateGraph(createChartsSmall))).includes(
      '<title>Eyes &quot;open&quot; &amp; wide.</title>',
    ),
  );
});

// Mermaid
// Drawings of the charts on the pages of the repository.

const mermaidSmall = setup({ guards: { isTired: () => true }, delays: { nap: 10 } }).createMachine({
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

test.serial('draws every state at its place and every transition with its trigger', (t) => {
  t.is(
    mermaid(stateGraph(mermaidSmall)),
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

test.serial('draws the same arrows without labels', (t) => {
  const graph = stateGraph(callMachine);
  const arrows = (drawing: string): number => drawing.match(/\w --> \w/g)?.length ?? 0;
  t.is(arrows(mermaid(graph, { withLabels: false })), graph.arrows.length);
  t.false(mermaid(graph, { withLabels: false }).includes(': '));
});

test.serial('draws every state of the call chart', (t) => {
  const drawing = mermaid(stateGraph(callMachine));
  for (const { key } of getStateNodes(callMachine))
    t.regex(drawing, new RegExp(`^ *(state )?"?${key}"?( |$)`, 'm'), key);
});

for (const [path, drawings] of Object.entries(drawingsOfPages))
  test.serial(`the drawings on ${path} are up to date (npm run generate-charts)`, async (t) => {
    const page = await readFile(new URL(`../../${path}`, import.meta.url), 'utf8');
    t.is(withDrawings(page, drawings), page);
    t.is(page.split('```mermaid').length - 1, drawings.length);
  });

test.serial('rejects a page with a wrong number of drawings', (t) => {
  const page = '```mermaid\nold\n```\ntext\n';
  t.is(withDrawings(page, ['new\n']), '```mermaid\nnew\n```\ntext\n');
  t.throws(() => withDrawings(page, []), { message: /more drawings/ });
  t.throws(() => withDrawings(page, ['one\n', 'two\n']), { message: /no place/ });
});
