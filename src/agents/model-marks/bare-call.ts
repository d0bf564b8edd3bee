/**
 * A tool call that a model wrote without any mark: `{"name": "find_order", "arguments": {…}}`, a list of such objects,
 * or `[find_order(id="B-2")]`. Other objects and lists are text. The parser takes one character at a time and examines
 * each once; the held-back text is bounded.
 */
export type BareCall = {
  /**
   * Adds a character. `call`: the text is a call and is removed as a whole. `text`: the text is not a call. Both
   * results end the text at this character.
   */
  add(character: string): 'open' | 'call' | 'text';
  /** Whether the text is known to be a call. */
  isCall(): boolean;
  /** Called at the end of the input. Returns whether the text is the beginning of a call. */
  isTornCall(): boolean;
};

/** Maximum number of characters in an object whose kind is unknown. */
const longestUnknown = 4_096;
const deepest = 64;

const setOf = (words: string): ReadonlySet<string> => new Set(words.split(' '));
const nameKeys = setOf(
  'name type function tool tool_name function_name action recipient_name tool_call tool_calls function_call tool_uses',
);
const argumentKeys = setOf(
  'arguments parameters args input tool_input action_input params kwargs tool_args function_args function',
);
/** A key that only tool calls have. */
const callKeys = setOf('tool_calls tool_uses function_call function_calls');

const opening: Readonly<Record<string, string>> = { '{': '}', '[': ']', '(': ')' };
const closings = new Set(Object.values(opening));

/**
 * Matches the beginning of a possible call. The character after a JSON object's brace is the quote of its first key.
 */
export const bareCallStart = {
  json: /(?:\[\s{0,16})?\{\s{0,64}(?=["'])/uy,
  jsonBegun: /(?:\[\s{0,16})?(?:\{\s{0,64})?$/uy,
  /** Call in Python's syntax: a list of calls, with named arguments or without arguments. */
  python: /\[\s{0,8}(?=[a-z_][\w.]{0,63}\((?:\)\s{0,8}[\],]|\s{0,8}[a-z_]\w{0,63}\s{0,4}=))/iuy,
  pythonBegun: /\[\s{0,8}(?:[a-z_][\w.]{0,63}(?:\((?:\)\s{0,8}|\s{0,8}(?:[a-z_]\w{0,63}\s{0,4})?)?)?)?$/iuy,
} as const;

/** Creates a parser. With `isCall`, the text is known to be a call, and only its end is searched. */
export const createBareCall = ({ isCall = false } = {}): BareCall => {
  const open: string[] = [];
  let length = 0;
  let quote = '';
  let isEscaped = false;
  let key = '';
  /** Whether the next text is a key of the object, or of an object in the list. */
  let awaitsKey = false;
  const keys = { name: false, argument: false };

  const noteKey = (): void => {
    awaitsKey = false;
    if (keys.name && argumentKeys.has(key)) keys.argument = true;
    else if (nameKeys.has(key)) keys.name = true;
    else if (argumentKeys.has(key)) keys.argument = true;
    isCall ||= callKeys.has(key) || (keys.name && keys.argument);
  };

  const inText = (character: string): void => {
    if (isEscaped) isEscaped = false;
    else if (character === '\\') isEscaped = true;
    else if (character === quote) {
      quote = '';
      if (awaitsKey) noteKey();
    } else if (awaitsKey && key.length < 32) key += character;
  };

  /** Whether the current keys belong to the object itself: the outermost object, or an outermost object in a list. */
  const isAtKeys = (): boolean =>
    open.at(-1) === '}' && (open.length === 1 || (open.length === 2 && open[0] === ']'));

  const outside = (character: string): boolean => {
    if (character === '"' || character === "'") {
      quote = character;
      key = '';
    } else if (character in opening) {
      open.push(opening[character] ?? '');
      awaitsKey = isAtKeys();
    } else if (closings.has(character)) return open.pop() === character;
    else if (character === ',') awaitsKey = isAtKeys();
    // Outside of strings, JSON contains only numbers and three literals.
    else return isCall || /[\s:\w.+-]/u.test(character);
    return open.length <= deepest;
  };

  return {
    add(character) {
      length += 1;
      if (quote !== '') inText(character);
      else if (!outside(character)) return isCall ? 'call' : 'text';
      if (open.length === 0) return isCall ? 'call' : 'text';
      if (isCall || length < longestUnknown) return 'open';
      isCall = keys.name || keys.argument;
      return isCall ? 'open' : 'text';
    },
    isCall: () => isCall,
    isTornCall: () => isCall || keys.name || keys.argument,
  };
};
