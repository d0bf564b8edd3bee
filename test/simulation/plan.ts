/** The plan of a seed. Each seed has some of the possible faults: all of them together would hide each other. */
import { leaseSec } from '#config/cluster-policy.ts';
import type { ConsentRequirement } from '#machines/consent.ts';
import type { LineCommand } from '#machines/line.ts';
import { noFaults, type StatementFaults } from './database-server.ts';
import { reliable, type RequestFaults } from './far-servers.ts';
import { createRandom, type Random } from './random.ts';
import type { Move } from './world.ts';

/** Times from placing the call until a transfer is requested, and from the request until it is cancelled, if ever. */
export type Transfer = {
  afterMs: number;
  body: {
    to: string;
    mode: 'cold' | 'warm';
    say: string | null;
    accept_key: string | null;
    ring_timeout_sec: number;
    on_failure: 'resume' | 'hang_up';
  };
  takenBackAfterMs: number | null;
};

/** Writes that only the owner of a call may execute: first words of names from `statementName`. */
export type HolderWrite =
  | 'insert call_fact'
  /** A fact whose type is a parameter of the statement. */
  | 'insert call_fact,'
  | `insert call_fact of ${'' | 'several '}${'turn.spoken' | 'call.answered' | 'call.answered_by'}`
  | 'insert call_transition'
  | 'update call_checkpoint';

export type Plan = {
  nodes: readonly string[];
  /** `to: null` is an inbound call. Without a time there is no hang-up or cancellation. */
  calls: readonly {
    atMs: number;
    to: string | null;
    hangUpAfterMs: number | null;
    immediate: boolean;
    cancelAfterMs?: number;
    transfers?: readonly Transfer[];
  }[];
  /** Consent that the other party must give after an announcement; null without an announcement. */
  consent: ConsentRequirement | null;
  /** The agent leaves messages on answering machines, and one answers at `machine`. */
  hasVoicemail: boolean;
  /** Calls are recorded. */
  isRecorded: boolean;
  /** A person with a script answers at `scripted`. */
  hasScript: boolean;
  /**
   * Crashes of gateways: the one that performs the effect with number `effects` dies, and is restarted after
   * `restartAfterMs`, or when all faults are over.
   */
  crashes: readonly { effects: number; restartAfterMs: number | null }[];
  crashSeed: number;
  /** The gateway dies when the agent with a memory receives this request, counted from 1; null: never. */
  diesWithRequest: number | null;
  /**
   * The gateway that declares another one dead dies before it takes over its calls, and is restarted when all faults are
   * over. The other one is only cut off, and returns.
   */
  diesDeclaring: boolean;
  /** A gateway gets SIGTERM or is killed, and is restarted after this delay. */
  ends: readonly { atMs: number; node: string; by: 'SIGTERM' | 'SIGKILL'; restartAfterMs: number }[];
  /**
   * The gateway that owns a call is killed at a step of the call's chart with these states, or this time after it. Each
   * kill waits for the previous one; `move: {}` is the next step of any call.
   */
  kills: readonly { move: Partial<Move>; afterMs: number; restartAfterMs: number }[];
  cutOffs: readonly { atMs: number; node: string; forMs: number }[];
  /**
   * A gateway is stopped as by SIGSTOP right before the write with this number. The connections of the stopped gateway
   * stay open. The gateway continues with that write this time after another gateway has taken over its calls.
   */
  freezes: readonly {
    before: HolderWrite;
    count: number;
    afterTakingMs: number;
    /** Counts only writes after a call of that gateway has ended; its end is the first of them. */
    atEnd?: boolean;
  }[];
  clockSteps: readonly { atMs: number; node: string; byMs: number }[];
  databaseBreaks: readonly { atMs: number }[];
  statements: StatementFaults;
  requests: RequestFaults;
  receiverRefuses: number;
  lineLatestMs: number;
  /**
   * The events of all lines of a gateway arrive together, in this interval. The gateway processes those of several calls
   * in one turn of its event loop, and writes them in one statement. `null`: each event arrives alone.
   */
  lineBurstMs: number | null;
  /** A deliberate defect: lines ignore these commands. */
  deafTo?: readonly LineCommand['type'][];
  /** The agent is a customer's server that remembers its calls; otherwise the built-in one. */
  agentHasMemory: boolean;
  /** Share of calls that are requested twice at the same time, with the same key. */
  requestsRepeated: number;
  /** Duration of the faults. */
  faultyMs: number;
  /** Duration for which calls may continue after the faults, before all parties hang up. */
  afterMs: number;
};

const leaseMs = leaseSec * 1_000;

/** A gateway that is cut off for this time keeps its calls. */
const shortMs = 8_000;

/** Number of an answering machine. */
export const machine = '01055551234';

/** Number of a person with a script. */
export const scripted = '01055551235';

const names = ['north', 'south', 'west'];
const callees = [1, 1, 1, 2, 3, 5, 5, 6, 7, 8].map((last) => `0100000000${last}`);

const some = <Item>(random: Random, most: number, make: () => Item): Item[] =>
  Array.from({ length: random.below(most + 1) }, make);

/** Transfer targets: one accepts, one is busy, one lets it ring, one declines. */
const people = [1, 1, 2, 3, 4].map((last) => `0100000001${last}`);

/** Longest ringing time of a person, in seconds. */
export const longestRingSec = 15;

/** Callees who answer and stay, so that the call can be transferred. */
const staying = ['01000000001', '01000000005', '01000000006', '01000000008'];

/**
 * Up to three transfers for each call in every second world: the first soon after the answer, before the agent hangs
 * up.
 */
const transfersOf = (random: Random): Transfer[] =>
  some(random, 3, () => random.below(4_000)).map((later, index) => ({
    afterMs: 1_300 + later * (index + 1),
    body: {
      to: random.pick(people),
      mode: random.chance(0.5) ? 'warm' : 'cold',
      say: random.chance(0.3) ? '잠시만요.' : null,
      accept_key: random.chance(0.5) ? '1' : null,
      ring_timeout_sec: 5 + random.below(longestRingSec - 5),
      on_failure: random.chance(0.7) ? 'resume' : 'hang_up',
    },
    takenBackAfterMs: random.chance(0.3) ? random.below(6_000) : null,
  }));

const withTransfers = (call: Plan['calls'][number], random: Random): Plan['calls'][number] => {
  const transfers = transfersOf(random);
  return transfers.length === 0 || call.to === null ? call : { ...call, to: random.pick(staying), transfers };
};

/** In every fourth world, half of the outbound calls without a transfer reach the person with a script. */
const withScript = (calls: Plan['calls'], random: Random): Pick<Plan, 'calls' | 'hasScript'> => {
  const hasScript = random.chance(0.25);
  const reachesScript = ({ to, transfers = [] }: Plan['calls'][number]): boolean =>
    hasScript && to !== null && transfers.length === 0 && random.chance(0.5);
  return { hasScript, calls: calls.map((call) => (reachesScript(call) ? { ...call, to: scripted } : call)) };
};

/** The consent requirement, in every fourth world. */
const consentOf = (random: Random): ConsentRequirement | null =>
  random.chance(0.25) ? random.pick(['none', 'speech', 'speech', 'key']) : null;

/** The first call is a long conversation: a death with a request may then be one with words of the other party. */
const withConversation = (calls: Plan['calls']): Plan['calls'] =>
  calls.map((call, index) =>
    index === 0 ? { ...call, atMs: 100, to: staying[0] ?? null, hangUpAfterMs: null } : call,
  );

type LaterFaults = 'repeated' | 'late' | 'takingUnconfirmed';

const statementsOf = (random: Random): Omit<StatementFaults, LaterFaults> => {
  const share = (most: number): number => (random.chance(0.3) ? random.fraction() * most : 0);
  return {
    lostBefore: share(0.05),
    lostAfter: share(0.05),
    refused: share(0.05),
    slow: share(0.03),
    unheard: share(0.5),
  };
};

const notificationsOf = (random: Random): Pick<StatementFaults, 'repeated' | 'late'> => ({
  repeated: random.chance(0.3) ? random.fraction() * 0.5 : 0,
  late: random.chance(0.3) ? random.fraction() * 0.5 : 0,
});

const takingsOf = (random: Random): Pick<StatementFaults, 'takingUnconfirmed'> => ({
  takingUnconfirmed: random.chance(0.3) ? random.fraction() : 0,
});

const requestsOf = (random: Random): RequestFaults => {
  const share = (most: number): number => (random.chance(0.3) ? random.fraction() * most : 0);
  return { lostBefore: share(0.2), lostAfter: share(0.2), hangs: share(0.1), breaksOff: share(0.1) };
};

const clockStepsOf = (random: Random, nodes: readonly string[], faultyMs: number): Plan['clockSteps'] =>
  random.chance(0.7)
    ? []
    : some(random, 2, () => ({
        atMs: random.below(faultyMs),
        node: random.pick(nodes),
        byMs: random.below(7_200_000) - 3_600_000,
      }));

/** A deployment in every third world: all or some gateways get SIGTERM, one after the other. */
const endsOf = (random: Random, nodes: readonly string[], faultyMs: number): Plan['ends'] => {
  if (random.chance(0.67)) return [];
  const everyMs = faultyMs / (nodes.length + 1);
  return nodes
    .filter(() => random.chance(0.8))
    .map((node, index) => ({
      atMs: Math.round(everyMs * index) + random.below(everyMs),
      node,
      by: 'SIGTERM',
      restartAfterMs: 50 + random.below(5_000),
    }));
};

/** If no gateway crashes, one is frozen until its lease has expired, in most worlds with several gateways. */
const freezesOf = (random: Random, { nodes, crashes }: Pick<Plan, 'nodes' | 'crashes'>): Plan['freezes'] => {
  if (nodes.length === 1 || crashes.length > 0 || random.chance(0.1)) return [];
  const before = random.pick<HolderWrite>(['insert call_fact', 'insert call_fact', 'update call_checkpoint']);
  const count = 2 + random.below(8);
  const afterTakingMs = random.below(random.chance(0.8) ? 20 : 3_000);
  return random.chance(0.3)
    ? [{ before: 'insert call_fact', count: 1, afterTakingMs, atEnd: true }]
    : [{ before, count, afterTakingMs }];
};

/** Simultaneous calls of a world about one fault: some gateway has at least two of them. */
const simultaneousCalls = 6;

/** The same world with simultaneous calls whose other parties stay, and without faults. */
const withLastingCalls = (plan: Plan, random: Random): Plan => {
  const to = random.pick(staying);
  return {
    ...plan,
    calls: Array.from({ length: simultaneousCalls }, () => ({
      atMs: 100,
      to,
      hangUpAfterMs: null,
      immediate: false,
    })),
    crashes: [],
    diesWithRequest: null,
    ends: [],
    kills: [],
    cutOffs: [],
    diesDeclaring: false,
    freezes: [],
    clockSteps: [],
    databaseBreaks: [],
    statements: noFaults,
    lineLatestMs: 0,
  };
};

/**
 * In every fifth world with several gateways, the only fault is a gateway that is frozen right before a certain write of
 * a call, and resumes at the moment when another one has taken its calls over. Later, the next holder has used the place
 * of the fact in the journal, which then refuses the write for this reason alone.
 */
const withStaleWrite = (plan: Plan, random: Random): Plan => {
  if (plan.nodes.length === 1 || !random.chance(0.2)) return plan;
  const freeze = random.pick<Omit<Plan['freezes'][number], 'afterTakingMs'>>([
    { before: 'insert call_fact,', count: 1 + random.below(2) },
    { before: 'insert call_fact of several turn.spoken', count: 1 + random.below(3) },
    { before: 'insert call_fact of call.answered', count: 1 },
    { before: 'insert call_fact of several call.answered', count: 1 },
    { before: 'insert call_fact of several call.answered_by', count: 1 },
    { before: 'insert call_transition', count: 1 + random.below(5) },
  ]);
  return {
    ...withLastingCalls(plan, random),
    freezes: [{ ...freeze, afterTakingMs: random.below(4) }],
    lineBurstMs: freeze.before.includes('several') ? 200 : null,
    faultyMs: Math.max(plan.faultyMs, 20_000),
  };
};

/**
 * In half of the worlds in which the gateway that declares another one dead dies, this is the only fault: calls last, and
 * the faults last long enough after the return of the gateway that was declared dead to find calls without a holder.
 */
const withDeadDeclarer = (plan: Plan, random: Random): Plan => {
  if (!plan.diesDeclaring || random.chance(0.5)) return plan;
  const atMs = 2_000 + random.below(3_000);
  const forMs = leaseMs + 2_000 + random.below(4_000);
  return {
    ...withLastingCalls(plan, random),
    cutOffs: [{ atMs, node: random.pick(plan.nodes), forMs }],
    diesDeclaring: true,
    faultyMs: Math.max(plan.faultyMs, atMs + forMs + leaseMs + 8_000),
  };
};

const diesWithRequestOf = (random: Random): number | null =>
  random.chance(0.5) ? 1 + random.below(4) : null;

/** Deaths while a gateway takes a call over or ends it, in every second world; in every fourth, one while it ends one. */
const killsOf = (random: Random): Plan['kills'] =>
  random.chance(0.5)
    ? some(random, 1, () => ({
        move: { to: 'active.ending' },
        afterMs: random.below(20),
        restartAfterMs: 100 + random.below(12_000),
      }))
    : some(random, 3, () => ({
        move: { to: random.pick(['active.taking-over', 'active.taking-over', 'active.ending']) },
        // Adoption of a simulated line takes no time.
        afterMs: random.chance(0.6) ? 0 : random.below(60),
        restartAfterMs: 100 + random.below(12_000),
      }));

/**
 * In every tenth world with several gateways, one is cut off until another declares it dead, which dies with that.
 */
const diesDeclaringOf = (
  random: Random,
  { nodes, faultyMs }: Pick<Plan, 'nodes' | 'faultyMs'>,
): Pick<Plan, 'cutOffs' | 'diesDeclaring'> => {
  if (nodes.length === 1 || !random.chance(0.1)) return { cutOffs: [], diesDeclaring: false };
  const cutOff = {
    atMs: random.below(faultyMs / 2),
    node: random.pick(nodes),
    forMs: shortMs + random.below(20_000),
  };
  return { cutOffs: [cutOff], diesDeclaring: true };
};

/** State in which the other party and the agent talk. */
const conversing = 'active.talking.conversing';

/** Faults last at least this long after the death in a long call, so that other gateways take it over meanwhile. */
const afterDeathMs = 6_000;

/** Time from the beginning of a long call to the death, in which the other party says one to three sentences. */
const talkedMs = { least: 10_000, most: 22_000 };

/**
 * In every fifth world the first call is long: it begins at once, its other party stays, and nobody dies before the
 * first turns. Then the gateway that holds it is killed, or all gateways are. In most of these worlds the database is
 * reliable, because otherwise the progress of the call is uncertain, and rules about it would allow anything.
 */
const withLongCall = (plan: Plan, random: Random): Plan => {
  const [first, ...others] = plan.calls;
  if (first === undefined || !random.chance(0.2)) return plan;
  const to = random.chance(0.5) ? scripted : random.pick(staying);
  const diesAtMs = talkedMs.least + random.below(talkedMs.most - talkedMs.least);
  const restartAfterMs = 100 + random.below(5_000);
  const deaths: Pick<Plan, 'ends' | 'kills'> = random.chance(0.5)
    ? {
        ends: plan.nodes.map((node) => ({
          atMs: diesAtMs + random.below(50),
          node,
          by: 'SIGKILL',
          restartAfterMs: restartAfterMs + random.below(500),
        })),
        kills: plan.kills,
      }
    : {
        ends: [],
        kills: [{ move: { to: conversing }, afterMs: diesAtMs, restartAfterMs }, ...plan.kills],
      };
  const isReliable = random.chance(0.7);
  return {
    ...plan,
    ...deaths,
    calls: [{ atMs: 100, to, hangUpAfterMs: null, immediate: first.immediate }, ...others],
    hasScript: plan.hasScript || to === scripted,
    // The built-in agent says goodbye after two sentences of the other party.
    agentHasMemory: plan.agentHasMemory || to === scripted,
    crashes: [],
    diesWithRequest: null,
    faultyMs: Math.max(plan.faultyMs, diesAtMs + afterDeathMs),
    ...(isReliable
      ? {
          statements: { ...plan.statements, lostBefore: 0, lostAfter: 0, refused: 0, slow: 0 },
          cutOffs: [],
          diesDeclaring: false,
          databaseBreaks: [],
          freezes: [],
        }
      : {}),
  };
};

export const planOf = (seed: number): Plan => {
  // Differs from the numbers that this seed's world draws.
  const random = createRandom(seed ^ 0x5eed);
  const nodes = names.slice(0, 1 + random.below(names.length));
  const faultyMs = 8_000 + random.below(22_000);
  const isCalm = random.chance(0.05);
  const within = (): number => random.below(faultyMs);
  const crashes: Plan['crashes'] = isCalm
    ? []
    : some(random, 3, () => ({
        effects: 1 + random.below(40),
        restartAfterMs: random.chance(0.7) ? 100 + random.below(15_000) : null,
      }));
  const cutOffs: Plan['cutOffs'] =
    isCalm || random.chance(0.6)
      ? []
      : some(random, 2, () => ({
          atMs: within(),
          node: random.pick(nodes),
          forMs: 200 + random.below(random.chance(0.3) ? 60_000 : shortMs),
        }));
  // Later additions to plans use their own generators, so that the rest of a seed's plan does not change.
  const ofTransfers = createRandom(seed ^ 0x7a45);
  const hasTransfers = ofTransfers.chance(0.5);
  const declaring = isCalm
    ? { cutOffs: [], diesDeclaring: false }
    : diesDeclaringOf(createRandom(seed ^ 0xdec1), { nodes, faultyMs });
  const areTakenOver = crashes.length > 0 || cutOffs.some(({ forMs }) => forMs > shortMs);
  const clockSteps = clockStepsOf(areTakenOver ? createRandom(seed ^ 0xc10c) : random, nodes, faultyMs);
  const calls: Plan['calls'] = Array.from({ length: 1 + random.below(4) }, () => ({
    atMs: random.below(faultyMs * 0.8),
    to: random.chance(0.2) ? null : random.pick(callees),
    hangUpAfterMs: random.chance(0.6) ? 500 + random.below(15_000) : null,
    immediate: random.chance(0.3),
  })).map((call) => (hasTransfers ? withTransfers(call, ofTransfers) : call));
  const agentHasMemory = createRandom(seed ^ 0xa9e1).chance(0.3);
  const diesWithRequest = isCalm ? null : diesWithRequestOf(createRandom(seed ^ 0xd1e5));
  const isAboutMemory = agentHasMemory && diesWithRequest !== null;
  const scriptedCalls = withScript(calls, createRandom(seed ^ 0x5c21));
  const plan: Plan = {
    nodes,
    ...scriptedCalls,
    calls:
      agentHasMemory && diesWithRequest !== null
        ? withConversation(scriptedCalls.calls)
        : scriptedCalls.calls,
    // Another death would come before.
    crashes: isAboutMemory ? [] : crashes,
    crashSeed: random.below(2 ** 31),
    ends: isCalm ? [] : endsOf(createRandom(seed ^ 0xe2d5), nodes, faultyMs),
    consent: consentOf(createRandom(seed ^ 0xc095)),
    hasVoicemail: false,
    isRecorded: createRandom(seed ^ 0x4ec0).chance(0.2),
    kills: isCalm ? [] : killsOf(createRandom(seed ^ 0x6b11)),
    cutOffs: [...cutOffs, ...declaring.cutOffs],
    diesDeclaring: declaring.diesDeclaring,
    freezes: isCalm ? [] : freezesOf(createRandom(seed ^ 0xf0e2), { nodes, crashes }),
    clockSteps,
    databaseBreaks: isCalm || random.chance(0.85) ? [] : [{ atMs: within() }],
    statements: isCalm
      ? noFaults
      : {
          ...statementsOf(random),
          ...notificationsOf(createRandom(seed ^ 0x2077)),
          ...takingsOf(createRandom(seed ^ 0xd0b7)),
        },
    requests: isCalm ? reliable : requestsOf(random),
    receiverRefuses: random.chance(0.2) ? 0.3 : 0,
    lineLatestMs: random.chance(0.5) ? random.below(400) : 0,
    lineBurstMs: null,
    agentHasMemory,
    diesWithRequest,
    requestsRepeated: isCalm || createRandom(seed ^ 0x4e9e).chance(0.5) ? 0 : 0.5,
    faultyMs,
    afterMs: random.below(5_000),
  };
  if (isCalm || isAboutMemory) return plan;
  const conversed = withLongCall(plan, createRandom(seed ^ 0x10c6));
  const frozen = withStaleWrite(conversed, createRandom(seed ^ 0x57a1));
  return withDeadDeclarer(frozen, createRandom(seed ^ 0xdea0));
};

/** A plan without faults; otherwise the seed's plan. */
export const calmPlan = (seed: number): Plan => ({
  ...planOf(seed),
  crashes: [],
  ends: [],
  kills: [],
  cutOffs: [],
  diesDeclaring: false,
  freezes: [],
  clockSteps: [],
  databaseBreaks: [],
  statements: noFaults,
  requests: reliable,
  receiverRefuses: 0,
  requestsRepeated: 0,
  agentHasMemory: false,
  diesWithRequest: null,
  lineLatestMs: 0,
  lineBurstMs: null,
});
