/** Requests about a call, to the gateway that holds it (`signals.ts`); its refusals are refusals here. */
import { z } from 'zod';
import { callActions, type InCallRequest } from '#src/domain/in-call-request.ts';
import { Refusal, refusalCatalogue, type RefusalCode } from '#src/domain/refusal.ts';
import type { NodeSignals } from './signals.ts';

/** As it travels between gateways, which need not be of one version. */
const message = z.object({ callId: z.uuid(), numberId: z.uuid(), ask: z.enum(callActions) });

type Message = z.infer<typeof message>;

const messageOf = ({ callId, numberId, action: ask }: InCallRequest): Message => ({ callId, numberId, ask });

const requestIn = (received: unknown): InCallRequest => {
  const { callId, numberId, ask: action } = message.parse(received);
  return { callId, numberId, action };
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

/** Does what other gateways ask of calls that are held here. */
export type PerformHere = (request: InCallRequest) => Promise<void>;

export type CallSignals = {
  /** Resolves when the gateway has done it. Rejects with its refusal, with `NodeUnreachable`, or without a database. */
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
