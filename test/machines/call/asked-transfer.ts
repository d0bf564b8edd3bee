/** A transfer as an agent requests it, and a call in which a person is ringing for one. */
import type { TransferRequest, TransferWanted } from '#machines/transfer.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

export type World = ReturnType<typeof createCallWorld>;

/** `cold` by default. */
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

/** The control as an agent writes it in its reply. */
export const wanted: TransferWanted = {
  to: asked.to,
  mode: 'warm',
  say: null,
  briefing: 'An order.',
  acceptKey: null,
  ringTimeoutSec: 25,
  onFailure: 'resume',
};

/** A conversation in which the agent has introduced itself and a person is ringing. */
export const ringing = (maxDurationSec: number, changes: Partial<TransferRequest> = {}): World => {
  const world = createCallWorld({ maxDurationSec });
  world.answer();
  world.replyAndPlay('Hello.');
  world.ask({ ...asked, ...changes });
  return world;
};
