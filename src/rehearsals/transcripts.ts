/** Words of rehearsed calls, by the id of the call, which are stored and erased with the calls. */

export type SpokenTurn = { role: 'assistant' | 'user'; text: string };

export type Transcripts = ReadonlyMap<string, readonly SpokenTurn[]>;

export const turnsIn = (transcripts: Transcripts, callId: string | null): readonly SpokenTurn[] =>
  (callId === null ? undefined : transcripts.get(callId)) ?? [];
