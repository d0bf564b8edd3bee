import test from 'ava';
import { createMachine, type AnyStateMachine } from 'xstate';
import { z } from 'zod';
import { chartDefinition } from '#src/charts/chart-definition.ts';
import { callCharts } from '#src/charts/create-charts.ts';
import { stateGraph } from '#src/charts/state-graph.ts';

const charts: [string, AnyStateMachine][] = Object.entries(callCharts);

const namesIn = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [value];
  return Object.values(value).flatMap(namesIn);
};

test('a machine that is made of the definition of a chart has its states and arrows', (t) => {
  for (const [name, machine] of charts) {
    const { version, ...definition } = z
      .looseObject({ version: z.string() })
      .parse(JSON.parse(chartDefinition(machine, 'abcdef012345')));
    t.is(version, 'abcdef012345');
    t.deepEqual(stateGraph(createMachine(definition)), stateGraph(machine), name);
  }
});

test('no action, guard, delay or actor of a chart is lost in its definition: each has a name', (t) => {
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
