/**
 * Filter for machine markup in a model's text that a server did not remove: thoughts, tool calls, tokens and headers of
 * the chat template, terminal escape sequences. Every reply passes through the filter in pieces that are cut anywhere.
 * Each character is examined a bounded number of times, and the held-back text is bounded.
 *
 * The templates of the model families are described in github.com/openai/harmony and in the tool and reasoning parsers
 * of vLLM and SGLang (Hermes, Qwen, Llama, Mistral, DeepSeek, Kimi, GLM, Granite, Phi, Gemma, Cohere, MiniMax, Seed,
 * EXAONE).
 */
import { bareCallStart, createBareCall, type BareCall } from './model-marks/bare-call.ts';
import { createCallBody, type CallBody } from './model-marks/call-body.ts';
import {
  readChannel,
  readRole,
  wordsBehindChannel,
  wordsBehindRole,
  type Heading,
} from './model-marks/heading.ts';
import type { Meaning } from './model-marks/mark-meaning.ts';
import {
  beforeCall,
  longestOpeningThoughtEnd,
  openingThoughtEnd,
  readOpening,
} from './model-marks/opening.ts';
import { markStart, readMark } from './model-marks/read-mark.ts';

/**
 * The remaining text of a piece. `retracts`: all earlier text was a thought, because it ended with `</think>` without an
 * opening. Many templates put the opening into the prompt.
 */
export type Filtered = { text: string; retracts: boolean };

export type ModelMarks = {
  /** Filters a piece. */
  add(piece: string): Filtered;
  /** Returns text that was held back as the possible beginning of a mark, or as a possible thought. */
  end(): string;
  /** Ends a text that was cut off. Works like `end`, but drops a possible thought: its end mark may be missing. */
  cut(): string;
  /** Whether text is held back as a possible thought. */
  holdsThought(): boolean;
  /** Whether the removed text contained a tool call. */
  wroteCall(): boolean;
};

/** Maximum number of code units that are filtered in one step, which takes some milliseconds at most. */
const longestStep = 8 * 1024;

/**
 * Filters a piece in steps, because a piece may have a million characters. The whole piece is filtered before its text
 * is used, because a thought without a start mark is recognized by its end. Yields an empty list between two steps.
 */
export function* filterInSteps(marks: ModelMarks, piece: string): Generator<never[], Filtered, undefined> {
  let text = '';
  let retracts = false;
  for (let at = 0; at < piece.length; at += longestStep) {
    if (at > 0) yield [];
    const filtered = marks.add(piece.slice(at, at + longestStep));
    retracts ||= filtered.retracts;
    text = filtered.retracts ? filtered.text : text + filtered.text;
  }
  return { text, retracts };
}

/** Remark for a tool call that is not executed, because the gateway offers no tools. */
export const wantsTool = 'the model asked for a tool, which the server leaves to the caller';

/** Maximum number of characters of leading text that may be a thought. A longer one is certainly a thought. */
const longestThought = 64 * 1024;

/** Maximum number of characters in a header. Longer text is speech whose mark is missing. */
const longestHeading = 100;

type Mode =
  | 'speaking'
  | 'thinking'
  | 'calling'
  /** State in which the role or channel of a header is read. */
  | 'header'
  | 'channel'
  /** State after the end of a message; a header may begin another one. */
  | 'ended'
  | 'over';

/**
 * A thought that ends with words. `tail` contains its last characters. `doubted` is the whole text of the thought,
 * which is speech if the end of the thought is missing.
 */
type WordThought = { tail: string; doubted: string | null };

/** A possible unmarked call, and its text so far; the text is empty once it is known to be a call. */
type Bare = { call: BareCall; text: string };

const startsAt = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

/**
 * Creates a filter. With `thinksAloud`, leading text counts as a thought until `</think>` or the end of the message.
 */
export const createModelMarks = ({ thinksAloud = false } = {}): ModelMarks => {
  let mode: Mode = 'speaking';
  /** End of the text so far, which may become a mark. */
  let held = '';
  let bare: Bare | undefined;
  let body: CallBody | undefined;
  let callMark = '';
  let heading = '';
  /** Kind of the message whose channel is being read. */
  let role: Heading = 'spoken';
  /** First words of the message, until they show whether the message starts with a mark; `null` afterwards. */
  let opening: string | null = '';
  /** Thought that ends with words; `null` for a thought that ends with a mark. */
  let wordThought: WordThought | null = null;
  let isFirstThought = thinksAloud;
  /** Text of a leading thought that may be speech. */
  let thought: string[] = [];
  let thoughtLength = 0;
  let isInSequence = false;
  let hasSpoken = false;
  let wroteCall = false;
  /** Text that `add` returns. */
  let shown = '';
  let retracts = false;

  const say = (text: string): void => {
    if (isFirstThought) {
      thoughtLength += text.length;
      if (thoughtLength <= longestThought) thought.push(text);
    } else {
      hasSpoken ||= text.trim() !== '';
      shown += text;
    }
  };

  const endCall = (): void => {
    wroteCall ||= body?.isCall() ?? false;
    body = undefined;
  };

  const beginCall = (mark = ''): void => {
    if (body === undefined) {
      body = createCallBody();
      // Brackets that only mention a tool are text; tags and tokens never are.
      callMark = mark.startsWith('[') ? mark : '';
    }
    mode = 'calling';
  };

  const beginMessage = (as: Heading): void => {
    heading = '';
    role = 'spoken';
    if (as === 'call') beginCall();
    else if (as === 'tool result') mode = 'ended';
    else if (as === 'foreign') mode = 'over';
    else mode = as === 'thought' ? 'thinking' : 'speaking';
    wordThought = null;
  };

  const endHeading = (): void => {
    const headed = mode === 'header' ? readRole(heading) : readChannel(heading);
    beginMessage(role === 'spoken' ? headed : role);
  };

  /** Releases an assumed header as text: it contains words, so the mark that ends it is missing. */
  const releaseHeading = (): void => {
    const words = mode === 'header' ? wordsBehindRole(heading) : wordsBehindChannel(heading);
    endHeading();
    show(words);
  };

  const readHeading = (text: string): void => {
    heading += text;
    const begins = heading.search(/\S/u);
    const lineEnd = begins === -1 ? -1 : heading.indexOf('\n', begins);
    if (lineEnd !== -1 && lineEnd < longestHeading) {
      const rest = heading.slice(lineEnd + 1);
      heading = heading.slice(0, lineEnd);
      endHeading();
      show(rest);
    } else if (heading.length > longestHeading) releaseHeading();
  };

  const readThought = (text: string): void => {
    if (wordThought === null) return;
    const { tail, doubted } = wordThought;
    const whole = tail + text;
    const end = openingThoughtEnd.exec(whole);
    wordThought = {
      tail: whole.slice(-longestOpeningThoughtEnd),
      doubted: doubted === null || doubted.length > longestThought ? null : doubted + text,
    };
    if (end === null) return;
    beginMessage('spoken');
    show(whole.slice(end.index + end[0].length));
  };

  const readFirstWords = (text: string): void => {
    opening += text;
    const whole = opening ?? '';
    const found = readOpening(whole);
    if (found.type === 'begun') return;
    opening = null;
    if (found.type === 'text') return say(whole);
    if (found.meaning === 'thought') {
      mode = 'thinking';
      wordThought = { tail: '', doubted: found.isDoubtful ? whole.slice(0, found.length) : null };
    } else if (found.meaning === 'call') beginCall();
    show(whole.slice(found.length));
  };

  /** Adds text without marks to the output. */
  const show = (text: string): void => {
    if (text === '') return;
    switch (mode) {
      case 'speaking':
        return opening === null ? say(text) : readFirstWords(text);
      case 'thinking':
        return readThought(text);
      case 'calling': {
        const rest = body?.add(text);
        if (rest === undefined) return;
        const words = body?.isCall() === true ? rest : callMark + rest;
        endCall();
        mode = 'speaking';
        return show(words);
      }
      case 'header':
      case 'channel':
        return readHeading(text);
      default:
    }
  };

  /** Called when another mark follows, so the held-back words did not begin a mark. */
  const endOpening = (): void => {
    const words = opening ?? '';
    opening = null;
    say(words);
  };

  const retract = (): void => {
    thought = [];
    shown = '';
    retracts = true;
    hasSpoken = false;
    beginMessage('spoken');
  };

  const thoughtEnds = (): void => {
    const isLone = mode !== 'thinking';
    isFirstThought = false;
    if (isLone) retract();
    else beginMessage('spoken');
  };

  const thoughtBegins = (): void => {
    mode = 'thinking';
    wordThought = null;
    if (!isFirstThought) return;
    isFirstThought = false;
    for (const words of thought.splice(0)) say(words);
  };

  /** Handles a mark that describes the next message. */
  const headingBegins = (as: 'header' | 'channel'): void => {
    endCall();
    role = as === 'channel' && mode === 'header' ? readRole(heading) : 'spoken';
    heading = '';
    mode = role === 'foreign' ? 'over' : as;
  };

  /** Handles a mark in a mode that recognizes it. */
  const obey = (meaning: Meaning, source: string): void => {
    if (mode === 'header' && meaning !== 'channel') {
      endHeading();
      if (meaning === 'message') return;
    }
    switch (meaning) {
      case 'thought':
        return mode === 'calling' ? undefined : thoughtBegins();
      case 'thought end':
        return mode === 'calling' ? undefined : thoughtEnds();
      case 'channel end':
        if (mode === 'thinking') beginMessage('spoken');
        return;
      case 'call':
      case 'argument':
        if (mode === 'thinking') return;
        beginCall(source);
        if (meaning === 'argument') body?.hasArgumentMarks();
        return;
      case 'call end':
        if (mode !== 'calling') return;
        endCall();
        mode = 'speaking';
        return;
      case 'header':
      case 'channel':
        return headingBegins(meaning);
      case 'message':
        if (mode === 'channel') endHeading();
        else if (mode === 'thinking') beginMessage('spoken');
        return;
      case 'message end':
        endCall();
        mode = 'ended';
        return;
      case 'turn end':
        endCall();
        // A turn of thoughts only may be followed by a turn with words.
        mode = hasSpoken || wroteCall || thought.length > 0 ? 'over' : 'ended';
        return;
      case 'foreign turn':
        endCall();
        mode = 'over';
        return;
      default:
    }
  };

  const pass = (meaning: Meaning, source: string): void => {
    if (meaning === 'sequence' || (meaning === 'sequence end' && isInSequence)) {
      isInSequence = meaning === 'sequence';
      return show(source);
    }
    if (opening !== null && meaning !== 'nothing') endOpening();
    if (mode === 'over') return;
    if (mode === 'ended' && meaning !== 'header' && meaning !== 'channel' && meaning !== 'foreign turn')
      return;
    obey(meaning === 'sequence end' ? 'turn end' : meaning, source);
  };

  /** Whether an unmarked call begins here, or may begin with more text. */
  const bareCallAt = (text: string, at: number): 'call' | 'begun' | 'text' => {
    if (mode !== 'speaking') return 'text';
    const { json, jsonBegun, python, pythonBegun } = bareCallStart;
    if (startsAt(python, text, at)) {
      bare = { call: createBareCall({ isCall: true }), text: '' };
      return 'call';
    }
    if (startsAt(json, text, at)) {
      bare = { call: createBareCall(), text: '' };
      return 'call';
    }
    return startsAt(jsonBegun, text, at) || startsAt(pythonBegun, text, at) ? 'begun' : 'text';
  };

  const leaveOutCall = (): void => {
    wroteCall = true;
    if (opening !== null && beforeCall.test(opening)) opening = '';
  };

  /** Reads an unmarked call; returns the text after it, or undefined while it is open. */
  const readBare = (reading: Bare, text: string): string | undefined => {
    let at = 0;
    for (const character of text) {
      at += character.length;
      const verdict = reading.call.add(character);
      if (verdict === 'open') continue;
      bare = undefined;
      if (verdict === 'call') leaveOutCall();
      else scan(reading.text + text.slice(0, at), false);
      return text.slice(at);
    }
    reading.text = reading.call.isCall() ? '' : reading.text + text;
    return undefined;
  };

  /**
   * Removes marks from a text and holds back a possible mark. Returns the text from the beginning of an unmarked call.
   */
  const scan = (text: string, looksForCalls: boolean): string | undefined => {
    let shownTo = 0;
    for (let from = 0; ;) {
      markStart.lastIndex = from;
      const at = markStart.exec(text)?.index;
      if (at === undefined) {
        show(text.slice(shownTo));
        return undefined;
      }
      const mark = readMark(text, at);
      // The preceding text may have ended a header or a call, which changes the meaning of the mark.
      show(text.slice(shownTo, at));
      shownTo = at;
      if (mark.type === 'mark') {
        pass(mark.meaning, text.slice(at, at + mark.length));
        shownTo = at + mark.length;
        from = shownTo;
        continue;
      }
      const call = looksForCalls && mark.type === 'text' ? bareCallAt(text, at) : 'text';
      if (call === 'call') return text.slice(at);
      if (mark.type === 'begun' || call === 'begun') {
        held = text.slice(at);
        return undefined;
      }
      from = at + 1;
    }
  };

  const takeIn = (piece: string): void => {
    let rest: string | undefined = piece;
    while (rest !== undefined && rest !== '') {
      if (bare !== undefined) rest = readBare(bare, rest);
      else {
        const text: string = held + rest;
        held = '';
        rest = scan(text, true);
      }
    }
  };

  const endBare = (): void => {
    if (bare === undefined) return;
    const { call, text } = bare;
    bare = undefined;
    if (call.isTornCall()) leaveOutCall();
    else scan(text, false);
  };

  const taken = (): string => {
    const text = shown;
    shown = '';
    return text;
  };

  const doubtedWords = (): string => (mode === 'thinking' ? (wordThought?.doubted ?? '') : '');

  const finish = ({ isCut }: { isCut: boolean }): string => {
    endBare();
    const rest = held;
    held = '';
    show(rest);
    if (mode === 'header' || mode === 'channel') releaseHeading();
    endCall();
    endOpening();
    if (!isCut) say(doubtedWords());
    isFirstThought = false;
    const words = thought.splice(0);
    if (!isCut) for (const text of words) say(text);
    return taken();
  };

  return {
    add(piece) {
      retracts = false;
      takeIn(piece);
      return { text: taken(), retracts };
    },
    end: () => finish({ isCut: false }),
    cut: () => finish({ isCut: true }),
    holdsThought: () => thought.length > 0 || doubtedWords() !== '',
    wroteCall: () => wroteCall,
  };
};
