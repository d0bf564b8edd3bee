/** Invariants that hold at every moment of every call. */
import type { createCallWorld } from '#test/helpers/call-world.ts';

type World = ReturnType<typeof createCallWorld>;

/** Only a pausing conversation leaves its line paused: a paused line plays no further sentences. */
export const neverMute = (world: World): void => {
  const last = world.commands.findLast(({ type }) => type.endsWith('Talking'));
  const isOn = world.state().startsWith('active.talking');
  if (last?.type === 'pauseTalking' && isOn && !world.conversationState().includes('paused'))
    throw new Error(`the line was left mute in ${world.conversationState()}`);
};

/** While consent is required and not given, the call is not recorded and no agent is requested. */
export const neverBeforeConsent = (world: World): void => {
  if (!world.story().includes('call.answered')) return;
  if (world.facts.some((fact) => fact.type === 'call.consent' && fact.given)) return;
  if (world.requests.length > 0) throw new Error('the agent was asked before the other party agreed');
  const last = world.commands.findLast(({ type }) => type.endsWith('Recording'));
  if (last?.type !== 'pauseRecording') throw new Error('the other party was recorded before it agreed');
};
