/** Runs one seed from beginning to end: events, faults, and the rules that must hold nevertheless. */
import { z } from 'zod';
import { announcement, checkAtRest, isAtRest } from './checks.ts';
import { Customer } from './customer.ts';
import { watchHolders } from './holder-watch.ts';
import { checkPermits } from './last-callers.ts';
import { checkMemory, createMemoryAgent, memoryAgentBinding } from './memory-agent.ts';
import { longestRingSec, machine, planOf, scripted, type Plan, type Transfer } from './plan.ts';
import { checkScripts, personScript } from './scripted-person.ts';
import { Postgres } from './postgres.ts';
import { createRandom } from './random.ts';
import { runIn, type SimulatedProcess } from './simulated-time.ts';
import { declaresDead } from './statement-name.ts';
import { nameOf, World, type Deaths, type Move } from './world.ts';

export type SeedResult = {
  seed: number;
  plan: Plan;
  violations: readonly string[];
  digest: string;
  lines: readonly string[];
  steps: number;
  /** Simulated seconds. */
  seconds: number;
  effects: ReadonlyMap<string, number>;
  coverage: ReadonlyMap<string, number>;
  deaths: Deaths;
  /** Steps of charts while faults could occur. */
  moves: readonly Move[];
  calls: number;
};

const startMs = 60_000;
const answerMs = 30_000;
/** All work must finish within this time after the last fault. */
const restMs = 600_000;
/** Heartbeats, delivery polling and cleanup. */
const keepsHouse = /(update node|update node as lost|update skip, update event_delivery|delete \w+)$/;
/** Point at which the agent with a memory has received a request and not answered it. */
const agentReceives = 'after request to agent.test';
/** Time until a gateway that died there is restarted. */
const restartMs = 4_000;
/** Exceeds the lease of a gateway. */
const longestFreezeMs = 45_000;
/** Inaccuracy with which gateways know the database clock when its answers are slow. */
const durationErrorSec = 3;
const lookMs = 250;
/** Time in which leftover work would show. */
const lastLookMs = 1_000;
const lastAnswerMs = 1_000;

const answered = z.looseObject({ status: z.number() });

const machineScript = [
  { announce: '지금은 전화를 받을 수 없습니다. 삐 소리가 난 후 메시지를 남겨 주세요.' },
  { wait_sec: 1 },
  { beep: true },
  { wait_sec: 20 },
  { hang_up: true },
];

/** Makes API requests and waits for the answers, before any fault. */
const prepare = async (world: World, customer: Customer, plan: Plan): Promise<void> => {
  const { hasVoicemail, hasScript, isRecorded, consent, agentHasMemory } = plan;
  const [first] = world.nodes;
  first?.start();
  if (!(await world.run(startMs, () => first?.isReady() === true))) throw new Error('No gateway starts');
  const {
    number_id: numberId,
    number,
    number_key: numberKey,
    admin_token: adminToken,
  } = first?.credentials ?? {};
  if (numberId === undefined || number === undefined || numberKey === undefined || adminToken === undefined)
    throw new Error('There are no credentials');
  customer.use({ numberId, number, numberKey, adminToken });
  const ask = async (method: string, path: string, body: unknown): Promise<void> => {
    let status: number | undefined;
    customer.ask({ method, path, admin: true, body }, (answer) => {
      status = answered.parse(answer).status;
    });
    await world.run(answerMs, () => status !== undefined);
    if (status === undefined || status >= 300) throw new Error(`${method} ${path} was answered ${status}`);
  };
  await ask('PATCH', `/api/v1/admin/numbers/${numberId}`, {
    recording_enabled: isRecorded,
    transfer_to: ['0100000001*'],
    ...(hasVoicemail ? { voicemail: 'leave_message' } : {}),
    ...(consent === null ? {} : { consent: { announce: announcement, require: consent } }),
  });
  if (agentHasMemory)
    await ask('PUT', `/api/v1/admin/numbers/${numberId}/agents/outbound`, memoryAgentBinding);
  if (hasVoicemail) await ask('PUT', `/api/v1/admin/simulator/callees/${machine}`, { script: machineScript });
  if (hasScript) await ask('PUT', `/api/v1/admin/simulator/callees/${scripted}`, { script: personScript });
  await ask('POST', '/api/v1/admin/webhooks', { url: 'https://receiver.test/events' });
  for (const node of world.nodes.slice(1)) {
    node.start();
    await world.run(startMs, () => node.isReady());
  }
};

const endNode = (
  { nodes, time, journal }: World,
  { node, by, restartAfterMs }: Plan['ends'][number],
): void => {
  const found = nodes.find(({ name }) => name === node);
  if (found?.isReady() !== true) return;
  const restart = (): void => {
    time.after(restartAfterMs, () => {
      if (!found.isRunning()) found.start();
    });
  };
  journal.note(`${node} gets ${by}`);
  if (by === 'SIGTERM') return found.close(restart);
  found.kill();
  restart();
};

/** Whether a move has the given states. */
const isAt = (move: Move, { from = move.from, to = move.to }: Partial<Move>): boolean =>
  move.from === from && move.to === to;

const killAt = (world: World, plan: Plan): void => {
  const { time } = world;
  const kills = [...plan.kills];
  const overAt = time.now() + plan.faultyMs;
  world.onMove = (node, move) => {
    const [next] = kills;
    if (next === undefined || !isAt(move, next.move)) return;
    kills.shift();
    const kill = (): void => {
      // A later kill would disturb the checks at rest.
      if (time.now() >= overAt) return;
      world.kill(node, `${next.afterMs} ms after ${nameOf(move)}`);
      time.after(next.restartAfterMs, () => {
        if (!node.isRunning()) node.start();
      });
    };
    runIn(null, () => (next.afterMs === 0 ? kill() : void time.after(next.afterMs, kill)));
  };
};

const askForTransfer = (
  { time }: World,
  customer: Customer,
  callId: string,
  { afterMs, body, takenBackAfterMs }: Transfer,
): void => {
  time.after(afterMs, () => customer.transfer(callId, body));
  if (takenBackAfterMs !== null)
    time.after(afterMs + takenBackAfterMs, () => customer.takeTransferBack(callId));
};

/** Schedules the plan's events. */
const schedule = (world: World, customer: Customer, plan: Plan): void => {
  const { time } = world;
  for (const { atMs, to, hangUpAfterMs, immediate, cancelAfterMs, transfers = [] } of plan.calls)
    time.after(atMs, () => {
      if (to === null) return customer.callIn();
      return customer.place(to, 6, (callId) => {
        if (cancelAfterMs !== undefined) time.after(cancelAfterMs, () => customer.cancel(callId));
        for (const transfer of transfers) askForTransfer(world, customer, callId, transfer);
        if (hangUpAfterMs !== null) time.after(hangUpAfterMs, () => customer.hangUp(callId, immediate));
      });
    });
  killAt(world, plan);
  freezeAt(world, plan);
  for (const end of plan.ends) time.after(end.atMs, () => endNode(world, end));
  for (const { atMs, node, forMs } of plan.cutOffs)
    time.after(atMs, () => {
      world.journal.note(`${node} is cut off from the database`);
      world.database.cutOff(node);
      time.after(forMs, () => world.database.joinAgain(node));
    });
  for (const { atMs, node, byMs } of plan.clockSteps)
    time.after(atMs, () => world.nodes.find(({ name }) => name === node)?.step(byMs));
  for (const { atMs } of plan.databaseBreaks) time.after(atMs, () => world.database.breakAll());
  const random = createRandom(plan.crashSeed);
  const crashes = plan.crashes.map((crash) => ({ ...crash, left: crash.effects }));
  const restart = (name: string, afterMs: number): void => {
    const node = world.nodes.find((one) => one.name === name);
    time.after(afterMs, () => {
      if (node?.isRunning() === false) node.start();
    });
  };
  let requestsLeft = plan.diesWithRequest ?? 0;
  let diesDeclaring = plan.diesDeclaring;
  world.crashes = (process, point) => {
    if (diesDeclaring && point === `after ${declaresDead}`) {
      diesDeclaring = false;
      return true;
    }
    if (point === agentReceives && requestsLeft > 0) {
      requestsLeft -= 1;
      if (requestsLeft > 0) return false;
      restart(process.name, restartMs);
      return true;
    }
    const crash = crashes[0];
    if (crash === undefined) return false;
    // Lets a gateway crash at only one in twenty effects of its periodic work.
    if (keepsHouse.test(point) && !random.chance(0.05)) return false;
    crash.left -= 1;
    if (crash.left > 0) return false;
    crashes.shift();
    if (crash.restartAfterMs !== null) restart(process.name, crash.restartAfterMs + random.below(50));
    return true;
  };
};

const finalStates = new Set(['completed', 'no_answer', 'failed']);

/** `call.answered` is no beginning of `call.answered_by`. */
const startsWithWords = (text: string, words: string): boolean =>
  text.startsWith(words) && !/\w/.test(text.charAt(words.length));

const freezeAt = (world: World, plan: Plan): void => {
  const freezes = plan.freezes.map((freeze) => ({ ...freeze, left: freeze.count }));
  const hasEnded = ({ charts }: SimulatedProcess): boolean =>
    [...charts.values()].some((state) => finalStates.has(state));
  world.freezes = (process, point) => {
    const [next] = freezes;
    if (next === undefined || !startsWithWords(point, `before ${next.before}`)) return null;
    if (next.atEnd === true && !hasEnded(process)) return null;
    next.left -= 1;
    if (next.left > 0) return null;
    freezes.shift();
    return next.afterTakingMs;
  };
};

/** Ends all faults and starts the gateways that are down. */
const heal = (world: World): void => {
  world.journal.note('all faults are over');
  world.crashes = () => false;
  world.onMove = () => {};
  world.healAll();
  for (const node of world.nodes) if (!node.isRunning()) node.start();
};

/** All parties hang up, and all work is finished. */
const comeToRest = async (world: World, customer: Customer): Promise<void> => {
  const deadline = world.time.now() + restMs;
  for (const { id } of world.postgres.rows('select id from call where ended_at is null order by id'))
    customer.hangUp(String(id), true);
  while (world.time.now() < deadline && !isAtRest(world.postgres)) await world.run(lookMs);
};

const checkRest = (world: World): void => {
  for (const broken of checkAtRest(world.postgres)) world.violate(broken);
  for (const broken of world.leftOver()) world.violate(broken);
};

/** Checks durations, which must not depend on the gateways' clocks or on take-overs. */
const checkDurations = (world: World): void => {
  const known =
    'select id, duration_sec from call where answered_at is not null and duration_sec is not null';
  for (const { id, duration_sec: told } of world.postgres.rows(`${known} order by id`)) {
    const { answeredAt, over } = world.farEnds.talked.get(String(id)) ?? { answeredAt: 0, over: [] };
    const lasted = over.map((at) => (at - answeredAt) / 1_000);
    if (lasted.some((seconds) => Math.abs(seconds - Number(told)) <= durationErrorSec)) continue;
    world.violate(
      `a reported duration is wrong: ${String(id)} with ${String(told)} s lasted ${lasted.join(' or ')} s`,
    );
  }
};

/** Longest time in which a line executes a command. */
const rungLateMs = 2_000;

/**
 * Checks that a person without an answer, or after a cancellation, stops ringing. A frozen gateway cannot cancel; the one
 * that takes its calls over does.
 */
const checkRung = (world: World): void => {
  for (const [callId, times] of world.farEnds.rung)
    for (const rungMs of times)
      if (rungMs > longestRingSec * 1_000 + rungLateMs + world.frozenMs)
        world.violate(`a person is rung for too long: ${rungMs / 1_000} s for ${callId}`);
  for (const [callId, times] of world.farEnds.cancelled)
    for (const afterMs of times)
      if (afterMs > rungLateMs + world.frozenMs)
        world.violate(`a cancelled person is not released: after ${afterMs / 1_000} s for ${callId}`);
};

/** Checks that the end of each call was received under a single id. */
const checkReceived = (world: World, customer: Customer): void => {
  for (const { id } of world.postgres.rows('select id from call order by id')) {
    const ends = (customer.received.get(String(id)) ?? []).filter(({ type }) => type === 'call.ended');
    const ids = new Set(ends.map((end) => end.id));
    if (ids.size !== 1)
      world.violate(`the receiver has not exactly one end of a call: ${ids.size} of ${String(id)}`);
  }
};

/**
 * `plan` replaces the plan of the seed. With `checksEachWrite`, a violation follows the write that caused it in the
 * journal.
 */
export const runSeed = async (
  seed: number,
  postgres: Postgres,
  plan: Plan = planOf(seed),
  checksEachWrite = false,
): Promise<SeedResult> => {
  const servers = new Map();
  const world = new World({ seed, postgres, nodes: plan.nodes, servers, checksEachWrite });
  let moves: Move[] = [];
  try {
    const customer = new Customer(world);
    const agent = createMemoryAgent(world.farEnds.silence.asked);
    servers.set('https://receiver.test', customer.receiver);
    servers.set('https://agent.test', agent.server);
    await prepare(world, customer, plan);
    schedule(world, customer, plan);
    watchHolders(world);
    world.database.faults = plan.statements;
    world.network.faults = plan.requests;
    world.farEnds.latestMs = plan.lineLatestMs;
    world.farEnds.burstMs = plan.lineBurstMs;
    world.farEnds.deafTo = plan.deafTo ?? [];
    customer.refuses = plan.receiverRefuses;
    customer.repeats = plan.requestsRepeated;
    await world.run(plan.faultyMs);
    world.freezes = () => null;
    await world.run(longestFreezeMs, () => world.frozen === null);
    moves = [...world.moves.values()];
    customer.refuses = 0;
    customer.repeats = 0;
    heal(world);
    await world.run(plan.afterMs);
    customer.isSatisfied = true;
    // Waits until pending requests have been answered.
    await world.run(lastAnswerMs);
    await comeToRest(world, customer);
    await checkPermits(world, customer, () => comeToRest(world, customer));
    await world.run(lastLookMs);
    checkRest(world);
    checkReceived(world, customer);
    checkDurations(world);
    checkRung(world);
    checkMemory(world, agent);
    checkScripts(world, plan);
  } catch (error) {
    world.violate(`the simulation broke off: ${error instanceof Error ? error.stack : String(error)}`);
  } finally {
    await world.end();
  }
  return {
    seed,
    plan,
    violations: world.violations,
    digest: world.journal.digest(),
    lines: world.journal.lines(),
    steps: world.time.steps(),
    seconds: world.time.seconds(),
    effects: world.effects,
    coverage: world.coverage,
    deaths: world.deaths,
    moves,
    calls: postgres.rows('select count(*) as calls from call').map(({ calls }) => Number(calls))[0] ?? 0,
  };
};

const refuse = (violations: readonly string[]): void => {
  throw new Error(violations.join('\n'));
};

/** Starts a database with everything that a first start creates, and loads the libraries that the process needs. */
export const startPostgres = async (onViolations = refuse): Promise<Postgres> => {
  const postgres = await Postgres.start();
  const { violations } = await runSeed(0, postgres);
  if (violations.length > 0) onViolations(violations);
  await postgres.keepMigrated();
  return postgres;
};
