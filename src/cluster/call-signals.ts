/** Requests about a call to its owner (`signals.ts`). A refusal by the owner rejects here with the same code. */
import { z } from 'zod';
import { plainActions, dtmfDigits, type CallAct, type InCallRequest } from '#src/domain/in-call-request.ts';
import { keysWanted } from '#src/persistence/calls/call-checkpoints.ts';
import { Refusal, refusalCatalogue, type RefusalCode } from '#src/domain/refusal.ts';
import { usualTransferDurationSec } from '#src/domain/transfer-targets.ts';
import type { NodeSignals } from './signals.ts';

/** Wire format between gateways, which may run different versions. */
const message = z.looseObject({ callId: z.uuid(), numberId: z.uuid(), ask: z.string() });

type Message = z.infer<typeof message>;

const act: z.ZodType<CallAct> = z.discriminatedUnion('action', [
  z.object({ action: z.enum(plainActions) }),
  z.object({ action: z.literal('press_keys'), keys: z.string().regex(dtmfDigits) }),
  z.object({ action: z.literal('collect'), wanted: keysWanted }),
  z.object({ action: z.literal('say'), sentences: z.array(z.string()).min(1), interrupt: z.boolean() }),
  z.object({
    action: z.literal('transfer'),
    transferId: z.uuid(),
    to: z.string(),
    // Missing in signals of older gateways.
    mode: z.enum(['cold', 'warm']).default('cold'),
    sentences: z.array(z.string()).default([]),
    briefing: z.string().default(''),
    summarize: z.boolean().default(false),
    acceptKey: z.string().nullable().default(null),
    ringTimeoutSec: z.int(),
    onFailure: z.enum(['resume', 'hang_up']),
    isRecorded: z.boolean().default(true),
    maxDurationSec: z.int().default(usualTransferDurationSec),
  }),
]);

const messageOf = ({ action: ask, ...asked }: InCallRequest): Message => ({ ...asked, ask });

const requestIn = (received: unknown): InCallRequest => {
  const { callId, numberId, ask: action, ...rest } = message.parse(received);
  return { callId, numberId, ...act.parse({ ...rest, action }) };
};

const isCode = (code: string): code is RefusalCode => Object.hasOwn(refusalCatalogue, code);

const answer = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('done') }),
  z.object({
    outcome: z.literal('refused'),
    code: z.string().refine(isCode),
    detail: z.string(),
    reason: z.string().optional(),
  }),
]);

type Answer = z.infer<typeof answer>;

const refusedBy = ({ code, message, extras: { reason } }: Refusal): Answer => ({
  outcome: 'refused',
  code,
  detail: message,
  ...(reason === undefined ? {} : { reason }),
});

/** Performs requests of other gateways for calls that this gateway owns. */
export type PerformHere = (request: InCallRequest) => Promise<void>;

export type CallSignals = {
  /**
   * Resolves when the owner has performed the request. Rejects with the owner's refusal, with `NodeUnreachable`, or if
   * the database is unavailable.
   */
  ask(node: string, request: InCallRequest): Promise<void>;
};

export const answerInCallRequest = async (asked: unknown, perform: PerformHere): Promise<Answer> => {
  try {
    await perform(requestIn(asked));
    return { outcome: 'done' };
  } catch (error) {
    if (error instanceof Refusal) return refusedBy(error);
    throw error;
  }
};

export const createCallSignals = (signals: Pick<NodeSignals, 'ask'>): CallSignals => ({
  async ask(node, request) {
    const given = answer.parse(await signals.ask(node, messageOf(request)));
    if (given.outcome === 'done') return;
    const { code, detail, reason } = given;
    throw new Refusal(code, detail, { extras: reason === undefined ? {} : { reason } });
  },
});
