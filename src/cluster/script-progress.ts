/**
 * Progress of a rehearsed script, read by any gateway from the one whose simulated line plays it, in its memory
 * (`signals.ts`).
 */
import { z } from 'zod';
import { personaOutcomes } from '#src/domain/persona.ts';
import type { ScriptProgress } from '#src/domain/simulated-callee.ts';
import type { NodeSignals } from './signals.ts';

/** Wire format between gateways, which may have different versions. */
const message = z.object({ scriptProgress: z.object({ callId: z.uuid() }) });

const answer = z.object({
  progress: z
    .object({
      steps: z.int(),
      stepsDone: z.int(),
      outcome: z.enum(['playing', 'done', 'timed_out']),
      persona: z
        .object({ outcome: z.enum(personaOutcomes), reason: z.string() })
        .nullable()
        .default(null),
    })
    .nullable(),
});

/** Returns the progress of a script that this gateway plays or has played lately. */
export type FindScriptProgress = (callId: string) => Readonly<ScriptProgress> | undefined;

/** Reads the id of the call from a signal, if the signal asks for the progress of its script. */
export const scriptProgressIn = (asked: unknown): string | undefined =>
  message.safeParse(asked).data?.scriptProgress.callId;

export const answerScriptProgress = (callId: string, find: FindScriptProgress): z.infer<typeof answer> => ({
  progress: find(callId) ?? null,
});

/** Rejects with `NodeUnreachable`, or without a database. */
export const askScriptProgress = async (
  signals: Pick<NodeSignals, 'ask'>,
  node: string,
  callId: string,
): Promise<ScriptProgress | undefined> => {
  const request = { scriptProgress: { callId } } satisfies z.infer<typeof message>;
  return answer.parse(await signals.ask(node, request)).progress ?? undefined;
};
