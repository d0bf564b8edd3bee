/**
 * Resumption of a call that another process held, from what that process has left of it: how far it had come when that
 * was last kept, and its journal, which may know more, or less.
 */
import type { ResumedAs, TakenOverCall, TakenOverConversation } from '#machines/taken-over.ts';
import type { Message } from '#machines/reply.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { JournalEntry } from '#src/persistence/call-journal.ts';
import type { CallProgress, Revival } from '#src/persistence/call-revivals.ts';
import type { CallRow } from '#src/persistence/calls.ts';

export type LeftCall = {
  call: Pick<CallRow, 'answeredBy'>;
  revival: Revival;
  facts: readonly JournalEntry[];
  kickoff: string | null;
  greeting: string | null;
};

/** Whose server remembers nothing of a call may be asked twice; the others would hear the same words again. */
const mayBeAskedAgain = ({ agent, agentType }: AgentBinding): boolean =>
  agent === 'builtin' || agentType === 'openai_compatible' || agentType === 'mastra';

/** In the order in which they were said: a turn of the agent is told when it is over, also where somebody spoke into it. */
const messagesOf = ({ facts, kickoff }: LeftCall): Message[] => {
  const turns = facts.flatMap(({ at, role, text }) =>
    role === null || text === null ? [] : [{ at, message: { role, content: text } }],
  );
  const said = turns.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const opening: Message[] = kickoff === null ? [] : [{ role: 'user', content: kickoff }];
  return [...opening, ...said.map(({ message }) => message)];
};

const lastOf = (facts: readonly JournalEntry[], ...types: readonly string[]): JournalEntry | undefined =>
  facts.findLast(({ type }) => types.includes(type));

const unanswerable = (messages: readonly Message[]): number =>
  messages.length - (messages.findLastIndex(({ role }) => role === 'assistant') + 1);

const outerOf = (state: string): string => state.split('.', 1)[0] ?? '';

/** Words of a program that are still to be said, of those that were kept and those that were asked for later. */
const askedLast = (kept: readonly string[], later: readonly JournalEntry[]): string[] => {
  const since = later.flatMap(({ type, data: { text } }) =>
    type === 'say.requested' && typeof text === 'string' ? [text] : [],
  );
  const heard = later.filter(({ role }) => role === 'assistant').map(({ text }) => text ?? '');
  return [...kept, ...since].filter((words) => !heard.some((text) => text.includes(words)));
};

/** What the journal knows beyond what was kept last. */
const caughtUp = (progress: CallProgress, facts: readonly JournalEntry[]): CallProgress['conversation'] => {
  const { conversation } = progress;
  const later = facts.filter(({ sequence }) => sequence > progress.facts);
  const heard = later.filter(({ role }) => role === 'user').length;
  const failures = later.filter(({ type }) => type === 'reply.failed').length;
  const isTurnOver = later.some(({ role }) => role === 'assistant');
  const now = isTurnOver ? { ...conversation, state: 'listening', spoken: null, unplayed: [] } : conversation;
  const unanswered = conversation.unanswered + heard;
  // Whom it owed an answer when its floor was free it has asked for one.
  const wasAsked = outerOf(now.state) === 'listening' && (isTurnOver || heard > 0) && unanswered > 0;
  return {
    ...now,
    asked: askedLast(conversation.asked, later),
    ...(wasAsked && failures === 0 ? { state: 'replying.thinking' } : {}),
    unanswered,
    failuresInARow: conversation.failuresInARow + failures,
  };
};

type Resumed = Pick<TakenOverConversation, 'resumesAs' | 'unsaid' | 'unanswered' | 'spoken'>;

const beginning = ({ kickoff, greeting }: LeftCall): Resumed => ({
  resumesAs: kickoff === null && greeting !== null ? 'saying' : 'listening',
  unsaid: kickoff === null && greeting !== null ? [greeting] : [],
  unanswered: kickoff === null ? 0 : 1,
  spoken: null,
});

/** By the state that its conversation was in. */
const resumed = (
  left: LeftCall,
  { state, spoken, unplayed, unanswered }: CallProgress['conversation'],
  messages: readonly Message[],
): Resumed => {
  const as = (resumesAs: ResumedAs, unsaid: readonly string[] = unplayed): Resumed => ({
    resumesAs,
    unsaid,
    unanswered,
    spoken,
  });
  const isKickoff = messages.length === 1 && left.kickoff !== null;
  const outer = outerOf(state);
  switch (outer) {
    case 'opening':
      return beginning(left);
    case 'replying': {
      // Of a reply of which nobody has heard a sentence, none is missed when it comes anew.
      const isUnheard =
        spoken === null && (unplayed.length === 0 || mayBeAskedAgain(left.revival.beginning.binding));
      const isAskedAgain = isUnheard && (isKickoff || mayBeAskedAgain(left.revival.beginning.binding));
      return isAskedAgain
        ? { ...as('listening', []), unanswered: Math.max(1, unanswered) }
        : as('broken-off');
    }
    case 'saying':
      return as(unplayed.length === 0 ? 'listening' : 'saying');
    case 'parting':
    case 'voicemail':
    case 'on-hold':
      return as(outer);
    default:
      return as('listening', []);
  }
};

/** Why its end was decided, where it was. */
const endOf = ({ facts, revival: { progress } }: LeftCall, was: CallProgress['conversation'] | null) => {
  if (progress !== null && progress.endReason !== null) return progress.endReason;
  if (lastOf(facts, 'call.hangup_requested')?.data['immediate'] === true) return 'agent_hangup';
  const hasSaidAll = was !== null && was.unplayed.length === 0 && was.spoken !== null;
  if (was?.state === 'parting' && was.unplayed.length === 0) return 'agent_error';
  if (was?.state.startsWith('voicemail') === true && hasSaidAll) return 'agent_hangup';
  return null;
};

/** `node`: the gateway that goes on with it. */
export const resumption = (left: LeftCall, node: string): TakenOverCall => {
  const { call, revival, facts } = left;
  const messages = messagesOf(left);
  const was = revival.progress && caughtUp(revival.progress, facts);
  const isHeld = lastOf(facts, 'call.held', 'call.resumed')?.type === 'call.held';
  const { resumesAs, unsaid, unanswered, spoken } =
    was === null ? beginning(left) : resumed(left, was, messages);
  return {
    node,
    answeredBy: call.answeredBy,
    recordingIsPaused: lastOf(facts, 'recording.paused', 'recording.resumed')?.type === 'recording.paused',
    hangupIsPending:
      lastOf(facts, 'call.hangup_requested', 'call.hangup_cancelled')?.type === 'call.hangup_requested',
    endReason: endOf(left, was),
    conversation: {
      resumesAs: isHeld ? 'on-hold' : resumesAs === 'on-hold' ? 'listening' : resumesAs,
      unsaid: isHeld ? [] : unsaid,
      messages,
      turn: was?.turn ?? 0,
      utterance: was?.utterance ?? 0,
      spoken,
      asked: was?.asked ?? askedLast([], facts),
      unanswered: Math.min(unanswered, unanswerable(messages)),
      failuresInARow: was?.failuresInARow ?? 0,
      wasReprompted: was?.wasReprompted ?? false,
    },
  };
};
