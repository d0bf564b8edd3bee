/**
 * A call without a world: the real charts on a simulated clock, with a line and an agent whose every word the test
 * says itself.
 */
import { createActor, fromCallback, SimulatedClock, type ActorRefFrom, type InspectionEvent } from 'xstate';
import { callMachine } from '#machines/call.ts';
import type { CallInput, CallCommand } from '#machines/call-context.ts';
import { conversationMachine } from '#machines/conversation.ts';
import type { CallFact } from '#machines/facts.ts';
import type { KeysCommand, LineCommand, LineEvent, LineInput } from '#machines/line.ts';
import type { ReplyEvent, ReplyInput } from '#machines/reply.ts';
import type { TransferRefusal, TransferWanted } from '#machines/transfer.ts';
import { pausing } from './usual-barge-in.ts';
import { byPauses } from '#test/helpers/usual-turn-end.ts';
import { usualSpeech } from './usual-speech.ts';

export const callInput: CallInput = {
  callId: '7f9c2f6e-4f0e-4b7e-9b1c-2d1d5a1e0c11',
  direction: 'outbound',
  from: '0212345678',
  to: '01000000001',
  language: 'en',
  speech: usualSpeech,
  bargeIn: pausing,
  turnEnd: byPauses,
  recording: false,
  ringTimeoutSec: 45,
  maxDurationSec: 600,
  silenceTimeoutSec: 30,
  farewellWaitMs: 30_000,
  hangUpTimeoutMs: 5_000,
  adoptTimeoutMs: 5_000,
  phrasesIn: {},
  takenOver: null,
  consent: null,
  kickoff: '[outbound call connected]',
  greeting: null,
  apology: 'Sorry.',
  brokenOff: 'Sorry, go on.',
  failedOpening: 'This is a robot. Sorry, and goodbye.',
  failedGoodbye: 'Sorry, and goodbye.',
  consentRefused: 'Without that, goodbye.',
  reprompt: 'Hello?',
  voicemail: 'talk',
  voicemailMessage: 'Please call us back.',
  screening: 'answer',
  menu: 'talk',
  introduction: 'Hello, this is Riverside. I am calling about this: an appointment.',
};

/** An event without its time: the world stamps it with the simulated clock. */
type Untimed<Event> = Event extends { at: number }
  ? Omit<Event, 'at' | 'startedAt'> & { startedAt?: number }
  : never;

/** The faults of this world; each throws where a real driver, agent or journal would by mistake. */
export type Faults = {
  /** The line cannot even be opened. */
  lineCrashes?: boolean;
  /** The line crashes over this command. */
  lineCrashesOn?: LineCommand['type'];
  /** The replies with these numbers crash instead of starting. */
  replyCrashes?: (turn: number) => boolean;
  publishCrashes?: (fact: CallFact) => boolean;
};

/** Who looks at what the call's actors do. */
type Onlooker = { inspect?: (event: InspectionEvent) => void };

/** The charts, and the line, the agent and the journal around them. */
const createSurroundings = (faults: Faults) => {
  const facts: CallFact[] = [];
  const commands: (LineCommand | KeysCommand)[] = [];
  const requests: ReplyInput[] = [];
  const wantedTransfers: TransferWanted[] = [];
  let opened: LineInput | undefined;
  let tellCall: ((event: LineEvent) => void) | undefined;
  let tellConversation: ((event: ReplyEvent) => void) | undefined;
  const counts = { linesClosed: 0, repliesAborted: 0 };

  const publish = (_: unknown, fact: CallFact): void => {
    if (faults.publishCrashes?.(fact) === true) throw new Error(`The journal crashed over ${fact.type}`);
    facts.push(fact);
  };
  const line = fromCallback<LineCommand | KeysCommand, LineInput>(({ input, sendBack, receive }) => {
    opened = input;
    if (faults.lineCrashes === true) throw new Error('The line crashed');
    tellCall = sendBack;
    receive((command) => {
      if (command.type === faults.lineCrashesOn) throw new Error(`The line crashed over ${command.type}`);
      commands.push(command);
    });
    return () => {
      counts.linesClosed += 1;
    };
  });
  const reply = fromCallback<{ type: 'none' }, ReplyInput>(({ sendBack, input }) => {
    requests.push(input);
    if (faults.replyCrashes?.(input.turn) === true) throw new Error('The agent crashed');
    tellConversation = sendBack;
    return () => {
      counts.repliesAborted += 1;
    };
  });
  const conversation = conversationMachine.provide({ actors: { reply }, actions: { publish } });
  const askForTransfer = (_: unknown, wanted: TransferWanted): void => void wantedTransfers.push(wanted);
  const machine = callMachine.provide({
    actors: { line, conversation },
    actions: { publish, askForTransfer },
  });
  return {
    machine,
    facts,
    commands,
    requests,
    wantedTransfers,
    counts,
    opened: () => opened,
    tellCall: (event: LineEvent): void => tellCall?.(event),
    /** Of the reply that was asked for last. */
    tellConversation: () => tellConversation,
  };
};

/** What the call is at, and what was said and done in it so far. */
const lookAt = (
  actor: ActorRefFrom<typeof callMachine>,
  { commands, facts }: Pick<ReturnType<typeof createSurroundings>, 'commands' | 'facts'>,
) => ({
  /** `active.talking.conversing` for the call, `replying.thinking` for the conversation. */
  state: (): string => path(actor.getSnapshot().value),
  conversationState: (): string => {
    const child = actor.getSnapshot().children['conversation'];
    return child === undefined ? 'gone' : path(child.getSnapshot().value);
  },
  voicemailState: (): string => {
    const child = actor.getSnapshot().children.conversation?.getSnapshot().children.voicemail;
    return child === undefined ? 'gone' : path(child.getSnapshot().value);
  },
  said: (): string[] => commands.flatMap((command) => (command.type === 'say' ? [command.text] : [])),
  end: () => facts.find((fact) => fact.type === 'call.ended'),
  /** The types of the facts, in order. */
  story: (): string[] => facts.map((fact) => fact.type),
  turns: (): string[] =>
    facts.flatMap((fact) => (fact.type === 'turn.spoken' ? [`${fact.role}: ${fact.text}`] : [])),
});

export const createCallWorld = (
  changes: Partial<CallInput> = {},
  { inspect, ...faults }: Faults & Onlooker = {},
) => {
  const clock = new SimulatedClock();
  const errors: unknown[] = [];
  const reported: number[] = [];
  const surroundings = createSurroundings(faults);
  const { machine, facts, commands, requests, wantedTransfers, counts } = surroundings;
  const actor = createActor(machine, {
    input: { ...callInput, ...changes },
    clock,
    id: 'a',
    ...(inspect && { inspect }),
  });
  actor.subscribe({ error: (error) => errors.push(error) });
  actor.start();

  const onLine = (event: Untimed<LineEvent>): void => {
    const at = clock.now();
    const timed = { startedAt: at, ...event, at };
    // The fields that differ between the kinds were given by the caller; only the times are added here.
    surroundings.tellCall(timed);
  };

  return {
    actor,
    clock,
    facts,
    commands,
    requests,
    errors,
    counts,
    /** What the line was opened with. */
    opened: surroundings.opened(),
    onLine,
    onReply: (event: ReplyEvent): void => surroundings.tellConversation()?.(event),
    /** The reply under way now; it goes on talking to the conversation even when that has left it. */
    currentReply: (): ((event: ReplyEvent) => void) => {
      const tell = surroundings.tellConversation();
      if (tell === undefined) throw new Error('No reply was asked for');
      return tell;
    },
    ask: (request: CallCommand): void => actor.send(request),
    /** The transfers that the agent wanted, in order; nothing becomes of them by themselves. */
    wantedTransfers,
    /** A transfer that the agent wanted, or `forOtherParty` the other party, may not be. */
    refuseTransfer: (
      to: string,
      reason: TransferRefusal = 'not_allowed',
      whose: { forOtherParty?: true } = {},
    ): void => actor.send({ type: 'transfer.refused', to, reason, ...whose }),
    /** The other party answers. */
    answer: (): void => onLine({ type: 'line.answered' }),
    /** The other party begins to speak and its words are understood. */
    hear: (text: string): void => {
      onLine({ type: 'line.speech' });
      onLine({ type: 'line.heard', text, backchannel: false });
    },
    /** The agent's whole reply is one sentence, which is played to its end. */
    replyAndPlay(text: string): void {
      this.onReply({ type: 'reply.sentence', text });
      this.onReply({ type: 'reply.finished' });
      this.play();
    },
    /** The oldest utterance that is still unplayed was heard: whole, or only `text` of it. */
    play: (text?: string): void => {
      const played = new Set(reported);
      const next = commands.find((command) => command.type === 'say' && !played.has(command.utterance));
      if (next?.type !== 'say') throw new Error('Nothing is left to be played');
      reported.push(next.utterance);
      onLine({
        type: 'line.played',
        utterance: next.utterance,
        text: text ?? next.text,
        whole: text === undefined,
      });
    },
    /** How many utterances the line has not reported yet. */
    unplayed: (): number => commands.filter(({ type }) => type === 'say').length - reported.length,
    ...lookAt(actor, surroundings),
  };
};

const path = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value ?? {})
        .map(([name, inner]) => `${name}.${path(inner)}`)
        .join('|');
