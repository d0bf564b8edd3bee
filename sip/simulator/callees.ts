/**
 * Far ends of simulated calls: the nine telephones that are available without setup (guides/design/start.md, "The
 * simulated line"), those with a script, and the default caller.
 */
import type { LineInput, UnansweredCause } from '#machines/line.ts';
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
  type Phone,
} from './party.ts';
import { calleeOf, talkByScript } from './play-script.ts';
import type { Script } from './script.ts';
import {
  nobodyElse,
  watchScript,
  type Rehearsal,
  type Rehearsals,
  type ScriptWatch,
} from './script-watch.ts';
import { inTurn, smallTalkIn } from './small-talk.ts';
import type { Person } from './transferring.ts';

const pickUpMs = 1_000;
const callerIsAnsweredMs = 50;

/**
 * Answers each reply politely as long as the agent continues, and ignores a farewell; with `oneMoreThing` it speaks
 * into the first farewell.
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

const knownCallees: ReadonlyMap<string, Behaviour> = new Map<string, Behaviour>([
  ['01000000001', answering((phone) => talkPolitely(phone))],
  ['01000000002', letRing],
  ['01000000003', calleeOf([{ busy: true }])],
  ['01000000004', calleeOf([{ decline: true }])],
  ['01000000005', answering((phone) => talkPolitely(phone, true))],
  ['01000000006', calleeOf([])],
  ['01000000007', answering(saySomethingAndHangUp)],
  ['01000000008', answering(talkOver)],
  ['01000000009', calleeOf([{ trunk_error: true }])],
]);

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

/** A far end without a telephone. */
export const unreachable = (cause: UnansweredCause): Behaviour =>
  function* (phone) {
    yield* pause(0);
    phone.refuse(cause);
  };

/** A caller that, once admitted, plays this script; without one, it opens with a sentence and continues politely. */
export const callerOf = (script: Script | null, watch: ScriptWatch | null = null): Behaviour =>
  function* (phone) {
    yield* pause(callerIsAnsweredMs);
    phone.answer();
    yield* talkByScript(phone, script ?? [{ say: smallTalkIn(phone.language).opening }], watch);
    if (script === null) yield* talkPolitely(phone);
  };

/** A callee that plays this script in a rehearsed call. */
export const rehearsing =
  (
    { callId, script, rehearsal }: { callId: string; script: Script; rehearsal: Rehearsal },
    rehearsals: Rehearsals,
    behaviourOf: typeof calleeOf,
  ): CreateParty =>
  (phone, time) => {
    const notice = (): void => party.notice();
    const watch = watchScript(rehearsal, rehearsals.begin(callId, script), { time, notice });
    const party = createScriptedParty(behaviourOf(script, watch)(phone), time);
    return party;
  };

/**
 * `known`: available on every gateway, and so after take-over; `scripted`: plays a script of this gateway; `person`: a
 * human, so the answerer is known.
 */
export type Who = 'known' | 'scripted' | 'person';

/** The party that a call reaches. */
export type Reached = {
  createParty: CreateParty;
  /** BCP 47. */
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
  /**
   * Sets the behaviour of the telephone with this number, for calls of this workspace. `parseScript` must have checked
   * the script for a callee. A script of a rehearsal is watched.
   */
  define(number: string, script: Script, workspaceId?: string, rehearsal?: Rehearsal): void;
  /** Returns the number's script. */
  scriptOf(number: string, workspaceId?: string): Script | undefined;
  /** Returns the party at the dialled number: by its script, by the known numbers, or by `anybody`. */
  reachedBy(input: LineInput): Reached;
  /**
   * Returns the party of a call that another process held; undefined for parties that only that process knew: humans,
   * and those with a script.
   */
  standingAt(input: LineInput): Reached | undefined;
};

export type CalleesOptions = {
  /** Workspace of a call; without it, all calls belong to one workspace. */
  workspaceOf?: (callId: string) => string | undefined;
  /** Party for numbers without a script; without it, such numbers are unreachable. */
  anybody?: (input: LineInput) => CreateParty;
};

export const createCallees = ({
  workspaceOf,
  anybody,
  rehearsals,
}: CalleesOptions & { rehearsals: Rehearsals }): Callees => {
  const scripts = new Map<string, { script: Script; rehearsal: Rehearsal | undefined }>();
  const keyOf = (number: string, workspaceId = ''): string => `${workspaceId} ${number}`;

  const scripted = (callId: string, key: string): Pick<Reached, 'createParty' | 'people'> | undefined => {
    const defined = scripts.get(key);
    if (defined === undefined) return undefined;
    const { script, rehearsal } = defined;
    if (rehearsal === undefined) return { createParty: behaving(calleeOf(script)), people: nobodyElse };
    const createParty = rehearsing({ callId, script, rehearsal }, rehearsals, calleeOf);
    return { createParty, people: rehearsal.people };
  };

  return {
    define: (number, script, workspaceId, rehearsal) =>
      void scripts.set(keyOf(number, workspaceId), { script, rehearsal }),
    scriptOf: (number, workspaceId) => scripts.get(keyOf(number, workspaceId))?.script,
    reachedBy(input) {
      const { callId, to, language } = input;
      const byScript = scripted(callId, keyOf(to, workspaceOf?.(callId)));
      if (byScript !== undefined) return { ...byScript, language, who: 'scripted' };
      const known = knownCallees.get(to) ?? (anybody === undefined ? letRing : undefined);
      if (known !== undefined) return knownPerson(known, language);
      return {
        createParty: anybody?.(input) ?? behaving(letRing),
        language,
        who: 'person',
        people: nobodyElse,
      };
    },
    standingAt({ direction, to, language }) {
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
