/** A transfer as an agent asks for it, and a call in which somebody is rung for one. */
import type { TransferRequest, TransferWanted } from '#machines/transfer.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

export type World = ReturnType<typeof createCallWorld>;

/** `cold` where nothing else is said. */
export const asked: TransferRequest = {
  type: 'transfer.requested',
  transferId: '3f1f6f0e-98a2-4f0f-8a9e-5d5b8e4f7a11',
  to: '01000000011',
  mode: 'cold',
  sentences: [],
  briefing: 'It is about an order.',
  acceptKey: null,
  ringTimeoutSec: 25,
  onFailure: 'resume',
  isRecorded: true,
  maxDurationSec: 3_600,
};

/** As an agent writes it in its reply. */
export const wanted: TransferWanted = {
  to: asked.to,
  mode: 'warm',
  say: null,
  briefing: 'An order.',
  acceptKey: null,
  ringTimeoutSec: 25,
  onFailure: 'resume',
};

/** The agent has introduced itself, and somebody is rung. */
export const ringing = (maxDurationSec: number, changes: Partial<TransferRequest> = {}): World => {
  const world = createCallWorld({ maxDurationSec });
  world.answer();
  world.replyAndPlay('Hello.');
  world.ask({ ...asked, ...changes });
  return world;
};
