/**
 * Kills at every step of a call's chart and in every state between, in stories without other faults. The steps of a
 * story are found by playing it once; a replay is identical until the kill.
 */
import { calmPlan, machine, scripted, type Plan } from './plan.ts';
import type { Postgres } from './postgres.ts';
import { runSeed, type SeedResult } from './run-seed.ts';
import { nameOf, type Move } from './world.ts';

const seed = 1;

const calm: Plan = {
  ...calmPlan(seed),
  // Duration of a story, which exceeds the ringing time.
  faultyMs: 60_000,
  afterMs: 1_000,
};

type Call = Plan['calls'][number];

const to = (callee: string | null, hangUp: Partial<Call> = {}): Call => ({
  atMs: 500,
  to: callee,
  hangUpAfterMs: null,
  immediate: false,
  ...hangUp,
});

type Transfer = NonNullable<Call['transfers']>[number];

/** A transfer with an announcement, a briefing and an accept digit, unless overridden. */
const transferredTo = (
  person: string,
  {
    takenBackAfterMs = null,
    ...body
  }: Partial<Transfer['body']> & Partial<Pick<Transfer, 'takenBackAfterMs'>> = {},
): Call =>
  to('01000000001', {
    transfers: [
      {
        afterMs: 4_000,
        body: {
          to: person,
          mode: 'warm',
          say: '잠시만요.',
          accept_key: '1',
          ring_timeout_sec: 5,
          on_failure: 'resume',
          ...body,
        },
        takenBackAfterMs,
      },
    ],
  });

/** Named by what happens in it; the callees' numbers and behaviour are in guides/quickstart.md. */
const stories: Readonly<Record<string, Call>> = {
  'a conversation to its end': to('01000000001'),
  'nobody answers': to('01000000002'),
  'cancelled while it rings': to('01000000002', { cancelAfterMs: 3_000 }),
  'the callee is busy': to('01000000003'),
  'the callee declines': to('01000000004'),
  'a farewell is interrupted': to('01000000005'),
  'the callee is silent': to('01000000006'),
  'the callee hangs up': to('01000000007'),
  'every reply is interrupted': to('01000000008'),
  'the line fails': to('01000000009'),
  'a machine answers': to(machine),
  'a person plays a script': to(scripted),
  'hung up while it talks': to('01000000001', { hangUpAfterMs: 4_000 }),
  'hung up at once while it talks': to('01000000001', { hangUpAfterMs: 4_000, immediate: true }),
  'somebody calls in': to(null),
  'transferred at once': transferredTo('01000000011', { mode: 'cold', say: null }),
  'transferred with a briefing and a key': transferredTo('01000000011'),
  'a transfer is declined': transferredTo('01000000014'),
  'nobody takes a transfer, and the call ends': transferredTo('01000000013', { on_failure: 'hang_up' }),
  'a transfer is taken back during the briefing': transferredTo('01000000011', {
    say: null,
    takenBackAfterMs: 3_000,
  }),
};

/** Gateways that may take over the call. */
const successors = {
  'the same gateway': { nodes: ['north'], restartAfterMs: 300 },
  'another gateway': { nodes: ['north', 'south'], restartAfterMs: 20_000 },
} as const satisfies Record<string, { nodes: readonly string[]; restartAfterMs: number }>;

/** The delays of kills: at the step itself, right after it, and well inside the state that follows. */
const momentsMs = [0, 20, 700];

export type Kill = { name: string; move: Move; plan: Plan };

type Successor = keyof typeof successors;

const planFor = (story: string, by: Successor, kills: Plan['kills']): Plan => {
  const call = stories[story];
  if (call === undefined) throw new Error(`There is no story "${story}"`);
  const { nodes } = successors[by];
  return {
    ...calm,
    nodes,
    calls: [call],
    kills,
    hasVoicemail: call.to === machine,
    hasScript: call.to === scripted,
  };
};

/** `again`: the gateway that takes over is killed at its first step. */
const killAt = (story: string, by: Successor, move: Move, afterMs: number, again = false): Kill => {
  const { restartAfterMs } = successors[by];
  const once: Plan['kills'][number] = { move, afterMs, restartAfterMs };
  return {
    name: `${story}: ${nameOf(move)}, ${afterMs} ms, ${by} goes on${again ? ' and is killed as well' : ''}`,
    move,
    plan: planFor(story, by, again ? [once, { ...once, move: {}, afterMs: 0 }] : [once]),
  };
};

/** A story without kills. */
export const planOfStory = (story: string): Plan => planFor(story, 'the same gateway', []);

/** The steps of a story, found by playing it. Without a death they are the same whichever gateway would go on. */
const movesOf = async (story: string, postgres: Postgres): Promise<readonly Move[]> => {
  const { violations, moves } = await runSeed(seed, postgres, planOfStory(story));
  if (violations.length > 0) throw new Error(`${story}: ${violations.join('\n')}`);
  return moves;
};

/** All kills at all steps of all wanted stories. */
export const allKills = async (postgres: Postgres, isWanted = (_story: string) => true): Promise<Kill[]> => {
  const kills: Kill[] = [];
  const found: [string, readonly Move[]][] = [];
  for (const story of Object.keys(stories).filter(isWanted))
    found.push([story, await movesOf(story, postgres)]);
  for (const by of ['the same gateway', 'another gateway'] as const)
    for (const [story, moves] of found)
      for (const move of moves) {
        for (const afterMs of momentsMs) kills.push(killAt(story, by, move, afterMs));
        kills.push(killAt(story, by, move, 0, true));
      }
  return kills;
};

/** One kill for each step, alternating between all kinds. */
export const someKills = async (
  postgres: Postgres,
  isWanted: (story: string) => boolean,
): Promise<Kill[]> => {
  const byStep = Map.groupBy(await allKills(postgres, isWanted), ({ move }) => nameOf(move));
  return [...byStep.values()].flatMap((same, index) => same[index % same.length] ?? []);
};

export const play = ({ plan }: Kill, postgres: Postgres): Promise<SeedResult> =>
  runSeed(seed, postgres, plan);
