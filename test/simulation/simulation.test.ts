import { settle } from './determinism.ts';
import test from 'ava';
import { planOfStory, play, someKills } from './kills.ts';
import { calmPlan, type HolderWrite, type Plan } from './plan.ts';
import type { Postgres } from './postgres.ts';
import { runSeed, startPostgres } from './run-seed.ts';

let postgres: Postgres;

test.before('a database is started', async () => {
  postgres = await startPostgres();
  await settle();
});

test.serial('whatever goes wrong in the first seeds, every rule holds', async (t) => {
  for (let seed = 1; seed <= 5; seed += 1) {
    const { violations, calls } = await runSeed(seed, postgres);
    t.deepEqual(violations, [], `npm run simulate -- --seed ${seed}`);
    t.true(calls > 0);
  }
});

test.serial('a seed that is run twice gives the same journal, byte for byte', async (t) => {
  for (const seed of [3, 7]) {
    const once = await runSeed(seed, postgres);
    const twice = await runSeed(seed, postgres);
    t.true(once.lines.length > 100);
    t.deepEqual(twice.lines, once.lines);
  }
});

/** Two gateways with calls to a callee who talks, without faults. */
const calm: Plan = {
  ...calmPlan(1),
  nodes: ['north', 'south'],
  calls: [500, 600, 700, 800, 900, 1_000].map((atMs) => ({
    atMs,
    to: '01000000001',
    hangUpAfterMs: null,
    immediate: false,
  })),
  faultyMs: 15_000,
  afterMs: 1_000,
};

const planted = test.macro<[Plan, (text: string) => string, RegExp]>(async (t, plan, mistake, finding) => {
  t.deepEqual((await runSeed(1, postgres, plan)).violations, []);
  postgres.planted = mistake;
  t.teardown(() => (postgres.planted = (text) => text));
  const { violations } = await runSeed(1, postgres, plan);
  t.true(
    violations.some((violation) => finding.test(violation)),
    violations.join('\n'),
  );
});

test.serial(
  'a mistake that is planted is found: the end of a call has no event',
  planted,
  calm,
  (text) =>
    text.includes('"forgotten" as (delete from "call_revival"')
      ? text.replace('= "changed"."workspace_id" returning', '= "changed"."workspace_id" and false returning')
      : text,
  /no event of its end/,
);

test.serial(
  'a mistake that is planted is found: who takes a call over goes by its wall clock, which is set',
  planted,
  {
    ...calm,
    clockSteps: [{ atMs: 100, node: 'south', byMs: 1_800_000 }],
    ends: [{ atMs: 6_000, node: 'north', by: 'SIGKILL', restartAfterMs: 20_000 }],
  },
  (text) => text.replaceAll('"takenRevivals"."ahead_ms"', 'null::float8'),
  /is said to have lasted/,
);

test.serial(
  'a mistake that is planted is found: who takes a call over does not count up its epoch',
  planted,
  { ...calm, ends: [{ atMs: 6_000, node: 'north', by: 'SIGKILL', restartAfterMs: 20_000 }] },
  (text) => text.replaceAll('"call"."epoch" + 1', '"call"."epoch" + 0'),
  /more often than its epoch says/,
);

/** A gateway is frozen until its calls are taken over, and then sends a pending write of one of them. */
const frozen = (before: HolderWrite): Plan => ({
  ...calm,
  freezes: [{ before, count: 10, afterTakingMs: 7 }],
});

test.serial(
  'a mistake that is planted is found: a gateway writes a fact of a call that another one has taken',
  planted,
  frozen('insert call_fact'),
  (text) => text.replaceAll(/"call"\."epoch" = (\$\d+)/g, '$1::int is not null'),
  /wrote of a call that another one held: \{"what":"fact"/,
);

test.serial(
  'a mistake that is planted is found: a gateway stores the progress of a call that another one has taken',
  planted,
  frozen('update call_revival'),
  (text) => text.replaceAll('"call_revival"."epoch" = "given"."epoch"', 'true'),
  /wrote of a call that another one held: \{"what":"progress"/,
);

test.serial(
  'a mistake that is planted is found: two persons who talk with each other are torn apart by a death',
  planted,
  {
    ...planOfStory('transferred at once'),
    nodes: ['north', 'south'],
    ends: [{ atMs: 8_000, node: 'north', by: 'SIGKILL', restartAfterMs: 20_000 }],
  },
  (text) => text.replace('"fact"."data" as', `"fact"."data" - 'recorded' as`),
  /were torn apart/,
);

test.serial(
  'a mistake that is planted is found: a person who is to be rung no longer is rung on',
  async (t) => {
    const plan = planOfStory('nobody takes a transfer, and the call ends');
    t.deepEqual((await runSeed(1, postgres, plan)).violations, []);
    const { violations } = await runSeed(1, postgres, { ...plan, deafTo: ['cancelTransfer'] });
    t.true(
      violations.some((violation) => /a person was rung for/.test(violation)),
      violations.join('\n'),
    );
  },
);

const isOfTransfer = (story: string): boolean => story.includes('transfer');

const killed = test.macro<[(story: string) => boolean, string[]]>(async (t, isWanted, states) => {
  const kills = await someKills(postgres, isWanted);
  const visited = new Set<string>();
  for (const kill of kills) {
    const { violations, coverage } = await play(kill, postgres);
    t.deepEqual(violations, [], `npm run test:chaos -- --only '${kill.name}'`);
    t.true(coverage.size > 0, `nobody died: ${kill.name}`);
    for (const pair of coverage.keys()) visited.add(pair.split(' × ')[0] ?? '');
  }
  for (const state of states) t.true(visited.has(state), `nobody died in ${state}`);
});

test.serial(
  'a gateway is killed at steps of the chart of a call, and every rule holds',
  killed,
  (story) => !isOfTransfer(story),
  ['ringing.alerting', 'active.talking.conversing', 'active.talking.hangup-pending', 'active.ending'],
);

const transferring = (...names: readonly string[]): string[] =>
  names.map((name) => `active.talking.transferring.${name}`);

// `connecting` and `recalling` take no time on a simulated line: `npm run test:chaos` kills at their very beginning.
test.serial(
  'a gateway is killed at steps of a transfer that connects, and every rule holds',
  killed,
  (story) => story.startsWith('transferred '),
  [...transferring('announcing', 'consulting', 'briefing', 'briefed'), 'active.bridged'],
);

test.serial(
  'a gateway is killed at steps of a transfer that does not connect, and every rule holds',
  killed,
  (story) => isOfTransfer(story) && !story.startsWith('transferred '),
  transferring('consulting', 'briefing'),
);

test.serial('another seed is another story', async (t) => {
  t.not((await runSeed(3, postgres)).digest, (await runSeed(4, postgres)).digest);
});
