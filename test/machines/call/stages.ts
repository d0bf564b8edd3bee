/** Calls in the states where tests begin, and the requests sent to them. */
import type { SipDetails } from '#machines/line.ts';
import { createCallWorld } from '#test/helpers/call-world.ts';

export type World = ReturnType<typeof createCallWorld>;

export const sip: SipDetails = { status: 486, reason: 'Busy Here', callId: 'abc@127.0.0.1' };

/** A call in which the agent says its farewell and asks to hang up while it is being played. */
export const sayingFarewell = (): World => {
  const world = createCallWorld();
  world.answer();
  world.onReply({ type: 'reply.sentence', text: 'Goodbye.' });
  world.onReply({ type: 'reply.finished' });
  world.ask({ type: 'hangup.requested', immediate: false });
  return world;
};

/** The agent has said its first sentence and the other party speaks next. */
export const listening = (changes: Parameters<typeof createCallWorld>[0] = {}): World => {
  const world = createCallWorld(changes);
  world.answer();
  world.replyAndPlay('Good morning.');
  return world;
};

export const lineEnds = (world: World): void => world.onLine({ type: 'line.ended', by: 'gateway' });

export const theyHangUp = (world: World): void => world.onLine({ type: 'line.ended', by: 'counterparty' });

export const lastCommand = (world: World): string | undefined => world.commands.at(-1)?.type;

export const timesHungUp = (world: World): number =>
  world.commands.filter(({ type }) => type === 'hangUp').length;
