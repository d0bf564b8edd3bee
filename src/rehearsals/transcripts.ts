/** Words of rehearsed calls, by the id of the call. They are stored with the calls and erased with them. */
import type { SpokenTurn } from './expectations.ts';

export type Transcripts = ReadonlyMap<string, readonly SpokenTurn[]>;

export const turnsIn = (transcripts: Transcripts, callId: string | null): readonly SpokenTurn[] =>
  (callId === null ? undefined : transcripts.get(callId)) ?? [];
