/** Conversations with the built-in agent. */
import pino from 'pino';
import type { Message } from '#machines/reply.ts';
import { builtInAgent } from '#src/agents/built-in.ts';
import { kickoffFor } from '#src/domain/kickoff.ts';

export type Call = { language: string; direction: 'inbound' | 'outbound'; task: string | null };

/** A conversation with the agent, and the hangups that it requested. */
export const talk = ({ language, direction, task }: Call, hangUpFails?: Error) => {
  const hangups: { callId: string; immediate: boolean }[] = [];
  const messages: Message[] = [];
  const abort = new AbortController();
  const agent = builtInAgent(
    {
      context: { call_id: 'call-1', direction, from: '0212345678', to: '01000000001', language },
      binding: {
        direction,
        agent: 'builtin',
        agentType: null,
        chatUrl: null,
        assistantId: null,
        agentId: null,
        controls: 'off',
        model: null,
        prompt: null,
        tools: null,
      },
      bearerToken: null,
      headers: {},
      instruction: task,
    },
    {
      hangUp: (callId, { immediate }) => {
        hangups.push({ callId, immediate });
        return hangUpFails === undefined ? Promise.resolve() : Promise.reject(hangUpFails);
      },
      logger: pino({ level: 'silent' }),
    },
  );

  /** The agent's reply to this history; `onPiece` is called during the reply. */
  const reply = async (history: readonly Message[], onPiece?: () => void): Promise<string> => {
    let text = '';
    for await (const piece of agent.reply({ turn: 1, messages: history }, abort.signal)) {
      if (typeof piece === 'string') text += piece;
      onPiece?.();
    }
    return text;
  };

  /** The other party says something, or the call was just answered; `heard` limits the heard part of the reply. */
  const say = async (text: string, heard = (whole: string): string => whole): Promise<string> => {
    messages.push({ role: 'user', content: text });
    const answer = await reply(messages);
    if (heard(answer) !== '') messages.push({ role: 'assistant', content: heard(answer) });
    return answer;
  };

  return {
    abort,
    hangups,
    messages,
    reply,
    say,
    open: (heard?: (whole: string) => string): Promise<string> => say(kickoffFor(task), heard),
  };
};
