/**
 * The agent that needs neither a customer server nor a language model (guides/design/agents.md, "The built-in agent").
 * The agent tells the other party its task, takes the answer, thanks and hangs up. `built-in/dialogue.ts` chooses its
 * sentences.
 */
import type { Logger } from 'pino';
import type { HangUp } from '#src/domain/own-call.ts';
import { Refusal } from '#src/domain/refusal.ts';
import type { AgentCall } from '#src/domain/agent-call.ts';
import type { Agent } from './agent.ts';
import { nextAnswer } from './built-in/dialogue.ts';
import { wordsFor } from './built-in/languages.ts';

export const builtInAgent = (
  { context, instruction }: AgentCall,
  { hangUp, logger }: { hangUp: HangUp; logger: Logger },
): Agent => {
  const words = wordsFor(context.language);
  const task = instruction === null ? '' : instruction.replaceAll(/\s+/g, ' ').trim();
  const opening = { direction: context.direction, task: task === '' ? null : task, words };

  /** Requests a hang-up. Resolves to whether the request was accepted; if not, the call continues. */
  const requestHangup = async (immediate: boolean): Promise<boolean> => {
    try {
      await hangUp(context.call_id, { immediate });
      return true;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      logger.warn({ call_id: context.call_id, reason: error.code }, "the agent's hangup was refused");
      return false;
    }
  };

  return {
    async *reply({ messages }, signal) {
      const { text, hangUp: when } = nextAnswer(messages, opening);
      // The agent hangs up without a farewell if the farewell was interrupted twice.
      if (when === 'now' && (await requestHangup(true))) return;
      yield text;
      if (when === 'no' || signal.aborted) return;
      // The hang-up request waits for the farewell (guides/design/calls.md, "Hang-up and farewell").
      if (when === 'now' || !(await requestHangup(false))) yield `${words.space}${words.stillHere}`;
    },
  };
};
