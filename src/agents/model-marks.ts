/**
 * Marks that a model writes for machines and a server has let through: thoughts between `<think>` and `</think>`, and
 * the tokens of its chat template (`<|im_end|>`, `<end_of_turn>`). Takes pieces that are cut anywhere.
 */
export type ModelMarks = {
  /**
   * What is left of the piece. `retracts`: all that came before was a thought, for it ended with `</think>` without a
   * beginning; many templates begin it in the prompt.
   */
  add(piece: string): { text: string; retracts: boolean };
  /** What was held back because it might have been the beginning of a mark. */
  end(): string;
};

const mark = /<(?<slash>\/?)think(?:ing)?>|<\|(?<token>[a-z_]{1,30})\|>|<(?<turn>end_of_turn)>/giu;

/** The end of the text that might become a mark with the next piece. */
const begunMark = /<(?:\/?[a-z_]{0,12}|\|[a-z_]{0,30}\|?)$/iu;
const longestMark = 40;

/** Behind one of them the model has run on, into a conversation that it makes up. */
const ends = new Set([
  'im_end',
  'eot_id',
  'eom_id',
  'end',
  'endoftext',
  'end_of_text',
  'end_of_turn',
  'end_of_sentence',
  'return',
]);
/** Behind one of them stands who speaks, up to the end of the line or the next token. */
const headers = new Set(['im_start', 'start_header_id', 'start']);

type Mode = 'speaking' | 'thinking' | 'header' | 'over';

/** `thinksAloud`: what comes first is taken for a thought, until `</think>` or the end of the message. */
export const createModelMarks = ({ thinksAloud = false } = {}): ModelMarks => {
  let mode: Mode = 'speaking';
  let isFirstThought = thinksAloud;
  let held = '';
  /** Of a first thought that may be none. */
  let thought: string[] = [];

  const visible = (text: string): string => {
    if (mode === 'header') {
      const lineEnd = text.indexOf('\n');
      if (lineEnd === -1) return '';
      mode = 'speaking';
      return text.slice(lineEnd + 1);
    }
    if (mode !== 'speaking') return '';
    if (!isFirstThought) return text;
    thought.push(text);
    return '';
  };

  /** Whether it takes back what came before it. */
  const pass = (found: RegExpMatchArray): boolean => {
    const { slash, token = '', turn = '' } = found.groups ?? {};
    const name = (token || turn).toLowerCase();
    if (mode === 'over') return false;
    if (name !== '') {
      if (ends.has(name)) mode = 'over';
      else if (mode !== 'thinking') mode = headers.has(name) ? 'header' : 'speaking';
      return false;
    }
    const isLone = slash === '/' && mode !== 'thinking';
    mode = slash === '/' ? 'speaking' : 'thinking';
    isFirstThought = false;
    if (isLone) thought = [];
    return isLone;
  };

  return {
    add(piece) {
      let text = '';
      let retracts = false;
      const whole = held + piece;
      let from = 0;
      for (const found of whole.matchAll(mark)) {
        text += visible(whole.slice(from, found.index));
        from = found.index + found[0].length;
        if (!pass(found)) continue;
        text = '';
        retracts = true;
      }
      const rest = whole.slice(from);
      const begun = begunMark.exec(rest.slice(-longestMark))?.[0] ?? '';
      held = begun;
      return { text: text + visible(rest.slice(0, rest.length - begun.length)), retracts };
    },
    end() {
      const rest = visible(held);
      const released = mode === 'over' ? '' : thought.join('');
      held = '';
      thought = [];
      isFirstThought = false;
      return released + (released === '' ? rest : '');
    },
  };
};
