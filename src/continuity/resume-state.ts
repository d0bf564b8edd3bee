/**
 * Derives the resume state of a call of another process from its stored progress and its journal, which may be newer or
 * older.
 */
import { isTurnOfKeys, noKeysYet, type CollectedKeys } from '#machines/collected-keys.ts';
import type {
  ResumedTransfer,
  ResumedAs,
  CallResumeState,
  ConversationResumeState,
} from '#machines/resume-state.ts';
import type { Message } from '#machines/reply.ts';
import type { AgentBinding } from '#src/domain/agent-binding.ts';
import type { JournalEntry } from '#src/persistence/calls/call-journal.ts';
import { keysWanted, type CallProgress, type Checkpoint } from '#src/persistence/calls/call-checkpoints.ts';
import type { CallRow } from '#src/persistence/calls/calls.ts';

export type ResumableCall = {
  call: Pick<CallRow, 'answeredBy'>;
  checkpoint: Checkpoint;
  facts: readonly JournalEntry[];
  kickoff: string | null;
  greeting: string | null;
  /** Current time of the call. */
  now: number;
  /** Milliseconds without a holder; null if the holder died, since that time is unknown. */
  unheldMs: number | null;
};

/** Agents without server-side history may be asked twice; other servers would receive the same words twice. */
const mayBeAskedAgain = ({ agent, agentType }: AgentBinding): boolean =>
  agent === 'builtin' || agentType === 'openai_compatible' || agentType === 'mastra';

/** A hand-over during silence is shorter than the time in which a party begins to speak. */
const longestUnnoticedMs = 1_000;

const outerOf = (state: string): string => state.split('.', 1)[0] ?? '';

const lastOf = (facts: readonly JournalEntry[], ...types: readonly string[]): JournalEntry | undefined =>
  facts.findLast(({ type }) => types.includes(type));

/** Whether the other party must still hear the notice or the consent question that precedes the conversation. */
const awaitsConsent = ({ facts, checkpoint: { settings } }: ResumableCall): boolean =>
  settings.policy.consent.announce !== null && lastOf(facts, 'call.consent') === undefined;

/** Leaves out words before the other party's consent, which are not part of the conversation. */
const withoutConsent = (facts: readonly JournalEntry[]): readonly JournalEntry[] => {
  const asked = facts.findLastIndex(({ type }) => type === 'call.consent');
  return facts.slice(asked + 1);
};

/** Leaves out words to or from call screening: a call that was taken over during it begins again. */
const withoutScreening = (facts: readonly JournalEntry[]): readonly JournalEntry[] => {
  const met = facts.findLastIndex(
    ({ type, data }) => type === 'call.answered_by' && data['by'] === 'screening',
  );
  if (met === -1) return facts;
  const over = facts.findIndex(
    ({ type }, index) => index > met && (type === 'call.answered_by' || type === 'call.taken_over'),
  );
  return over === -1 ? [] : facts.slice(over + 1);
};

/**
 * Sorted by the time of speech: a turn of the agent is published at its end, even if the other party spoke during it.
 */
const messagesOf = ({ facts, kickoff }: ResumableCall): Message[] => {
  const turns = withoutScreening(withoutConsent(facts)).flatMap(({ at, role, text }) =>
    role === null || text === null ? [] : [{ at, message: { role, content: text } }],
  );
  const said = turns.toSorted((one, other) => one.at.getTime() - other.at.getTime());
  const opening: Message[] = kickoff === null ? [] : [{ role: 'user', content: kickoff }];
  return [...opening, ...said.map(({ message }) => message)];
};

const unanswerable = (messages: readonly Message[]): number =>
  messages.length - (messages.findLastIndex(({ role }) => role === 'assistant') + 1);

/** A program's pending words: those stored in the progress and those requested later. */
const askedLast = (kept: readonly string[], later: readonly JournalEntry[]): string[] => {
  const since = later.flatMap(({ type, data: { text } }) =>
    type === 'say.requested' && typeof text === 'string' ? [text] : [],
  );
  const heard = later.filter(({ role }) => role === 'assistant').map(({ text }) => text ?? '');
  return [...kept, ...since].filter((words) => !heard.some((text) => text.includes(words)));
};

/** DTMF digits that the agent still waits for. */
const collectedLast = (kept: CollectedKeys | null, later: readonly JournalEntry[]): CollectedKeys | null => {
  const last = later.findLast(
    ({ type, role, text }) => type === 'collect.requested' || (role === 'user' && isTurnOfKeys(text ?? '')),
  );
  if (last === undefined) return kept;
  const wanted = last.type === 'collect.requested' ? keysWanted.safeParse(last.data).data : undefined;
  return wanted === undefined ? null : noKeysYet(wanted);
};

/** The last stored conversation, updated to the end of the journal. */
const caughtUp = (progress: CallProgress, facts: readonly JournalEntry[]): CallProgress['conversation'] => {
  const { conversation } = progress;
  const later = facts.filter(({ sequence }) => sequence > progress.facts);
  const heard = later.filter(({ role }) => role === 'user').length;
  const failures = later.filter(({ type }) => type === 'reply.failed').length;
  const isTurnOver = later.some(({ role }) => role === 'assistant');
  const now = isTurnOver
    ? {
        ...conversation,
        state: 'listening',
        spoken: null,
        isReplyOwed: false,
        unplayed: [],
        controls: [],
      }
    : conversation;
  const unanswered = conversation.unanswered + heard;
  // If the floor was free and an answer was due, the agent has already been asked for it.
  const wasAsked = outerOf(now.state) === 'listening' && (isTurnOver || heard > 0) && unanswered > 0;
  return {
    ...now,
    asked: askedLast(conversation.asked, later),
    collected: collectedLast(conversation.collected, later),
    ...(wasAsked && failures === 0 ? { state: 'replying.thinking', unanswered: 0 } : { unanswered }),
    failuresInARow: conversation.failuresInARow + failures,
  };
};

type Resumed = Pick<
  ConversationResumeState,
  'resumesAs' | 'unsaid' | 'unanswered' | 'isReplyOwed' | 'spoken'
>;

const opening = ({ kickoff, greeting }: ResumableCall): Resumed => ({
  resumesAs: kickoff === null && greeting !== null ? 'saying' : 'listening',
  unsaid: kickoff === null && greeting !== null ? [greeting] : [],
  unanswered: kickoff === null ? 0 : 1,
  isReplyOwed: false,
  spoken: null,
});

/** Resumption by the state of the conversation. */
const resumed = (
  left: ResumableCall,
  { state, spoken, unplayed, unanswered, isReplyOwed }: CallProgress['conversation'],
  messages: readonly Message[],
): Resumed => {
  const isKickoff = messages.length === 1 && left.kickoff !== null;
  const mayAskAgain = isKickoff || mayBeAskedAgain(left.checkpoint.settings.binding);
  // The stored progress of a dead gateway is up to a moment old: its agent may have received these words since.
  const mayBeReceived = left.unheldMs === null && !mayAskAgain;
  const as = (resumesAs: ResumedAs, unsaid: readonly string[] = unplayed): Resumed => ({
    resumesAs,
    unsaid,
    unanswered: resumesAs === 'broken-off' && mayBeReceived ? 0 : unanswered,
    // A reply that is broken off is followed by an apology and not requested again.
    isReplyOwed: resumesAs !== 'broken-off' && isReplyOwed,
    spoken,
  });
  const orBrokenOff = (resumesAs: ResumedAs): ResumedAs => {
    const isRequestedAgain = unanswered > 0 || (resumesAs === 'listening' && isReplyOwed);
    return isRequestedAgain && mayBeReceived ? 'broken-off' : resumesAs;
  };
  const outer = outerOf(state);
  switch (outer) {
    case 'opening':
      return opening(left);
    case 'replying': {
      // A reply without any heard sentence can be requested again without loss.
      const isUnheard =
        spoken === null && (unplayed.length === 0 || mayBeAskedAgain(left.checkpoint.settings.binding));
      return isUnheard && mayAskAgain
        ? { ...as('listening', []), unanswered: Math.max(1, unanswered) }
        : as('broken-off');
    }
    case 'saying':
      return as(orBrokenOff(unplayed.length === 0 ? 'listening' : 'saying'));
    case 'screened':
      // The agent speaks its first words again, because the present listener is unknown.
      return opening(left);
    case 'parting':
    case 'voicemail':
    case 'on-hold':
      return as(outer);
    default:
      return as(orBrokenOff('listening'), []);
  }
};

/** Why the end of the call was decided, if it was. */
const endOf = (
  { facts, checkpoint: { progress } }: ResumableCall,
  was: CallProgress['conversation'] | null,
) => {
  if (progress !== null && progress.endReason !== null) return progress.endReason;
  if (lastOf(facts, 'call.hangup_requested')?.data['immediate'] === true) return 'agent_hangup';
  if (lastOf(facts, 'call.consent')?.data['given'] === false) return 'consent_refused';
  const hasSaidAll = was !== null && was.unplayed.length === 0 && was.spoken !== null;
  if (was?.state === 'parting' && was.unplayed.length === 0) return 'agent_error';
  if (was?.state.startsWith('voicemail') === true && hasSaidAll) return 'agent_hangup';
  return null;
};

const hangupIsPending = ({ facts }: ResumableCall): boolean =>
  lastOf(facts, 'call.hangup_requested', 'call.hangup_cancelled')?.type === 'call.hangup_requested';

/**
 * The last transfer, unless it failed or was cancelled. Facts of an earlier version lack the connection's parameters;
 * such a transfer is lost.
 */
const leftTransferOf = ({ facts, now }: ResumableCall): ResumedTransfer | null => {
  const last = lastOf(facts, 'call.transfer_requested', 'call.transfer_failed', 'call.transfer_returned');
  if (last?.type !== 'call.transfer_requested') return null;
  const { transferId, to } = last.data;
  if (typeof transferId !== 'string' || typeof to !== 'string') return null;
  const lost = { state: 'lost', transferId, to } as const;
  const connected = lastOf(facts, 'call.transfer_connected');
  if (connected?.data['transferId'] !== transferId) return lost;
  const { recorded: isRecorded, maxDurationSec } = connected.data;
  if (typeof isRecorded !== 'boolean' || typeof maxDurationSec !== 'number') return lost;
  const talkedMs = Math.max(0, now - connected.at.getTime());
  return { state: 'connected', transferId, to, isRecorded, maxDurationSec, talkedMs };
};

/** The last moment of the conversation; null if only its preliminaries happened. */
const lastOfConversation = ({ facts, checkpoint: { progress } }: ResumableCall) =>
  progress === null || outerOf(progress.conversation.state) === 'consenting'
    ? null
    : caughtUp(progress, facts);

/** Language set by the agent, if it changed it. */
const languageOf = (facts: readonly JournalEntry[]): string | null => {
  const language = lastOf(facts, 'language.changed')?.data['language'];
  return typeof language === 'string' ? language : null;
};

const askedForConsent: ConversationResumeState = {
  resumesAs: 'consenting',
  unsaid: [],
  messages: [],
  turn: 0,
  utterance: 0,
  spoken: null,
  isReplyOwed: false,
  asked: [],
  controls: [],
  language: null,
  collected: null,
  unanswered: 0,
  failuresInARow: 0,
  wasReprompted: false,
};

/** Whether a machine has answered, which is not asked for consent. */
const isMachine = (was: CallProgress['conversation'] | null): boolean =>
  was !== null && outerOf(was.state) === 'voicemail';

/** Whether words of the other party may have been lost: the party was speaking, or had time to speak. */
const mayHaveLostWords = ({ unheldMs }: ResumableCall, was: CallProgress['conversation'] | null): boolean =>
  unheldMs === null ||
  unheldMs > longestUnnoticedMs ||
  was?.state === 'listening.hearing' ||
  was?.state.startsWith('listening.catching-up') === true;

/** Whether the conversation only listens, and neither the agent nor the gateway has another reason to speak soon. */
const onlyListens = (
  left: ResumableCall,
  { resumesAs, unanswered, isReplyOwed, asked, collected }: ConversationResumeState,
): boolean =>
  resumesAs === 'listening' &&
  unanswered === 0 &&
  !isReplyOwed &&
  asked.length === 0 &&
  collected === null &&
  !hangupIsPending(left) &&
  leftTransferOf(left) === null;

const conversationAsItWas = (
  left: ResumableCall,
  was: CallProgress['conversation'] | null,
): ConversationResumeState => {
  const { facts } = left;
  const messages = messagesOf(left);
  const isHeld = lastOf(facts, 'call.held', 'call.resumed')?.type === 'call.held';
  const { resumesAs, unsaid, unanswered, isReplyOwed, spoken } =
    was === null ? opening(left) : resumed(left, was, messages);
  return {
    resumesAs: isHeld ? 'on-hold' : resumesAs === 'on-hold' ? 'listening' : resumesAs,
    unsaid: isHeld ? [] : unsaid,
    messages,
    turn: was?.turn ?? 0,
    utterance: was?.utterance ?? 0,
    spoken,
    asked: was?.asked ?? askedLast([], facts),
    // Controls of sentences that are repeated are kept; those of dropped sentences are dropped.
    controls: isHeld || unsaid.length === 0 ? [] : (was?.controls ?? []),
    language: languageOf(facts),
    collected: was === null ? collectedLast(null, facts) : was.collected,
    unanswered: Math.min(unanswered, unanswerable(messages)),
    // A hold drops unheard words and the apology for them, so that the reply is requested again.
    isReplyOwed: (isHeld ? was?.isReplyOwed === true : isReplyOwed) && unanswerable(messages) > 0,
    failuresInARow: was?.failuresInARow ?? 0,
    wasReprompted: was?.wasReprompted ?? false,
  };
};

const conversationOf = (
  left: ResumableCall,
  was: CallProgress['conversation'] | null,
): ConversationResumeState => {
  const conversation = conversationAsItWas(left, was);
  return onlyListens(left, conversation) && mayHaveLostWords(left, was)
    ? { ...conversation, resumesAs: 'words-lost' }
    : conversation;
};

/** `node`: the gateway that takes over the call, `from` another one or an earlier process of itself. */
export const resumeStateOf = (
  left: ResumableCall,
  { node, from }: Pick<CallResumeState, 'node' | 'from'>,
): CallResumeState => {
  const { call, checkpoint, facts } = left;
  const was = lastOfConversation(left);
  const consentIsAwaited = awaitsConsent(left);
  return {
    node,
    from,
    answeredBy: call.answeredBy,
    recordingIsPaused: lastOf(facts, 'recording.paused', 'recording.resumed')?.type === 'recording.paused',
    pausedForSecret: checkpoint.progress?.pausedForSecret ?? false,
    keysAreHidden: lastOf(facts, 'collect.requested')?.data['secret'] === true,
    consentIsAwaited,
    hangupIsPending: hangupIsPending(left),
    endReason: endOf(left, was),
    transfer: leftTransferOf(left),
    conversation: isMachine(was) || !consentIsAwaited ? conversationOf(left, was) : askedForConsent,
  };
};
