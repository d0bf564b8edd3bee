/**
 * The far end of a simulated call in its checkpoint. The script of a simulated person is stored once, with the answer,
 * because progress is written often, and sealed, because it may contain secret digits. Progress contains the completed
 * steps.
 */
import { z } from 'zod';
import { simulatedPeople } from '#src/domain/simulated-callee.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { Sealing } from '../database/sealing.ts';

type Scripted = Extract<SimulatedFarEnd, { is: 'script' }>;

/** A far end without its script. */
export type StoredFarEnd = Exclude<SimulatedFarEnd, Scripted> | Pick<Scripted, 'is' | 'stepsDone'>;

export const storedFarEnd: z.ZodType<StoredFarEnd> = z.discriminatedUnion('is', [
  z.object({ is: z.literal('phone'), name: z.string(), hasSound: z.boolean() }),
  z.object({ is: z.literal('script'), stepsDone: z.number() }),
]);

const storedScript: z.ZodType<Pick<Scripted, 'script' | 'rehearsal'>> = z.object({
  script: z.array(z.unknown()),
  rehearsal: z
    .object({
      stepTimeoutSec: z.number(),
      people: z.record(z.string(), z.enum(simulatedPeople)).optional(),
    })
    .nullable(),
});

/** Returns the far end as progress contains it. */
export const withoutScript = (farEnd: SimulatedFarEnd | null): StoredFarEnd | null =>
  farEnd?.is === 'script' ? { is: 'script', stepsDone: farEnd.stepsDone } : farEnd;

/** Returns the script of this far end, sealed for its call; null if it has none. */
export const sealScript = (
  sealing: Sealing,
  farEnd: SimulatedFarEnd | null,
  callId: string,
): string | null => {
  if (farEnd?.is !== 'script') return null;
  const { script, rehearsal } = farEnd;
  return sealing.seal(JSON.stringify({ script, rehearsal }), callId);
};

/** Returns the far end of a call; null if only its holder knew it. */
export const openFarEnd = (
  sealing: Sealing,
  stored: StoredFarEnd | null,
  scriptSealed: string | null,
  callId: string,
): SimulatedFarEnd | null => {
  if (stored?.is !== 'script') return stored;
  if (scriptSealed === null) return null;
  return { ...stored, ...storedScript.parse(JSON.parse(sealing.open(scriptSealed, callId))) };
};
