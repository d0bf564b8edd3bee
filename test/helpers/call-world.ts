/** An isolated call: the real charts on a simulated clock, with a line and an agent controlled entirely by the test. */
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

/** An event without its time, which is added from the simulated clock. */
type Untimed<Event> = Event extends { at: number }
  ? Omit<Event, 'at' | 'startedAt'> & { startedAt?: number }
  : never;

/** Injected faults; each throws where a defective driver, agent or journal would throw. */
export type Faults = {
  /** Opening the line throws. */
  lineCrashes?: boolean;
  /** The line throws on this command. */
  lineCrashesOn?: LineCommand['type'];
  /** The replies with these numbers throw at their start. */
  replyCrashes?: (turn: number) => boolean;
  publishCrashes?: (fact: CallFact) => boolean;
};

/** Observes the call's actors, and each fact after its publication. */
type Onlooker = { inspect?: (event: InspectionEvent) => void; onFact?: (fact: CallFact) => void };

/** The charts with a fake line, agent and journal. */
const createCallEnvironment = (faults: Faults, onFact: Onlooker['onFact']) => {
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
    onFact?.(fact);
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
    /** Callback of the last requested reply. */
    tellConversation: () => tellConversation,
  };
};

/** The states of the call, and all that was said and done in it so far. */
const lookAt = (
  actor: ActorRefFrom<typeof callMachine>,
  { commands, facts }: Pick<ReturnType<typeof createCallEnvironment>, 'commands' | 'facts'>,
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
  /** Types of the journal entries, in order. */
  story: (): string[] => facts.map((fact) => fact.type),
  turns: (): string[] =>
    facts.flatMap((fact) => (fact.type === 'turn.spoken' ? [`${fact.role}: ${fact.text}`] : [])),
});

export const createCallWorld = (
  changes: Partial<CallInput> = {},
  { inspect, onFact, ...faults }: Faults & Onlooker = {},
) => {
  const clock = new SimulatedClock();
  const errors: unknown[] = [];
  const reported: number[] = [];
  const environment = createCallEnvironment(faults, onFact);
  const { machine, facts, commands, requests, wantedTransfers, counts } = environment;
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
    // The caller supplies all fields except the times, which are added here.
    environment.tellCall(timed);
  };

  return {
    actor,
    clock,
    facts,
    commands,
    requests,
    errors,
    counts,
    /** Input with which the line was opened. */
    opened: environment.opened(),
    onLine,
    onReply: (event: ReplyEvent): void => environment.tellConversation()?.(event),
    /** The current reply; it may send further events after the conversation has left it. */
    currentReply: (): ((event: ReplyEvent) => void) => {
      const tell = environment.tellConversation();
      if (tell === undefined) throw new Error('No reply was asked for');
      return tell;
    },
    ask: (request: CallCommand): void => actor.send(request),
    /** Transfers requested by the agent, in order; they have no effect by themselves. */
    wantedTransfers,
    /** Refuses a transfer requested by the agent, or with `forOtherParty` by the other party. */
    refuseTransfer: (
      to: string,
      reason: TransferRefusal = 'not_allowed',
      whose: { forOtherParty?: true } = {},
    ): void => actor.send({ type: 'transfer.refused', to, reason, ...whose }),
    /** The other party answers. */
    answer: (): void => onLine({ type: 'line.answered' }),
    /** The other party begins to speak and its words are recognized. */
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
    /** The oldest unplayed utterance was heard, completely or only its `text`. */
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
    /** Number of utterances that the line has not reported yet. */
    unplayed: (): number => commands.filter(({ type }) => type === 'say').length - reported.length,
    ...lookAt(actor, environment),
  };
};

const path = (value: unknown): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value ?? {})
        .map(([name, inner]) => `${name}.${path(inner)}`)
        .join('|');
