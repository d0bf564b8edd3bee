/**
 * Far ends of simulated calls: the nine telephones that are available without setup (guides/design/start.md, "The
 * simulated line"), telephones with a script, and the default caller.
 */
import type { Logger } from 'pino';
import type { PlayPersona } from '#src/domain/persona.ts';
import type { CalleeBehaviour, ScriptRehearsal } from '#src/domain/simulated-callee.ts';
import type { SimulatedFarEnd } from '#src/domain/simulated-far-end.ts';
import type { LineInput, UnansweredLineCause } from '#machines/line.ts';
import {
  agentIsSilent,
  agentIsWellUnderWay,
  agentSpeaks,
  letRing,
  pause,
  pickUp,
  speak,
} from './behaviours.ts';
import {
  behaving,
  createScriptedParty,
  type Behaviour,
  type Course,
  type CreateParty,
  type Party,
  type Phone,
} from './party.ts';
import { createPersonaPlayer } from './persona.ts';
import { calleeOf, placeInScript, talkByScript, type Playing } from './play-script.ts';
import { parseScript, type Script } from './script.ts';
import { nobodyElse, watchScript, type Rehearsal, type Rehearsals } from './script-watch.ts';
import { inTurn, smallTalkIn } from './small-talk.ts';
import type { Person } from './transferring.ts';

const pickUpMs = 1_000;
const callerIsAnsweredMs = 50;

/**
 * Answers each reply politely as long as the agent continues, and ignores a farewell. With `oneMoreThing`, the person
 * speaks into the first farewell.
 */
function* talkPolitely(phone: Phone, oneMoreThing = false): Course {
  const { polite, intoFarewell } = smallTalkIn(phone.language);
  const nextAnswer = inTurn(polite);
  let hasOneMoreThing = oneMoreThing;
  let begunBefore = 0;

  for (;;) {
    yield* agentSpeaks(phone, begunBefore);
    yield* agentIsSilent(phone, () => hasOneMoreThing && phone.isFarewell());
    if (!phone.isFarewell()) {
      yield* speak(phone, nextAnswer());
    } else if (hasOneMoreThing) {
      hasOneMoreThing = false;
      yield* agentIsWellUnderWay(phone);
      yield* speak(phone, intoFarewell);
    } else {
      yield { until: () => !phone.isFarewell() };
    }
    begunBefore = phone.voicesBegun();
  }
}

/**
 * Interrupts every reply once. A farewell that is repeated after an interruption is not interrupted again; otherwise
 * the agent could never hang up.
 */
function* talkOver(phone: Phone): Course {
  const nextInterruption = inTurn(smallTalkIn(phone.language).interruptions);
  let hasInterruptedFarewell = false;

  for (;;) {
    yield* agentIsWellUnderWay(phone);
    if (!phone.isFarewell() || !hasInterruptedFarewell) {
      hasInterruptedFarewell ||= phone.isFarewell();
      yield* speak(phone, nextInterruption());
    }
    yield { until: () => phone.voice() === null };
  }
}

function* saySomethingAndHangUp(phone: Phone): Course {
  yield* talkByScript(phone, [
    { say: smallTalkIn(phone.language).parting },
    { wait_sec: 0.5 },
    { hang_up: true },
  ]);
}

const answering = (talk: Behaviour): Behaviour =>
  function* (phone) {
    yield* pickUp(phone, pickUpMs);
    yield* talk(phone);
  };

const knownCallees: ReadonlyMap<string, { name: CalleeBehaviour; behaviour: Behaviour }> = new Map([
  ['01000000001', { name: 'polite', behaviour: answering((phone) => talkPolitely(phone)) }],
  ['01000000002', { name: 'no_answer', behaviour: letRing }],
  ['01000000003', { name: 'busy', behaviour: calleeOf([{ busy: true }]) }],
  ['01000000004', { name: 'declines', behaviour: calleeOf([{ decline: true }]) }],
  ['01000000005', { name: 'one_more_thing', behaviour: answering((phone) => talkPolitely(phone, true)) }],
  ['01000000006', { name: 'silent', behaviour: calleeOf([]) }],
  ['01000000007', { name: 'hangs_up', behaviour: answering(saySomethingAndHangUp) }],
  ['01000000008', { name: 'interrupts', behaviour: answering(talkOver) }],
  ['01000000009', { name: 'trunk_error', behaviour: calleeOf([{ trunk_error: true }]) }],
]);

/** The callees that every gateway knows, by their numbers. */
export const knownBehaviours: ReadonlyMap<string, CalleeBehaviour> = new Map(
  [...knownCallees].map(([number, { name }]) => [number, name]),
);

/** Behaviours of the known numbers after the answer, from any point of the call. */
const knownTalk: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['01000000001', (phone) => talkPolitely(phone)],
  ['01000000005', (phone) => talkPolitely(phone)],
  ['01000000006', (phone) => talkByScript(phone, [])],
  ['01000000007', saySomethingAndHangUp],
  ['01000000008', talkOver],
]);

const goingOn = (talk: Behaviour): Behaviour =>
  function* (phone) {
    yield* pause(0);
    phone.answer();
    yield* talk(phone);
  };

/** A number at which no telephone answers. */
export const unreachable = (cause: UnansweredLineCause): Behaviour =>
  function* (phone) {
    yield* pause(0);
    phone.refuse(cause);
  };

/**
 * A caller that plays this script once it is admitted. Without a script, the caller opens with a sentence and continues
 * politely.
 */
export const callerOf = (script: Script | null, playing: Playing = {}): Behaviour =>
  function* (phone) {
    yield* pause(callerIsAnsweredMs);
    phone.answer();
    yield* talkByScript(phone, script ?? [{ say: smallTalkIn(phone.language).opening }], playing);
    if (script === null) yield* talkPolitely(phone);
  };

/** A person of an answered call that another process had. */
const resumedPerson = (script: Script, playing?: Playing): Behaviour =>
  goingOn((phone) => talkByScript(phone, script, playing));

/** Dependencies shared by all persons with a script. `playPersona` is null without a language model. */
export type ScriptWorld = {
  rehearsals: Rehearsals;
  onCheckpoint: (callId: string) => void;
  playPersona: PlayPersona | null;
};

/** A person in a call who plays a script, from the beginning or from a later step. */
export const scripted =
  (
    callId: string,
    { script, rehearsal, stepsDone = 0 }: ScriptedCallee & { stepsDone?: number },
    { rehearsals, onCheckpoint, playPersona }: ScriptWorld,
    behaviourOf: typeof calleeOf,
  ): CreateParty =>
  (phone, time) => {
    const place = placeInScript(stepsDone, () => onCheckpoint(callId));
    const notice = (): void => party.notice();
    const watch =
      rehearsal === undefined
        ? null
        : watchScript(rehearsal, rehearsals.begin(callId, script, stepsDone), { time, notice });
    const player = createPersonaPlayer(playPersona, notice);
    const person = createScriptedParty(behaviourOf(script, { watch, place, player })(phone), time);
    const party: Party = {
      ...person,
      stop(end) {
        player.stop();
        person.stop(end);
      },
      resumeState: () => ({
        is: 'script',
        script,
        stepsDone: place.stepsDone,
        rehearsal: rehearsal?.settings ?? null,
      }),
    };
    return party;
  };

/**
 * `known`: a party that is available on every gateway. `scripted`: plays a script. `person`: a human, so the result of
 * answer detection is known.
 */
export type Who = 'known' | 'scripted' | 'person';

/** A callee with a script, which is watched with a rehearsal. `parseScript` has checked the script for a callee. */
export type ScriptedCallee = { script: Script; rehearsal: Rehearsal | undefined };

/** The party that a call reaches. */
export type Reached = {
  createParty: CreateParty;
  /** Language of the party (BCP 47). */
  language: string;
  who: Who;
  /** Transfer targets of this call, in addition to the known ones. */
  people: ReadonlyMap<string, Person>;
};

/** A party that every gateway knows. */
export const knownPerson = (behaviour: Behaviour, language: string): Reached => ({
  createParty: behaving(behaviour),
  language,
  who: 'known',
  people: nobodyElse,
});

export type Callees = {
  /** Returns the party at the dialled number: the number's script, the known telephone, or `anybody`. Does not reject. */
  reachedBy(input: LineInput): Reached | Promise<Reached>;
  /**
   * Returns the party of a call that another process owned, which stored this far end. Undefined if only that process
   * knew the party.
   */
  standingAt(input: LineInput, farEnd: SimulatedFarEnd | null): Reached | Promise<Reached> | undefined;
};

export type CalleesOptions = {
  /** Returns the workspace of a call. If the function is absent, all calls belong to one workspace. */
  workspaceOf?: (callId: string) => string | undefined;
  /**
   * Returns the callee with a script at this number of a workspace. Each call queries it; if it rejects, the call
   * ends with `system_error`. If the function is absent, no number has a script.
   */
  findCallee?: (
    number: string,
    workspaceId: string | undefined,
  ) => ScriptedCallee | undefined | Promise<ScriptedCallee | undefined>;
  /** Creates the party for a number without a script. If the function is absent, such numbers are unreachable. */
  anybody?: (input: LineInput) => CreateParty;
  /** Creates the party of a call that another process had at this phone. If the function is absent, there are no phones. */
  resumePhone?: (input: LineInput, phone: Extract<SimulatedFarEnd, { is: 'phone' }>) => CreateParty;
  /** Creates the rehearsal of a script that another process played. If the function is absent, no script is watched. */
  openRehearsal?: (settings: ScriptRehearsal) => Promise<Rehearsal>;
  /** Plays the personas of scripts. If the function is absent, personas fail. */
  playPersona?: PlayPersona | null;
};

export const createCallees = ({
  workspaceOf,
  findCallee,
  anybody,
  resumePhone,
  openRehearsal,
  playPersona = null,
  onCheckpoint,
  rehearsals,
  logger,
}: CalleesOptions & {
  onCheckpoint: (callId: string) => void;
  rehearsals: Rehearsals;
  logger: Logger;
}): Callees => {
  const playing = (
    callee: ScriptedCallee & { stepsDone?: number },
    { callId, language }: LineInput,
    behaviourOf: typeof calleeOf,
  ): Reached => ({
    language,
    who: 'scripted',
    createParty: scripted(callId, callee, { rehearsals, onCheckpoint, playPersona }, behaviourOf),
    people: callee.rehearsal?.people ?? nobodyElse,
  });

  const resumedScript = (
    { script: steps, stepsDone, rehearsal: settings }: Extract<SimulatedFarEnd, { is: 'script' }>,
    input: LineInput,
  ): Reached | Promise<Reached> | undefined => {
    const { script } = parseScript(steps, input.direction === 'inbound' ? 'caller' : 'callee');
    if (script === undefined) return undefined;
    const resumed = (rehearsal: Rehearsal | undefined): Reached =>
      playing({ script, rehearsal, stepsDone }, input, resumedPerson);
    if (settings === null || openRehearsal === undefined) return resumed(undefined);
    return openRehearsal(settings).then(resumed, (error: unknown) => {
      logger.error({ err: error, call_id: input.callId }, 'the script of a call is no longer watched');
      return resumed(undefined);
    });
  };

  const resumedCall = (input: LineInput, farEnd: SimulatedFarEnd): Reached | Promise<Reached> | undefined => {
    if (farEnd.is === 'script') return resumedScript(farEnd, input);
    const createParty = resumePhone?.(input, farEnd);
    return createParty && { createParty, language: input.language, who: 'person', people: nobodyElse };
  };

  const withoutScript = (input: LineInput): Reached => {
    const { to, language } = input;
    const known = knownCallees.get(to)?.behaviour ?? (anybody === undefined ? letRing : undefined);
    if (known !== undefined) return knownPerson(known, language);
    const createParty = anybody?.(input) ?? behaving(letRing);
    return { createParty, language, who: 'person', people: nobodyElse };
  };

  const reached = (callee: ScriptedCallee | undefined, input: LineInput): Reached =>
    callee === undefined ? withoutScript(input) : playing(callee, input, calleeOf);

  return {
    reachedBy(input) {
      const { callId, to, language } = input;
      const found = findCallee?.(to, workspaceOf?.(callId));
      if (!(found instanceof Promise)) return reached(found, input);
      return found.then(
        (callee) => reached(callee, input),
        (error: unknown) => {
          logger.error({ err: error, call_id: callId }, 'the script of a simulated callee could not be read');
          return knownPerson(unreachable('system_error'), language);
        },
      );
    },
    standingAt(input, farEnd) {
      if (farEnd !== null) return resumedCall(input, farEnd);
      const { direction, to, language } = input;
      const talk = direction === 'inbound' ? talkPolitely : knownTalk.get(to);
      return (
        talk &&
        knownPerson(
          goingOn((phone) => talk(phone)),
          language,
        )
      );
    },
  };
};
