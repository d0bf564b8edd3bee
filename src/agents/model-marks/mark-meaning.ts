/**
 * Derives the meaning of a mark from its name. Every model family has its own chat template, but the names consist of
 * the same few words: `<|tool_calls_section_begin|>`, `<｜tool▁calls▁begin｜>`, `<|START_ACTION|>`,
 * `<minimax:tool_call>`.
 */

/** Effect of a mark on the text after it. */
export type Meaning =
  /** Padding, and marks that only separate; such marks have no effect. */
  | 'nothing'
  | 'thought'
  | 'thought end'
  /** The text of a tool call, or of a tool's result. */
  | 'call'
  | 'call end'
  /** The name or value of an argument follows. A call with such marks contains no JSON. */
  | 'argument'
  /** The role follows, up to the end of the line or the next mark. */
  | 'header'
  /** The channel of a message follows (OpenAI Harmony, Gemma 4), up to the next mark or the end of the line. */
  | 'channel'
  | 'channel end'
  /** The text of a message follows. */
  | 'message'
  /** The message ends, and the same model may begin another one (OpenAI Harmony). */
  | 'message end'
  /** The model's turn ends. Text after it is a conversation that the model has invented. */
  | 'turn end'
  /** `<s>` and `</s>`: in SSML a sentence, for Llama and Mistral the beginning and end of the whole text. */
  | 'sequence'
  | 'sequence end'
  /** A turn of another role follows, which the model has invented. */
  | 'foreign turn';

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Names whose words would give a wrong meaning. */
const exact: ReadonlyMap<string, Meaning> = new Map([
  ...['im_start', 'start', 'begin', 'start_of_turn', 'start_of_role', 'start_header_id', 'header_start'].map(
    (name) => [name, 'header'] as const,
  ),
  ...['im_assistant', 'message_sep', 'message_model', 'turn', 'assistant_start'].map(
    (name) => [name, 'header'] as const,
  ),
  ...['end_header_id', 'header_end', 'end_of_role', 'im_sep', 'im_middle', 'role_sep', 'end_text'].map(
    (name) => [name, 'nothing'] as const,
  ),
  ['end_response', 'nothing'],
  ['channel', 'channel'],
  ['message', 'message'],
  ['content', 'message'],
  ['content_text', 'message'],
  ['end', 'message end'],
  ['end_message', 'message end'],
  ['call', 'message end'],
]);

const endWords = setOf('end stop suffix close');
const callWords = setOf(
  'tool tools toolcall toolcalls call calls function functions invoke action actions plugin python interpreter',
);
const thoughtWords = setOf('think thinking thought thoughts reasoning reason cot inner analysis scratchpad');
const foreignWords = setOf('user human system developer observation environment');
const turnEnds = setOf('end eos eot eom eod eog endoftext endofturn endofsentence endofmessage stop return');
const turnEndWords = setOf('of text turn sentence utterance message id im token assistant seq');

/**
 * Returns the meaning of a special token. `closes`: the mark has a slash or a closing shape. Token names are not words
 * of any language, so an unknown token is removed and has no effect.
 */
export const meaningOfToken = (name: string, closes: boolean): Meaning => {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/gu, '_')
    .replaceAll(/^_|_$/gu, '');
  const known = exact.get(plain);
  if (known !== undefined) {
    if (!closes) return known;
    if (known === 'channel') return 'channel end';
    return known === 'header' ? 'turn end' : 'nothing';
  }
  const words = plain.split('_');
  const isEnd = closes || words.some((word) => endWords.has(word));
  if (words.some((word) => callWords.has(word))) return isEnd ? 'call end' : 'call';
  if (words.some((word) => thoughtWords.has(word))) return isEnd ? 'thought end' : 'thought';
  if (words.some((word) => foreignWords.has(word))) return isEnd ? 'nothing' : 'foreign turn';
  const endsTurn = words.some((word) => turnEnds.has(word));
  return endsTurn && words.every((word) => turnEnds.has(word) || turnEndWords.has(word))
    ? 'turn end'
    : 'nothing';
};

const callTag =
  /^(?:(?:start_|end_|use_|call_|execute_|longcat_|mcp_)?(?:tools?|functions?|invoke|mcp_tool)(?:_?(?:calls?|use|uses|code|input|name|responses?|results?|outputs?|request|sep))?)$/;
const argumentTag = /^(?:parameters?|(?:longcat_)?arg_(?:key|value)|tool_arg(?:ument)?s?)$/;
const thoughtTag =
  /^(?:think|thinking|thoughts?|reasoning|reasoning_content|reflection|scratch_?pad|(?:inner|internal)_monologue|analysis|antthinking)$/;
const answerTag = /^(?:final_)?(?:answer|response|solution)$/;
const turnTag =
  /^(?:start_of_turn|end_of_turn|end_of_utterance|bos|eos|pad|unk|endoftext|unused\d{1,4}|extra_id_\d{1,4}|reserved_\d{1,4})$/;

/** Returns the meaning of a tag. `undefined` for a tag that is in no template: HTML, SSML, a control or text. */
export const meaningOfTag = (name: string, closes: boolean): Meaning | undefined => {
  const [, namespace = '', plain = ''] = /^(?:([a-z]\w*):)?(.*)$/u.exec(name.toLowerCase()) ?? [];
  if (argumentTag.test(plain)) return closes ? 'nothing' : 'argument';
  if (callTag.test(plain)) return closes || plain.startsWith('end_') ? 'call end' : 'call';
  if (thoughtTag.test(plain)) return closes ? 'thought end' : 'thought';
  if (answerTag.test(plain)) return 'nothing';
  if (plain === 's') return closes ? 'sequence end' : 'sequence';
  if (!turnTag.test(plain)) return undefined;
  if (plain === 'bos') return namespace === '' ? 'nothing' : 'header';
  return meaningOfToken(plain, closes);
};

const bracketCall = /^(?:end_)?tool_(?:calls?|requests?|results?|content)$/;
const bracketThought = setOf('THINK THINKING REASONING THOUGHT');

/** Returns the meaning of text in brackets; `undefined` for other text. */
export const meaningOfBrackets = (name: string, closes: boolean): Meaning | undefined => {
  const plain = name.toLowerCase();
  if (bracketCall.test(plain)) return closes || plain.startsWith('end_') ? 'call end' : 'call';
  if (bracketThought.has(name)) return closes ? 'thought end' : 'thought';
  switch (name) {
    case 'ARGS':
    case 'CALL_ID':
      return 'call';
    case 'INST':
      return closes ? 'nothing' : 'foreign turn';
    case 'EOS':
      return 'turn end';
    case 'BOS':
    case 'PAD':
    case 'UNK':
      return 'nothing';
    default:
      return undefined;
  }
};
