/**
 * The built-in agent's dialogue without a language model: a few questions, each with a set of understood answers. The
 * next sentence is a function of the history, replayed from the start, so any process with the history can continue the
 * conversation.
 *
 *     outbound: task → (details →) more → farewell          inbound: message → details → farewell
 *
 * A conversation without progress moves to its farewell after a few turns.
 */
import type { Message } from '#machines/reply.ts';
import type { Meaning, Words } from './words.ts';

/** An utterance as the built-in agent understands it. */
type Understood = {
  text: string;
  /** Kind of the utterance; `statement` is any utterance without a more specific kind. */
  meaning: Meaning | 'statement';
  /** Numbers, dates and times, in the words of the other party. */
  details: readonly string[];
};

export const hear = (text: string, words: Words): Understood => {
  const trimmed = text.trim();
  const found = words.meanings.find(([, pattern]) => pattern.test(trimmed));
  const details = new Set([...trimmed.matchAll(words.details)].map(([detail]) => detail.trim()));
  return { text: trimmed, meaning: found?.[0] ?? 'statement', details: [...details] };
};

export type Opening = { direction: 'inbound' | 'outbound'; task: string | null; words: Words };

/**
 * Answer of the agent. `hangUp` says whether the agent hangs up: after the farewell, or `now` if the other party has
 * interrupted the farewell repeatedly.
 */
export type BuiltInAnswer = { text: string; hangUp: 'no' | 'after-farewell' | 'now' };

type Stage = 'task' | 'message' | 'details' | 'more' | 'farewell';

type State = {
  stage: Stage;
  /** The stage to which the dialogue returns after a misunderstanding. */
  firstStage: 'task' | 'message';
  /** Question of this stage, repeated if the other party did not hear it. */
  question: string;
  /** Number of turns of the other party without progress. */
  detours: number;
  farewells: number;
};

type Step = { state: State; said: BuiltInAnswer };

const mostDetours = 3;
const mostFarewells = 2;

/** Normalizes text for comparison, because the line joins sentences with its own spaces. */
const bare = (text: string): string => text.replaceAll(/\s/gu, '');

const endsInMark = /[.!?。！？…]["'”’」』)]?$/u;

const sentence = (text: string, words: Words): string =>
  endsInMark.test(text.trim()) ? text.trim() : `${text.trim()}${words.fullStop}`;

/** Functions for the possible moves from a state. */
const movesFrom = (state: State, words: Words) => {
  const say = (next: Partial<State>, texts: readonly string[]): Step => ({
    state: { ...state, ...next },
    said: { text: texts.filter((text) => text !== '').join(words.space), hangUp: 'no' },
  });
  const farewell = (...before: string[]): Step => {
    const step = say({ stage: 'farewell', farewells: state.farewells + 1 }, [
      ...before,
      words.thanks,
      words.goodbye,
    ]);
    const hangUp = state.farewells >= mostFarewells ? 'now' : 'after-farewell';
    return { ...step, said: { ...step.said, hangUp } };
  };
  const detour = (next: Partial<State>, texts: readonly string[]): Step =>
    state.detours >= mostDetours ? farewell() : say({ ...next, detours: state.detours + 1 }, texts);
  return {
    farewell,
    /** Advances to a question. */
    ask: (stage: Stage, question: string, ...before: string[]) =>
      say({ stage, question }, [...before, question]),
    /** Returns to a question. */
    askAgain: (stage: Stage, question: string) => detour({ stage, question }, [question]),
    /** Stays at the current question. */
    stay: (...texts: string[]) => detour({}, texts),
  };
};

type Moves = ReturnType<typeof movesFrom>;

const readBack = ({ details }: Understood, words: Words): string =>
  [words.confirm, sentence(details.join(words.listSeparator), words), words.isThatRight].join(words.space);

const repeat = (text: string, words: Words): string =>
  [words.messageFollows, sentence(text, words), words.isThatRight].join(words.space);

/** Reacts to words of the other party after or during a farewell. */
const afterFarewell = ({ meaning }: Understood, words: Words, { farewell, stay }: Moves): Step => {
  if (meaning === 'wait') return stay(words.waiting);
  if (meaning === 'question') return farewell(words.cannotAnswer);
  if (meaning === 'thanks') return farewell(words.youAreWelcome);
  return meaning === 'statement' ? farewell(words.noted) : farewell();
};

const answerToTask = (heard: Understood, words: Words, { ask, stay }: Moves): Step => {
  const { meaning, details, text } = heard;
  if (details.length > 0)
    return ask('details', meaning === 'no' ? repeat(text, words) : readBack(heard, words));
  if (meaning === 'no') return ask('more', words.askForMore, words.willPassOnRefusal);
  if (meaning === 'question') return stay(words.cannotAnswer, words.askAboutTask);
  return ask('more', words.askForMore, words.willPassOn);
};

/** Text that is longer than an answer is a message, even if it begins with "no". */
const messageOfCaller = (
  { meaning, text }: Understood,
  words: Words,
  { ask, stay, farewell }: Moves,
): Step => {
  if (meaning === 'statement' || meaning === 'question' || bare(text).length > words.longestAnswer) {
    return ask('details', repeat(text, words));
  }
  return meaning === 'no' ? farewell() : stay(words.goOn);
};

const confirmation = (heard: Understood, state: State, words: Words, moves: Moves): Step => {
  const { meaning, details } = heard;
  const isConfirmed = meaning === 'yes' || meaning === 'thanks';
  if (!isConfirmed && details.length > 0) return moves.askAgain('details', readBack(heard, words));
  if (meaning === 'no') return moves.askAgain(state.firstStage, words.askAgain);
  if (meaning === 'question') return moves.stay(words.cannotAnswer, words.isThatRight);
  return moves.farewell(words.willPassOn);
};

const anythingElse = (heard: Understood, words: Words, { ask, stay, farewell }: Moves): Step => {
  const { meaning, details } = heard;
  if (meaning !== 'no' && details.length > 0) return ask('details', readBack(heard, words));
  if (meaning === 'question') return stay(words.cannotAnswer, words.askForMore);
  if (meaning === 'yes') return stay(words.goOn);
  return meaning === 'statement' ? farewell(words.noted) : farewell();
};

/** Reacts to an utterance. `wasCutOff`: the agent's last words were interrupted. */
const reactTo = (heard: Understood, state: State, words: Words, wasCutOff: boolean): Step => {
  const moves = movesFrom(state, words);
  const { meaning, text } = heard;
  if (state.stage === 'farewell') return afterFarewell(heard, words, moves);
  // Whether the question was not heard, as "Hello?" shows, or "yes?" during a question.
  const missedIt = wasCutOff && (meaning === 'yes' || meaning === 'agreed');
  if (meaning === 'greeting' || missedIt) return moves.stay(state.question);
  if (meaning === 'invitation')
    // A task that was heard is not read out again.
    return moves.stay(state.stage === 'task' && !wasCutOff ? words.askAboutTask : state.question);
  if (state.stage === 'message' && bare(text).length > words.longestAnswer) {
    return messageOfCaller(heard, words, moves);
  }
  if (meaning === 'goodbye') return moves.farewell();
  if (meaning === 'wait') return moves.stay(words.waiting);
  if (meaning === 'repeat') return moves.stay(words.repeatFollows, state.question);
  if (state.stage === 'message') return messageOfCaller(heard, words, moves);
  if (state.stage === 'task') return answerToTask(heard, words, moves);
  if (state.stage === 'details') return confirmation(heard, state, words, moves);
  return anythingElse(heard, words, moves);
};

const begin = ({ direction, task, words }: Opening): Step => {
  const start = (stage: Stage, question: string, text: string): Step => ({
    state: {
      stage,
      question,
      firstStage: direction === 'outbound' ? 'task' : 'message',
      detours: 0,
      farewells: 0,
    },
    said: { text, hangUp: 'no' },
  });
  // An inbound conversation begins after the gateway's greeting.
  if (direction === 'inbound') return start('message', words.askForMessage, '');
  if (task === null)
    return start('more', words.askInGeneral, [words.opening, words.askInGeneral].join(words.space));
  const question = [sentence(task, words), words.askAboutTask].join(words.space);
  return start('task', question, [words.opening, words.taskFollows, question].join(words.space));
};

/** Returns the agent's answer to the last message. The first message of an outbound call is the kickoff. */
export const nextAnswer = (messages: readonly Message[], opening: Opening): BuiltInAnswer => {
  let { state, said } = begin(opening);
  let heardOfIt = '';
  for (const { role, content } of opening.direction === 'outbound' ? messages.slice(1) : messages) {
    if (role === 'assistant') {
      heardOfIt += content;
      continue;
    }
    const wasCutOff = !bare(heardOfIt).includes(bare(said.text));
    ({ state, said } = reactTo(hear(content, opening.words), state, opening.words, wasCutOff));
    heardOfIt = '';
  }
  return said;
};
