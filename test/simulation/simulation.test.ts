import { settle } from './determinism.ts';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { z } from 'zod';
import { planOfStory, play, someKills } from './kills.ts';
import { mistakes } from './planted.ts';
import { callRowsOf, openInConsole } from './open-seed.ts';
import { calmPlan, type HolderWrite, type Plan } from './plan.ts';
import type { Postgres } from './postgres.ts';
import { runSeed, startPostgres } from './run-seed.ts';
import { nameOf } from './world.ts';

let postgres: Postgres;

test.before('a database is started', async () => {
  postgres = await startPostgres();
  await settle();
});

// `npm run simulate` runs more seeds.
const digests = new Set<string>();
for (const seed of [3, 7])
  test.serial(
    `all rules hold in seed ${seed}, and two runs of it write the same journal byte for byte`,
    async (t) => {
      const once = await runSeed(seed, postgres);
      t.deepEqual(once.violations, [], `npm run simulate -- --seed ${seed}`);
      t.true(once.calls > 0);
      t.true(once.lines.length > 100);
      const twice = await runSeed(seed, postgres);
      t.deepEqual(twice.lines, once.lines);
      t.false(digests.has(once.digest), 'another seed has written the same');
      digests.add(once.digest);
    },
  );

test('the code contains each text that a planted mistake changes', (t) => {
  for (const { name, changes } of mistakes)
    for (const { file, from } of changes)
      t.true(
        readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').includes(from),
        `${name}: ${file}`,
      );
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

const credentials = z.object({ admin_token: z.string(), console_url: z.string() });
const replay = z.object({ steps: z.array(z.looseObject({})).nonempty() });

test.serial('shows the calls of a seed in the console of a gateway, with their replay', async (t) => {
  await runSeed(1, postgres, { ...calm, calls: calm.calls.slice(0, 2) });
  const rows = callRowsOf(postgres);
  const calls = rows.get('call') ?? [];
  t.true(calls.length >= 2);
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-simulated-calls-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const lines: string[] = [];
  let looks = 0;
  await openInConsole(rows, folder, (line) => lines.push(line), {
    environment: {},
    ended: async () => {
      const file = readFileSync(join(folder, 'gateway/dev-credentials.json'), 'utf8');
      const { admin_token: token, console_url: url } = credentials.parse(JSON.parse(file));
      t.regex(lines[0] ?? '', /Sign in: http.*#\/sign-in\//);
      for (const { id } of calls) {
        t.true(lines.includes(`  ${url}#/calls/${String(id)}`));
        const answer = await fetch(new URL(`/api/v1/admin/calls/${String(id)}/replay`, url), {
          headers: { authorization: `Bearer ${token}` },
        });
        t.is(answer.status, 200);
        t.true(replay.safeParse(await answer.json()).success, 'the replay has no steps');
        looks += 1;
      }
    },
  });
  t.is(looks, calls.length);
});

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
  'detects a planted defect: no event for the end of a call',
  planted,
  calm,
  (text) =>
    text.includes('old_checkpoint as (')
      ? text.replace('workspace.id = call_after.workspace_id', 'false')
      : text,
  /no event of its end/,
);

test.serial(
  'detects a planted defect: after a take-over, a gateway uses its own wall clock, which differs',
  planted,
  {
    ...calm,
    clockSteps: [{ atMs: 100, node: 'south', byMs: 1_800_000 }],
    ends: [{ atMs: 6_000, node: 'north', by: 'SIGKILL', restartAfterMs: 20_000 }],
  },
  (text) => text.replaceAll('"readable"."ahead_ms"', 'null::float8 as "ahead_ms"'),
  /a reported duration is wrong/,
);

test.serial(
  'detects a planted defect: a take-over does not increment the epoch',
  planted,
  { ...calm, ends: [{ atMs: 6_000, node: 'north', by: 'SIGKILL', restartAfterMs: 20_000 }] },
  (text) => text.replaceAll('"call"."epoch" + 1', '"call"."epoch" + 0'),
  /more often than its epoch shows/,
);

/** A gateway is frozen until its calls are taken over, and then sends a pending write of one of them. */
const frozen = (before: HolderWrite, count: number): Plan => ({
  ...calm,
  freezes: [{ before, count, afterTakingMs: 7 }],
});

test.serial(
  'detects a planted defect: a gateway writes a fact of a call that another one owns',
  planted,
  frozen('insert call_fact', 11),
  (text) =>
    text
      .replaceAll(/\b(?:call\.)?epoch = (\$\d+)/g, '$1::int is not null')
      .replaceAll('call.epoch = given.epoch', 'true'),
  /wrote to a call held by another one: \{"what":"fact /,
);

test.serial(
  'detects a planted defect: a gateway stores a checkpoint of a call that another one owns',
  planted,
  frozen('update call_checkpoint', 12),
  (text) => text.replaceAll('"call_checkpoint"."epoch" = "given"."epoch"', 'true'),
  /wrote to a call held by another one: \{"what":"progress"/,
);

test.serial(
  'detects a planted defect: the death of a gateway disconnects two connected persons',
  planted,
  {
    ...planOfStory('transferred at once'),
    nodes: ['north', 'south'],
    kills: [{ move: { to: 'active.bridged' }, afterMs: 2_000, restartAfterMs: 20_000 }],
  },
  (text) => text.replace(/"fact"\."data"(?: as "\w+")?(?=,)/, `"fact"."data" - 'recorded' as "data"`),
  /were disconnected although the call continued/,
);

test.serial('detects a planted defect: a cancelled person keeps ringing', async (t) => {
  const plan = planOfStory('nobody takes a transfer, and the call ends');
  t.deepEqual((await runSeed(1, postgres, plan)).violations, []);
  const { violations } = await runSeed(1, postgres, { ...plan, deafTo: ['cancelTransfer'] });
  t.true(
    violations.some((violation) => /a person is rung for too long/.test(violation)),
    violations.join('\n'),
  );
});

test.serial('no gateway is killed once the faults are over', async (t) => {
  const plan = planOfStory('a conversation to its end');
  const dyingAfter = async (afterMs: number): Promise<number> =>
    (await runSeed(1, postgres, { ...plan, kills: [{ move: {}, afterMs, restartAfterMs: 300 }] })).deaths.all;
  t.is(await dyingAfter(plan.faultyMs / 2), 1);
  t.is(await dyingAfter(plan.faultyMs), 0);
});

const isOfTransfer = (story: string): boolean => story.includes('transfer');

/** Steps outside of transfers at which a gateway was killed: they are the same in all stories. */
const killedAt = new Set<string>();

const killed = test.macro<[(story: string) => boolean, string[]]>(async (t, isWanted, states) => {
  const kills = await someKills(postgres, isWanted);
  const visited = new Set<string>();
  for (const kill of kills) {
    const step = nameOf(kill.move);
    if (killedAt.has(step)) continue;
    if (!/transferring|bridged/.test(step)) killedAt.add(step);
    const { violations, coverage } = await play(kill, postgres);
    t.deepEqual(violations, [], `npm run test:chaos -- --only '${kill.name}'`);
    t.true(coverage.size > 0, `nobody died: ${kill.name}`);
    for (const pair of coverage.keys()) visited.add(pair.split(' × ')[0] ?? '');
  }
  for (const state of states) t.true(visited.has(state), `nobody died in ${state}`);
});

test.serial(
  'all rules hold when a gateway is killed at any step of a call',
  killed,
  (story) => !isOfTransfer(story),
  ['ringing.alerting', 'active.talking.conversing', 'active.talking.hangup-pending', 'active.ending'],
);

const transferring = (...names: readonly string[]): string[] =>
  names.map((name) => `active.talking.transferring.${name}`);

// Excludes `connecting` and `recalling`, which take no time on a simulated line: `npm run test:chaos` kills at their
// very beginning.
test.serial(
  'all rules hold when a gateway is killed at any step of a successful transfer',
  killed,
  (story) => story.startsWith('transferred '),
  [...transferring('announcing', 'consulting', 'briefing', 'briefed'), 'active.bridged'],
);

test.serial(
  'all rules hold when a gateway is killed at any step of a failed transfer',
  killed,
  (story) => isOfTransfer(story) && !story.startsWith('transferred '),
  transferring('consulting', 'briefing'),
);
