/**
 * Rehearsals: runs suites on the simulated line and stores their results. A number has one run at a time; others wait
 * in the database, so that gateways that share it take turns.
 */
import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { rehearsalTimes } from '#config/policy.ts';
import type { ApiServices, Rehearsals } from '#src/api/api-services.ts';
import { invalidField, Refusal } from '#src/domain/refusal.ts';
import { withoutModel, type RehearsalModel } from '#src/domain/persona.ts';
import { mostRehearsedCalls, type RehearsalResult, type RehearsalRun } from '#src/domain/rehearsal.ts';
import { createRepeatedTask } from '#src/domain/repeated-task.ts';
import {
  claimRehearsal,
  countUnfinishedRehearsals,
  createRehearsal,
  deleteOldRehearsals,
  endRehearsal,
  findRehearsal,
  interruptRehearsalsOf,
  keepRehearsalsAlive,
  lastResultOf,
  listRehearsals,
  storeRehearsalProgress,
} from '#src/persistence/workspaces/rehearsals.ts';
import type { Suite } from '#src/rehearsals/suite-schema.ts';
import type { RehearsedNumber } from './rehearsed-calls.ts';
import type { Runtime } from './runtime.ts';

type Needed = Pick<Runtime, 'config' | 'database' | 'steadyClock' | 'clock' | 'logger' | 'started'>;

type Parts = {
  /** Services of the API, which exist when a run begins. */
  services: () => ApiServices;
  /** The operator's language model; null without one. */
  model: RehearsalModel | null;
};

/** Reasons for which a run ends early. */
class RunEnded extends Error {
  override readonly name = 'RunEnded';
  readonly how: 'cancelled' | 'interrupted' | 'too long';

  constructor(how: RunEnded['how']) {
    super(`The run was ${how}`);
    this.how = how;
  }
}

type Started = {
  run: Pick<RehearsalRun, 'id' | 'suite' | 'numberId' | 'createdAt' | 'repeat' | 'parallel'>;
  suite: Suite;
  number: RehearsedNumber;
};

/**
 * Loads the modules of the runner only when they are used, because they read the charts, and in pieces: calls in
 * progress must not wait for all of them.
 */
const loadRunner = async () => {
  const readPattern = await (await import('#src/domain/said-pattern.ts')).loadPatterns();
  await setImmediate();
  await import('#src/rehearsals/coverage.ts');
  await setImmediate();
  const { readSuite } = await import('#src/rehearsals/read-suite.ts');
  await setImmediate();
  const { runSuite } = await import('#src/rehearsals/run-suite.ts');
  await setImmediate();
  const { changesSince, keep } = await import('#src/rehearsals/comparison.ts');
  const { requireUsable } = await import('#src/rehearsals/suite-agent.ts');
  const { createRehearsedCalls } = await import('./rehearsed-calls.ts');
  return { readSuite, runSuite, changesSince, keep, requireUsable, createRehearsedCalls, readPattern };
};

const usesModel = ({ cases }: Suite): boolean =>
  cases.some(
    ({ caller, callee, expect }) =>
      expect?.rubric !== undefined || (caller ?? callee ?? []).some(({ persona }) => persona !== undefined),
  );

/** Runs started suites one after the other on each number, until the signal of the run aborts. */
const createRuns = (
  { database, steadyClock, logger }: Needed,
  { services, model }: Parts,
): { run(started: Started, signal: AbortSignal): Promise<void> } => {
  const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const end = (): void => {
        steadyClock.clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = steadyClock.setTimeout(end, milliseconds);
      signal.addEventListener('abort', end);
    });

  const untilClaimed = async (id: string, signal: AbortSignal): Promise<void> => {
    while (!(await claimRehearsal(database, id))) {
      await pause(rehearsalTimes.claimMs, signal);
      signal.throwIfAborted();
    }
  };

  const play = async ({ run, suite, number }: Started, signal: AbortSignal): Promise<RehearsalResult> => {
    const { createRehearsedCalls, runSuite, changesSince, keep, readPattern } = await loadRunner();
    const { calls } = services();
    if (calls.simulator === null) throw new Error('A rehearsal began without a simulated line');
    let storing: Promise<void> = Promise.resolve();
    const world = {
      calls: createRehearsedCalls(number, {
        services: services(),
        simulator: calls.simulator,
        database,
        agent: suite.agent,
      }),
      judge: model?.judge ?? null,
      readPattern,
      signal,
    };
    const result = await runSuite(suite, world, {
      repeat: run.repeat,
      parallel: run.parallel,
      now: () => steadyClock.now(),
      onProgress({ cases, coverage }, callsDone) {
        const progress = { id: run.id, result: { cases, coverage, changes: null }, callsDone };
        storing = storing
          .then(() => storeRehearsalProgress(database, progress))
          .catch((error: unknown) =>
            logger.warn({ err: error, rehearsal_id: run.id }, 'results of a rehearsal could not be stored'),
          );
      },
    });
    await storing;
    // The calls of a gateway that shuts down were hung up.
    if (services().operation.health.isDraining()) throw new RunEnded('interrupted');
    const before = await lastResultOf(database, run);
    return { ...result, changes: before === undefined ? null : changesSince(keep(before), keep(result)) };
  };

  const withinLimit = async <Result>(
    signal: AbortSignal,
    work: (limited: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const tooLong = new AbortController();
    const timer = steadyClock.setTimeout(
      () => tooLong.abort(new RunEnded('too long')),
      rehearsalTimes.mostMs,
    );
    try {
      return await work(AbortSignal.any([signal, tooLong.signal]));
    } finally {
      steadyClock.clearTimeout(timer);
    }
  };

  const endEarly = (id: string, error: unknown): Promise<boolean> => {
    const isDraining = error instanceof Refusal && error.code === 'draining';
    const how = error instanceof RunEnded ? error.how : isDraining ? 'interrupted' : undefined;
    if (how === 'cancelled' || how === 'interrupted') return endRehearsal(database, { id, status: how });
    if (how === 'too long') {
      const problem = `The run was ended after ${rehearsalTimes.mostMs / 60_000} minutes.`;
      return endRehearsal(database, { id, status: 'failed', problem });
    }
    if (!(error instanceof Refusal)) logger.error({ err: error, rehearsal_id: id }, 'a rehearsal failed');
    const problem = error instanceof Refusal ? error.message : 'Something went wrong on our side.';
    return endRehearsal(database, { id, status: 'failed', problem });
  };

  return {
    async run(started, signal) {
      const { id } = started.run;
      try {
        await untilClaimed(id, signal);
        const result = await withinLimit(signal, (limited) => play(started, limited));
        const isPassed = result.cases.every(({ outcome }) => outcome === 'passed');
        await endRehearsal(database, { id, status: isPassed ? 'passed' : 'failed', result });
      } catch (error) {
        await endEarly(id, error);
      }
    },
  };
};

export const startRehearsals = async (runtime: Needed, parts: Parts): Promise<Rehearsals> => {
  const { config, database, clock, steadyClock, logger, started } = runtime;
  const runs = createRuns(runtime, parts);
  const own = new Map<string, { controller: AbortController; over: Promise<void> }>();
  if (config.lines === 'simulator') await interruptRehearsalsOf(database, config.node);

  const stop = (id: string, how: RunEnded['how']): void => own.get(id)?.controller.abort(new RunEnded(how));

  const showAlive = createRepeatedTask({
    everyMs: rehearsalTimes.aliveMs,
    clock: steadyClock,
    async work() {
      // A run may begin while the database is asked.
      const asked = [...own.keys()];
      if (asked.length === 0) return;
      try {
        const alive = await keepRehearsalsAlive(database, asked);
        for (const id of asked) if (!alive.has(id)) stop(id, 'cancelled');
      } catch (error) {
        logger.warn({ err: error }, 'rehearsals could not be shown to be alive; retrying');
      }
    },
  });
  showAlive.start(rehearsalTimes.aliveMs);
  started.defer(async () => {
    await showAlive.stop();
    for (const id of own.keys()) stop(id, 'interrupted');
    await Promise.all([...own.values()].map(({ over }) => over));
  });

  const begin = (run: Started): void => {
    const { id } = run.run;
    const controller = new AbortController();
    const over = runs
      .run(run, controller.signal)
      .catch((error: unknown) => logger.error({ err: error, rehearsal_id: id }, 'a rehearsal was not ended'))
      .finally(() => own.delete(id));
    own.set(id, { controller, over });
  };

  /** Reads the suite. Refuses an invalid suite by line and column, and one that needs a missing language model. */
  const read = async (source: string): Promise<Suite> => {
    const { readSuite, readPattern } = await loadRunner();
    const { suite, problems } = readSuite(source, readPattern);
    if (suite === undefined)
      throw invalidField(
        ...problems.map(({ line, column, message }) => ({
          path: 'suite',
          message: `${line}:${column}: ${message}`,
        })),
      );
    if (parts.model === null && usesModel(suite))
      throw invalidField({ path: 'suite', message: withoutModel });
    return suite;
  };

  const numberFor = async (wanted: string | undefined, workspaceId: string): Promise<RehearsedNumber> => {
    const numbers = await parts.services().directory.numbers(workspaceId);
    const found = wanted === undefined ? numbers[0] : numbers.find(({ number }) => number === wanted);
    if (found !== undefined) return { id: found.id, number: found.number, workspaceId };
    throw new Refusal(
      'number_not_found',
      wanted === undefined ? 'The workspace has no number.' : `The workspace has no number ${wanted}.`,
    );
  };

  const requireAgent = async (agent: NonNullable<Suite['agent']>): Promise<void> => {
    const { requireUsable } = await loadRunner();
    requireUsable(agent);
    const problem =
      agent === 'builtin' ? undefined : await parts.services().directory.urlProblem(agent.chat_url);
    if (problem !== undefined) throw invalidField({ path: 'suite', message: `agent.chat_url: ${problem}` });
  };

  return {
    async start(admin, { name, source, number: wanted, repeat, parallel }) {
      const workspaceId = admin.workspace.id;
      const suite = await read(source);
      const callsAll = suite.cases.length * repeat;
      if (callsAll > mostRehearsedCalls)
        throw invalidField({
          path: 'repeat',
          message: `A run has at most ${mostRehearsedCalls} calls; this one would have ${callsAll}.`,
        });
      const number = await numberFor(wanted ?? suite.number, workspaceId);
      if (suite.agent !== undefined) await requireAgent(suite.agent);
      if ((await countUnfinishedRehearsals(database, workspaceId)) >= rehearsalTimes.mostWaiting)
        throw new Refusal('concurrency_limit', 'Too many rehearsals of this workspace wait or run.');
      const id = randomUUID();
      const run = {
        id,
        workspaceId,
        numberId: number.id,
        suite: name,
        source,
        repeat,
        parallel,
        callsAll,
        actor: `admin:${admin.id}`,
        node: config.node,
        createdAt: new Date(clock.now()),
      };
      await createRehearsal(database, run);
      await deleteOldRehearsals(database, { workspaceId, most: rehearsalTimes.mostKept });
      begin({ run, suite, number });
      const stored = await findRehearsal(database, { id, workspaceId });
      if (stored === undefined) throw new Error('A rehearsal left no row');
      return stored;
    },
    list: (query) => listRehearsals(database, query),
    find: (wanted) => findRehearsal(database, wanted),
    async cancel(wanted) {
      const run = await findRehearsal(database, wanted);
      if (run === undefined) return false;
      const wasCancelled = await endRehearsal(database, { id: run.id, status: 'cancelled' });
      stop(run.id, 'cancelled');
      return wasCancelled;
    },
  };
};
