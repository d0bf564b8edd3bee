import { randomUUID } from 'node:crypto';
import type { LineInput } from '#machines/line.ts';
import { stopping } from './usual-barge-in.ts';
import { usualSpeech } from './usual-speech.ts';
import { byPauses } from './usual-turn-end.ts';

/** The input of a line: an ordinary outbound call with the given changes. */
export const lineInput = (changes: Partial<LineInput> = {}): LineInput => ({
  callId: randomUUID(),
  direction: 'outbound',
  from: '0212345678',
  to: '01099998888',
  language: 'en',
  speech: usualSpeech,
  bargeIn: stopping,
  turnEnd: byPauses,
  recording: false,
  ...changes,
});
