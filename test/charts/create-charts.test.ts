import test from 'ava';
import { setup } from 'xstate';
import { getStateNodes } from 'xstate/graph';
import { callMachine } from '#machines/call.ts';
import { conversationMachine } from '#machines/conversation.ts';
import { createCharts } from '#src/charts/create-charts.ts';
import { stateGraph } from '#src/charts/state-graph.ts';

const small = setup({ guards: { isTired: () => true }, delays: { nap: 10 } }).createMachine({
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

test('a chart becomes boxes and arrows', (t) => {
  const { root, arrows } = stateGraph(small);
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

test('the picture of a chart holds every state once, is escaped, and is drawn once', async (t) => {
  const charts = createCharts({ call: callMachine, conversation: conversationMachine, small });
  for (const [name, machine] of [
    ['call', callMachine],
    ['conversation', conversationMachine],
  ] as const) {
    const picture = await charts(name);
    const drawn = [...picture.matchAll(/data-state="([^"]*)"/g)].map(([, id = '']) => id);
    const states = getStateNodes(machine).map(({ path }) => path.join('.'));
    t.deepEqual(drawn.toSorted(), ['', ...states].toSorted(), name);
    t.is(charts(name), charts(name));
    t.false(/style|fill=|<script/.test(picture));
  }
  t.true((await charts('small')).includes('<title>Eyes &quot;open&quot; &amp; wide.</title>'));
});
