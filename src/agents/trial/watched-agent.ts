import { AgentFailure, type Agent } from '../agent.ts';
import type { ExchangeLog } from '#src/outgoing/observed-client.ts';

/** Record of one turn. */
export type TurnNotes = ExchangeLog & {
  remarks: string[];
  /** The server's own error text, for the endpoint's owner only. */
  serverSays: string | null;
};

/** Wraps an agent and records the remarks that a call would only log. */
export const watchedAgent = (agent: Agent, currentNotes: () => TurnNotes): Agent => ({
  ...agent,
  begin: () => agent.begin?.(),
  close: () => agent.close?.(),
  async *reply(request, signal) {
    const notes = currentNotes();
    try {
      for await (const piece of agent.reply(request, signal)) {
        if (typeof piece === 'object' && 'remark' in piece) notes.remarks.push(piece.remark);
        yield piece;
      }
    } catch (error) {
      if (error instanceof AgentFailure) notes.serverSays = error.serverSays ?? null;
      throw error;
    }
  },
});
