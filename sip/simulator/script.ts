/**
 * The script of a simulated person (guides/design/start.md, "The simulated line"). Steps are done in order; after the
 * last one the person stays on the line in silence.
 *
 * | step | action of the person |
 * |---|---|
 * | `{say}` | waits for its turn, then says this |
 * | `{interrupt}` | waits until the agent is well into an utterance, then says this over its voice; `{text, after_ms}`
 * sets the time |
 * | `{backchannel}` | the same, for a murmur such as "네" that does not take the floor |
 * | `{listen: true}` | waits for one whole reply of the agent |
 * | `{hear}` | waits until the agent has said this, a text or `/…/`, since the person last heard something |
 * | `{wait_sec}` | waits for this time |
 * | `{noise_sec}` | makes noise without words for this time |
 * | `{hold_sec}` | puts the call on hold for this time |
 * | `{digits}` | sends DTMF digits: 0–9, *, #, A–D |
 * | `{await_digits}` | waits until the agent has sent these digits, after previously awaited ones |
 * | `{announce}` | says this at once, without waiting for its turn, like an answering machine |
 * | `{beep: true}` | beeps, like an answering machine that takes a message |
 * | `{hang_up: true}` | hangs up at once |
 * | `{persona}` | last step: is played by the language model, and hangs up when `goal` is reached or given up |
 *
 * The person's turn begins when the agent is silent and has answered the person's last words, or has not answered
 * within five seconds. A callee's script may begin with the way the call is taken: `{answer_after_sec}` (default 1),
 * or, as its only step, `{no_answer: true}`, `{busy: true}`, `{decline: true}` or `{trunk_error: true}`.
 */
import { mostPersonaTurns, type PersonaStep } from '#src/domain/persona.ts';
import { isPattern, type ReadPattern } from '#src/domain/said-pattern.ts';

/** Text of an interruption. `after_ms` counts from the beginning of the agent's utterance. */
export type Interruption = string | { text: string; after_ms: number };

type Talking =
  | { say: string }
  | { interrupt: Interruption }
  | { hear: string }
  | { backchannel: string }
  | { listen: true }
  | { wait_sec: number }
  | { noise_sec: number }
  | { hold_sec: number }
  | { digits: string }
  | { await_digits: string }
  | { announce: string }
  | { beep: true }
  | { hang_up: true }
  | { persona: PersonaStep };

type Taking =
  | { answer_after_sec: number }
  | { no_answer: true }
  | { busy: true }
  | { decline: true }
  | { trunk_error: true };

export type ScriptStep = Talking | Taking;

export type Script = readonly ScriptStep[];

/** An invalid step. `step` counts from 0; `message` is a plain sentence. */
export type ScriptError = { step: number; message: string };

export const maxScriptSteps = 200;
export const maxScriptTextLength = 2_000;
export const maxScriptSeconds = 600;

type Problem = string | undefined;

const whyNoText = (value: unknown): Problem =>
  typeof value === 'string' && value.trim() !== '' && value.length <= maxScriptTextLength
    ? undefined
    : `must be a text of 1 to ${maxScriptTextLength} characters`;

const whyNoTime = (value: unknown): Problem =>
  typeof value === 'number' && value >= 0 && value <= maxScriptSeconds
    ? undefined
    : `must be a number of seconds from 0 to ${maxScriptSeconds}`;

const whyNotTrue = (value: unknown): Problem => (value === true ? undefined : 'must be true');

const whyNoDigits = (value: unknown): Problem =>
  typeof value === 'string' && /^[0-9*#A-D]{1,64}$/.test(value)
    ? undefined
    : 'must be 1 to 64 of the keys 0–9, *, #, A–D';

const whyNoInterruption = (value: unknown): Problem => {
  if (typeof value !== 'object' || value === null) return whyNoText(value);
  if (!('text' in value) || !('after_ms' in value) || Object.keys(value).length > 2)
    return 'must be a text, or an object with text and after_ms';
  const { text, after_ms: after } = value;
  const isTime = typeof after === 'number' && after >= 0 && after <= maxScriptSeconds * 1_000;
  return whyNoText(text) ?? (isTime ? undefined : 'must have a number of milliseconds as after_ms');
};

const whyNoPersona = (value: unknown): Problem => {
  const isPersona =
    typeof value === 'object' &&
    value !== null &&
    'description' in value &&
    'goal' in value &&
    'max_turns' in value;
  if (!isPersona || Object.keys(value).length > 3)
    return 'must be an object with description, goal and max_turns';
  const { description, goal, max_turns: turns } = value;
  const isCount = Number.isInteger(turns) && Number(turns) >= 1 && Number(turns) <= mostPersonaTurns;
  return (
    whyNoText(description) ??
    whyNoText(goal) ??
    (isCount ? undefined : `must have a whole number from 1 to ${mostPersonaTurns} as max_turns`)
  );
};

const talking: Readonly<Record<string, (value: unknown) => Problem>> = {
  say: whyNoText,
  interrupt: whyNoInterruption,
  hear: whyNoText,
  backchannel: whyNoText,
  listen: whyNotTrue,
  wait_sec: whyNoTime,
  noise_sec: whyNoTime,
  hold_sec: whyNoTime,
  digits: whyNoDigits,
  await_digits: whyNoDigits,
  announce: whyNoText,
  beep: whyNotTrue,
  hang_up: whyNotTrue,
  persona: whyNoPersona,
};

const refusing: Readonly<Record<string, (value: unknown) => Problem>> = {
  no_answer: whyNotTrue,
  busy: whyNotTrue,
  decline: whyNotTrue,
  trunk_error: whyNotTrue,
};

const taking: Readonly<Record<string, (value: unknown) => Problem>> = {
  answer_after_sec: whyNoTime,
  ...refusing,
};

const checks = { ...talking, ...taking };

/** Checks a text or pattern of a `hear` step; without a reader of patterns, only texts are allowed. */
const whyNotHeard = (source: unknown, read: ReadPattern | undefined): Problem => {
  if (read === undefined || typeof source !== 'string') return undefined;
  const pattern = read(source);
  return isPattern(pattern) ? undefined : pattern.problem;
};

type Reading = { role: Role; readPattern: ReadPattern | undefined };

const whyStepIsWrong = (
  step: unknown,
  index: number,
  length: number,
  { role, readPattern }: Reading,
): Problem => {
  if (typeof step !== 'object' || step === null) return 'A step must be an object with one member.';
  const [entry, ...more] = Object.entries(step);
  if (entry === undefined || more.length > 0) return 'A step must be an object with one member.';
  const [name, value] = entry;
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (check === undefined) return 'There is no such step.';
  const problem = check(value);
  if (problem !== undefined) return `${name} ${problem}.`;
  if (name === 'hear') return whyNotHeard(value, readPattern);
  if (name === 'persona' && index < length - 1) return 'persona can only be the last step.';
  if (!Object.hasOwn(taking, name)) return undefined;
  if (role === 'caller') return `${name} is for callees; a caller's call is answered by the gateway.`;
  if (index > 0) return `${name} can only be the first step.`;
  if (Object.hasOwn(refusing, name) && length > 1) return `${name} can only be the only step.`;
  return undefined;
};

/** A callee receives calls, a caller places them. */
export type Role = 'callee' | 'caller';

const isScript = (steps: readonly unknown[], reading: Reading): steps is Script =>
  steps.every((step, index) => whyStepIsWrong(step, index, steps.length, reading) === undefined);

/** Parses a script from unknown data. Problems are returned as values, all of them at once. */
export const parseScript = (
  value: unknown,
  role: Role,
  readPattern?: ReadPattern,
): { script: Script; errors?: never } | { script?: never; errors: readonly ScriptError[] } => {
  if (!Array.isArray(value)) return { errors: [{ step: 0, message: 'A script must be a list of steps.' }] };
  if (value.length > maxScriptSteps)
    return { errors: [{ step: maxScriptSteps, message: `A script has at most ${maxScriptSteps} steps.` }] };
  const steps: readonly unknown[] = value;
  const reading = { role, readPattern };
  if (isScript(steps, reading)) return { script: steps };
  return {
    errors: steps.flatMap((step, index) => {
      const message = whyStepIsWrong(step, index, steps.length, reading);
      return message === undefined ? [] : [{ step: index, message }];
    }),
  };
};
