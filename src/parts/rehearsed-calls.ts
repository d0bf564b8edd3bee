/** Places the calls of a rehearsal on the simulated line, and reads them when they have ended. */
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import type { ApiServices, Simulator } from '#src/api/api-services.ts';
import { createSeenJournal, createWakeUp } from '#src/api/calls/call-event-stream.ts';
import { withinCapacity } from '#src/api/http/within-capacity.ts';
import { readDestination } from '#src/domain/read-number.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { Database } from '#src/persistence/database/database.ts';
import { findNumberByDigits } from '#src/persistence/numbers/callable-numbers.ts';
import type { EndedCallRecord, RehearsedCalls } from '#src/rehearsals/rehearsed-calls.ts';
import { bindingOf, type SuiteAgent } from '#src/rehearsals/suite-agent.ts';

/** Number whose agent is rehearsed. */
export type RehearsedNumber = { id: string; number: string; workspaceId: string };

type World = {
  services: ApiServices;
  simulator: Simulator;
  database: Database;
  /** Agent of the calls; undefined for the agents of the number. */
  agent: SuiteAgent | undefined;
};

/** Returns consecutive telephone numbers, starting at one that no other run uses. */
const callees = (): (() => string) => {
  let next = randomInt(1_000_000, 9_000_000);
  return () => `0109${(next++).toString().padStart(7, '0')}`;
};

/** Returns the number as calls read it now, because its settings may have changed. */
const callable = async (database: Database, { number, workspaceId }: RehearsedNumber) => {
  const found = await findNumberByDigits(database, number);
  if (found?.workspace.id !== workspaceId)
    throw new Refusal('number_not_found', 'The number of the rehearsal was deleted.');
  return found;
};

/** `queuedMs` is absent in facts that were stored before it was measured. */
const latency = z.object({
  latency: z.object({
    endpointingMs: z.number(),
    queuedMs: z.number().default(0),
    firstAudioMs: z.number(),
  }),
});

const verdict = z.object({ by: z.string() });

/** Waits until the journal of a call is complete. Resolves to what the journal says. */
const followed = async (
  callId: string,
  { workspaceId }: RehearsedNumber,
  { services, signal }: { services: ApiServices; signal: AbortSignal },
): Promise<Pick<EndedCallRecord, 'answeredBy' | 'facts' | 'latenciesMs'>> => {
  const { storedCalls, watchFacts } = services.calls;
  const { clock } = services.operation;
  const { pollMs, lateFactsMs } = services.operation.limits.eventStream;
  const wakeUp = createWakeUp(clock);
  const stop = watchFacts(callId, wakeUp.wake);
  signal.addEventListener('abort', wakeUp.wake);
  const facts: string[] = [];
  const answeredBy: string[] = [];
  const latenciesMs: number[] = [];
  try {
    const seen = createSeenJournal(await storedCalls.find({ callId, workspaceId }));
    for (;;) {
      for (const entry of await storedCalls.journal(callId, seen.last())) {
        seen.add(entry);
        facts.push(entry.type);
        if (entry.type === 'call.answered_by') answeredBy.push(verdict.parse(entry.data).by);
        const measured = latency.safeParse(entry.data).data?.latency;
        if (measured !== undefined)
          latenciesMs.push(measured.endpointingMs + measured.queuedMs + measured.firstAudioMs);
      }
      if (seen.isWhole() || clock.now() - seen.endedAt() > lateFactsMs)
        return { answeredBy, facts, latenciesMs };
      signal.throwIfAborted();
      await wakeUp.wait(pollMs);
    }
  } finally {
    stop();
    signal.removeEventListener('abort', wakeUp.wake);
  }
};

export const createRehearsedCalls = (
  rehearsed: RehearsedNumber,
  { services, simulator, database, agent }: World,
): RehearsedCalls => {
  const { workspaceId, number, id: numberId } = rehearsed;
  const { country } = services.directory;
  const { placeCall, requestHangup, requestCancel, storedCalls } = services.calls;
  const nextCallee = callees();
  /** Callees of calls in progress, by call. */
  const calledIn = new Map<string, string>();

  const hangUp = async (callId: string): Promise<void> => {
    const ignore = (): void => {};
    await requestHangup({ callId, numberId, immediate: true }).catch(() =>
      requestCancel({ callId, numberId }).catch(ignore),
    );
  };

  return {
    async callIn({ from, script, rehearsal }) {
      const request = {
        workspaceId,
        to: number,
        from,
        script,
        rehearsal,
        agent: agent && bindingOf(agent, 'inbound'),
      };
      const { callId } = await withinCapacity(services, () => simulator.receiveSimulatedCall(request));
      return callId;
    },
    async callOut({ instruction, script, rehearsal }) {
      const to = readDestination(nextCallee(), country);
      await simulator.defineCallee(workspaceId, to, { script, rehearsal });
      const { callId } = await withinCapacity(services, async () =>
        placeCall(await callable(database, rehearsed), {
          to,
          instruction,
          maxDurationSec: null,
          agent: agent && bindingOf(agent, 'outbound'),
          keyed: null,
        }),
      );
      calledIn.set(callId, to);
      return callId;
    },
    async ended(callId, signal) {
      try {
        const heard = await followed(callId, rehearsed, { services, signal });
        const call = await storedCalls.find({ callId, workspaceId });
        return {
          ...heard,
          status: call.status,
          endReason: call.endReason,
          durationSec: call.durationSec,
          transferTo: call.transfer?.to ?? null,
          turns: await storedCalls.transcript(callId),
          steps: await storedCalls.replay(call),
          progress: await simulator.scriptProgress(call),
        };
      } catch (error) {
        // Also after an error of its own, which ends the run. A call that has ended is not affected.
        await hangUp(callId);
        throw error;
      } finally {
        const callee = calledIn.get(callId);
        calledIn.delete(callId);
        if (callee !== undefined) await simulator.deleteCallee(workspaceId, callee);
      }
    },
  };
};
