/** Calls that pass from a gateway that ends to another one, which says when it holds them (`signals.ts`). */
import { z } from 'zod';
import type { NodeSignals } from './signals.ts';

/** As it travels between gateways, which need not be of one version. */
const message = z.object({ handOver: z.object({ from: z.string(), callIds: z.array(z.uuid()) }) });

export type HandedOver = z.infer<typeof message>['handOver'];

const answer = z.object({ outcome: z.enum(['taken', 'refused']) });

type Answer = z.infer<typeof answer>;

/** Goes on with these calls. False where this gateway takes none, because it ends as well. */
export type TakeHandedOver = (calls: HandedOver) => Promise<boolean>;

/** The hand-over that a signal asks for, where it does. */
export const handOverIn = (asked: unknown): HandedOver | undefined => message.safeParse(asked).data?.handOver;

export const answerHandOver = async (calls: HandedOver, take: TakeHandedOver): Promise<Answer> => ({
  outcome: (await take(calls)) ? 'taken' : 'refused',
});

/** Resolves to whether that gateway goes on with them. Rejects with `NodeUnreachable`, or without a database. */
export const askToTake = async (
  signals: Pick<NodeSignals, 'ask'>,
  node: string,
  handOver: HandedOver,
): Promise<boolean> =>
  answer.parse(await signals.ask(node, { handOver } satisfies z.infer<typeof message>)).outcome === 'taken';
