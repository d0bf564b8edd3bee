import type { Control } from '#machines/control.ts';
import { AgentFailure } from './agent.ts';
import { type TagPart, createTagFinder, unclosedControl } from './controls/find-tags.ts';
import { type LeftOut, readControlTag, type silence, unclosed } from './controls/read-control.ts';
import { createModelMarks, filterInSteps } from './model-marks.ts';
import { plainWords } from './plain-words.ts';
import { createSentenceCutter } from './sentences.ts';

/** Extracts the speakable part of one reply, whose sentences are passed in order. */
type Speakable = {
  /** Returns the speakable part of the sentence; `undefined` if it has none. */
  say(sentence: string): string | undefined;
  /** Begins a new message, so that unclosed parts of the last one do not hide it. */
  reset(): void;
};

/** Openings of unspoken parts: code, comments, scripts. */
const hiddenPart = /(?<fence>`{3,})|^(?<tildes>~{3,})[\w+#.-]*$|<!--|<(?<element>script|style|svg)\b/iu;

/** Finds the end of a hidden part. */
type FindEnd = (text: string) => RegExpExecArray | null | undefined;

const elementEnds: Readonly<Record<string, RegExp>> = {
  script: /<\/script\s*>/iu,
  style: /<\/style\s*>/iu,
  svg: /<\/svg\s*>/iu,
};

/** Returns the end of a hidden part. A closing fence is at least as long as the opening one. */
const endOf = ({ groups }: RegExpExecArray): FindEnd => {
  const { fence, tildes, element = '' } = groups ?? {};
  if (fence !== undefined)
    return (text) => [...text.matchAll(/`+/gu)].find(([run]) => run.length >= fence.length);
  if (tildes !== undefined) return (text) => (text.length >= tildes.length ? /^~+$/u.exec(text) : null);
  const end = elementEnds[element.toLowerCase()] ?? /-->/u;
  return (text) => end.exec(text);
};

/** Creates an extractor. A hidden part may begin in one sentence and end in another, or never. */
export const createSpeakable = (): Speakable => {
  let findEnd: FindEnd | undefined;

  const visible = (sentence: string): string => {
    let kept = '';
    let rest = sentence;
    for (;;) {
      if (findEnd === undefined) {
        const begin = hiddenPart.exec(rest);
        kept += rest.slice(0, begin?.index);
        if (begin === null) return kept;
        findEnd = endOf(begin);
        rest = rest.slice(begin.index + begin[0].length);
      } else {
        const end = findEnd(rest);
        if (end === null || end === undefined) return kept;
        findEnd = undefined;
        rest = rest.slice(end.index + end[0].length);
      }
    }
  };

  return {
    say(sentence) {
      const words = plainWords(visible(sentence.trim()));
      return /[\p{L}\p{N}]/u.test(words) ? words : undefined;
    },
    reset() {
      findEnd = undefined;
    },
  };
};

/** A sentence to speak, a control, a declared silence, or an omitted control. */
export type ReplyPart = string | Control | typeof silence | LeftOut;

/** Extracts the utterances of one reply while it is still being written. */
export type Utterances = {
  /** Returns the utterances that this piece completes. Throws an AgentFailure `reply_too_large` for endless speech. */
  add(piece: string): ReplyPart[];
  /** Works like `add`, but in steps, because a piece may contain thousands of sentences. */
  addInSteps(piece: string): Generator<ReplyPart[], void, undefined>;
  /** Retracts the text so far as thoughts. */
  retract(): void;
  /**
   * Notes that the message so far is complete; another one may follow. A message that may be a thought is held back
   * until more text or the end of the reply.
   */
  sentenceEnd(): ReplyPart[];
  /**
   * Adds controls that are not part of the text. The text before them is complete. Throws an AgentFailure
   * `reply_too_large` for too many controls.
   */
  addControls(controls: readonly Exclude<ReplyPart, string>[]): ReplyPart[];
  /** Called after a short time without text. Returns speakable text although more may follow. */
  pause(): string[];
  /** Whether the reply so far lacks an end: of its last sentence, emitted or not, or of a possible thought. */
  isTorn(): boolean;
  /** Returns the remaining utterances at the end of the reply. */
  end(): ReplyPart[];
  /** Returns the remaining utterances of a reply that was cut off or has failed, without a possible thought. */
  cut(): ReplyPart[];
  /** Whether the leading text turned out to be thoughts, some of which may have been spoken. */
  thoughtAloud(): boolean;
  /** Whether the words contained a tool call, which was left out. */
  wroteCall(): boolean;
};

/** Maximum number of code units that are cut into sentences in one step. */
const longestStep = 1_024;

/** Maximum number of characters of speech, which takes more than two hours. */
const longestSpeech = 64 * 1024;

/**
 * Maximum number of controls per reply, because each control other than speech acts in the call, for example by sending
 * DTMF digits.
 */
const mostControls = 100;

/**
 * Creates the extractor of one reply. `thinksAloud`: earlier replies of this agent began with thoughts without a start
 * mark. `controls`: tags may be controls.
 */
export const createUtterances = ({ thinksAloud = false, controls = false } = {}): Utterances => {
  const cutter = createSentenceCutter();
  const speakable = createSpeakable();
  const tags = controls ? createTagFinder() : null;
  let spoken = 0;
  let acts = 0;
  /** Whether the last message ended within a sentence and no message has followed it. */
  let endedTorn = false;
  /** Complete messages that may be thoughts, whose end mark is missing if the reply turns out to be cut off. */
  let doubted: ReplyPart[] = [];

  let marks = createModelMarks({ thinksAloud });
  let thoughtAloud = false;
  let wroteCall = false;

  const toSpeech = (sentences: readonly string[]): string[] =>
    sentences.flatMap((sentence) => {
      const speech = speakable.say(sentence);
      spoken += speech?.length ?? 0;
      return speech === undefined ? [] : [speech];
    });

  /** Adds a control. The text before a control is a separate sentence; an omitted control becomes a space. */
  const placeControl = (control: Exclude<ReplyPart, string>): ReplyPart[] => {
    acts += 1;
    const isLeftOut = typeof control === 'object' && 'leftOut' in control;
    return isLeftOut ? [...toSpeech(cutter.add(' ')), control] : [...toSpeech(cutter.end()), control];
  };

  const place = (part: TagPart): ReplyPart[] => {
    if (typeof part === 'string') return toSpeech(cutter.add(part));
    if (part === unclosedControl) return placeControl(unclosed);
    const control = readControlTag(part.source);
    return control === undefined ? toSpeech(cutter.add(`<${part.source}>`)) : placeControl(control);
  };

  const addText = (text: string): ReplyPart[] =>
    tags === null ? toSpeech(cutter.add(text)) : tags.add(text).flatMap(place);

  const endText = (rest: string): ReplyPart[] => {
    const parts = [...addText(rest), ...(tags?.end() ?? []).flatMap(place)];
    wroteCall ||= marks.wroteCall();
    return parts;
  };

  const checkActs = (): void => {
    if (acts > mostControls)
      throw new AgentFailure('reply_too_large', `the reply has more than ${mostControls} marks`);
  };

  const endMessage = (): ReplyPart[] => {
    const parts = endText(marks.end());
    endedTorn ||= cutter.isTorn();
    parts.push(...toSpeech(cutter.end()));
    speakable.reset();
    marks = createModelMarks();
    return parts;
  };

  const release = (): ReplyPart[] => {
    const parts = doubted;
    doubted = [];
    return parts;
  };

  const retract = (): void => {
    thoughtAloud = true;
    doubted = [];
    tags?.end();
    cutter.end();
  };

  function* addInSteps(piece: string): Generator<ReplyPart[], void, undefined> {
    const { text, retracts } = yield* filterInSteps(marks, piece);
    if (retracts) retract();
    if (piece.trim() !== '') {
      endedTorn = false;
      if (doubted.length > 0) yield release();
    }
    for (let at = 0; at < text.length; at += longestStep) {
      yield addText(text.slice(at, at + longestStep));
      if (spoken > longestSpeech) {
        throw new AgentFailure('reply_too_large', `the reply is longer than ${longestSpeech} characters`);
      }
      checkActs();
    }
  }

  return {
    add: (piece) => [...addInSteps(piece)].flat(),
    addInSteps,
    retract() {
      marks.end();
      retract();
    },
    sentenceEnd() {
      const isDoubted = marks.holdsThought();
      const parts = endMessage();
      if (!isDoubted) return parts;
      doubted.push(...parts);
      return [];
    },
    addControls(added) {
      acts += added.length;
      checkActs();
      return [...release(), ...endMessage(), ...added];
    },
    pause: () => toSpeech(cutter.pause()),
    isTorn: () => doubted.length > 0 || marks.holdsThought() || endedTorn || cutter.isTorn(),
    end: () => [...release(), ...endText(marks.end()), ...toSpeech(cutter.end())],
    cut() {
      doubted = [];
      return [...endText(marks.cut()), ...toSpeech(cutter.end())];
    },
    thoughtAloud: () => thoughtAloud,
    wroteCall: () => wroteCall,
  };
};

/** Returns the utterances of a complete text; empty if it contains nothing speakable. */
export const sentencesOf = (text: string): string[] => {
  const utterances = createUtterances();
  return [...utterances.add(text), ...utterances.end()].filter((utterance) => typeof utterance === 'string');
};
