/** Conversations in the states where tests begin. */
import { callInput, createCallWorld } from '#test/helpers/call-world.ts';

export type World = ReturnType<typeof createCallWorld>;

export const { kickoff, apology, brokenOff, failedOpening, failedGoodbye, reprompt } = callInput;

/** An outbound call that was just answered: the agent is generating its first words. */
export const answered = (...parameters: Parameters<typeof createCallWorld>): World => {
  const world = createCallWorld(...parameters);
  world.answer();
  return world;
};

/** The agent has said its first sentence; either party may speak. */
export const listening = (...parameters: Parameters<typeof createCallWorld>): World => {
  const world = answered(...parameters);
  world.replyAndPlay('Good morning.');
  return world;
};

/** The other party has asked a question, and the agent is generating the answer: its second reply. */
export const asked = (...parameters: Parameters<typeof createCallWorld>): World => {
  const world = listening(...parameters);
  world.hear('A question.');
  return world;
};

export const inbound = { direction: 'inbound', kickoff: null } as const;

/** The last messages given to the agent, as `role: words`. */
export const history = (world: World): string[] =>
  (world.requests.at(-1)?.messages ?? []).map(({ role, content }) => `${role}: ${content}`);

export const isBusy = (world: World): boolean => world.actor.getSnapshot().context.agentIsBusy;
