/** A person who is played by a language model: the step `{persona}` of a script. */
import type {
  PersonaLine,
  PersonaResult,
  PersonaStep,
  PersonaTurn,
  PlayPersona,
} from '#src/domain/persona.ts';
import { withoutModel } from '#src/domain/persona.ts';
import { agentIsSilent, agentSpeaks, pressKeys, speak } from './behaviours.ts';
import type { Ears } from './ears.ts';
import type { Course, Phone } from './party.ts';
import { inTime, type ScriptWatch } from './script-watch.ts';

/** Time that the person waits for the agent's first words before speaking. */
const greetingMs = 2_000;

type Answer = { turn: PersonaTurn } | { failed: string };

export type PersonaPlayer = {
  /** Asks the language model for the next turn. The returned function returns the answer once there is one. */
  ask(request: Parameters<PlayPersona>[0]): () => Answer | undefined;
  /** Aborts a pending request. */
  stop(): void;
};

/** `notice` makes the person check its wait condition. Without a model every turn fails. */
export const createPersonaPlayer = (play: PlayPersona | null, notice: () => void): PersonaPlayer => {
  const leaving = new AbortController();
  return {
    ask(request) {
      if (play === null) return () => ({ failed: withoutModel });
      let answer: Answer | undefined;
      const settle = (settled: Answer): void => {
        answer = settled;
        notice();
      };
      play(request, leaving.signal).then(
        (turn) => settle({ turn }),
        (error: unknown) => settle({ failed: error instanceof Error ? error.message : String(error) }),
      );
      return () => answer;
    },
    stop: () => leaving.abort(),
  };
};

/** The person's part in the conversation, shared with the other steps of the script. */
type Talk = {
  /** Number of utterances of the agent that had begun when the person last spoke or listened. */
  begunBefore: number;
  ears: Ears;
};

/** Waits for the agent's words. Returns whether the agent spoke, if that is required. */
function* listen(phone: Phone, talk: Talk, isFirst: boolean): Course {
  if (isFirst) yield* agentSpeaks(phone, talk.begunBefore, greetingMs);
  else yield* agentSpeaks(phone, talk.begunBefore);
  yield* agentIsSilent(phone);
}

function* awaitAnswer(answer: () => Answer | undefined): Course {
  yield { until: () => answer() !== undefined };
}

function* act(phone: Phone, talk: Talk, { says, presses }: PersonaTurn): Course {
  yield* agentIsSilent(phone);
  talk.begunBefore = phone.voicesBegun();
  if (says !== '') yield* speak(phone, says);
  if (presses !== '') yield* pressKeys(phone, presses);
}

/**
 * Plays the person until it ends the call. Each wait for the agent or for the language model has the time limit of a
 * step. Returns false: the person always hangs up.
 */
export function* talkAsPersona(
  phone: Phone,
  talk: Talk,
  { description, goal, max_turns: most }: PersonaStep,
  { player, watch }: { player: PersonaPlayer; watch: ScriptWatch | null },
): Course<false> {
  const limits = { phone, ears: talk.ears, watch, isLimited: true };
  const lines: PersonaLine[] = [];
  const end = (result: PersonaResult): false => {
    watch?.personaEnded(result);
    return false;
  };
  for (let turn = 1; turn <= most; turn += 1) {
    if (!(yield* inTime(listen(phone, talk, turn === 1), limits))) return false;
    lines.push({ role: 'agent', text: talk.ears.takeAll() });
    talk.begunBefore = phone.voicesBegun();
    const answer = player.ask({ description, goal, language: phone.language, lines: [...lines] });
    if (!(yield* inTime(awaitAnswer(answer), limits))) return false;
    const given = answer();
    if (given === undefined || 'failed' in given)
      return end({ outcome: 'model_failed', reason: given?.failed ?? 'no answer' });
    lines.push({ role: 'persona', text: given.turn.says });
    if (!(yield* inTime(act(phone, talk, given.turn), limits))) return false;
    if (given.turn.ends !== null) {
      watch?.isDone();
      return end(given.turn.ends);
    }
  }
  return end({ outcome: 'turn_limit', reason: `no end within ${most} turns` });
}
