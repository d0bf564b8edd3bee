/** Loads a stored call. */
import { getCall, getReplay, getSipLadder, getTranscript } from '../api.ts';
import type { LoadedCall } from './loaded-call.ts';

export const loadCall = async (id: string): Promise<LoadedCall> => {
  const [call, steps, turns, ladder] = await Promise.all([
    getCall(id),
    getReplay(id),
    getTranscript(id),
    getSipLadder(id),
  ]);
  return { source: { is: 'stored' }, call, steps, turns, sip: ladder.messages, audio: null };
};
