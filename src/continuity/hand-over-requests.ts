/** Hand-over of calls from a stopping gateway to another one, which confirms that it holds them (`signals.ts`). */
import { z } from 'zod';
import type { NodeSignals } from '#src/cluster/signals.ts';

/** Wire format between gateways, which may have different versions. */
const message = z.object({ handOver: z.object({ from: z.string(), callIds: z.array(z.uuid()) }) });

export type HandedOver = z.infer<typeof message>['handOver'];

const answer = z.object({ outcome: z.enum(['taken', 'refused']) });

type Answer = z.infer<typeof answer>;

/** Takes over these calls. False if this gateway takes none because it is stopping as well. */
export type TakeHandedOver = (calls: HandedOver) => Promise<boolean>;

/** Reads the hand-over from a signal, if it is one. */
export const handOverIn = (asked: unknown): HandedOver | undefined => message.safeParse(asked).data?.handOver;

export const answerHandOver = async (calls: HandedOver, take: TakeHandedOver): Promise<Answer> => ({
  outcome: (await take(calls)) ? 'taken' : 'refused',
});

/**
 * Resolves to whether the other gateway takes the calls over. Rejects with `NodeUnreachable`, or without a database.
 */
export const askToTake = async (
  signals: Pick<NodeSignals, 'ask'>,
  node: string,
  handOver: HandedOver,
): Promise<boolean> =>
  answer.parse(await signals.ask(node, { handOver } satisfies z.infer<typeof message>)).outcome === 'taken';
