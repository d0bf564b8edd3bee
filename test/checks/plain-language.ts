/**
 * Finds phrases that hide the subject of a sentence, at the beginning of comments and test titles, and of each later
 * sentence of a comment. Reads the text line by line, without a parser: a comment counts when it has lines of its own.
 */

type Kind = 'comment' | 'doc comment' | 'title';

export type Phrase = { kind: Kind; line: number; text: string };

export type Finding = Phrase & { path: string; rule: string };

const openings =
  /^(?:who(?:ever|m|se)?|what(?:ever)?|nobody|nothing|neither|none|which|it|they|those|of|(?:from|by|for|to|in|on|with) (?:which|whom|whose)|from where)\b/i;

const verbs = /^(?:tells?|told|says?|asked|(?:is|are|was|were) (?:told|said|asked))\b/i;

/** Openings of later sentences, which a reader understands only with the sentence before. "Of two, …" is permitted. */
const laterOpenings =
  /(?<=[.!?] |[.!?:;] - )(?:Who(?:ever|m|se)?|What(?:ever)?|Nobody|Nothing|None|Which|It|They|Them|Those|Of the)\b/;

const laterOpening = (text: string): string | undefined =>
  laterOpenings.exec(
    text
      .split(' ')
      .filter((word) => word !== '')
      .join(' '),
  )?.[0];

/** Returns the rule that a phrase breaks; undefined if it is fine. */
export const brokenRule = ({ kind, text }: Pick<Phrase, 'kind' | 'text'>): string | undefined => {
  const opening = openings.exec(text)?.[0];
  if (opening !== undefined)
    return `a ${kind} does not begin with "${opening}": name the thing, then say what it does`;
  const verb = kind === 'doc comment' ? verbs.exec(text)?.[0] : undefined;
  if (verb !== undefined)
    return `a ${kind} does not begin with "${verb}": code returns, emits, logs, reads or requests`;
  const later = kind === 'title' ? undefined : laterOpening(text);
  if (later !== undefined) return `no sentence of a ${kind} begins with "${later}": name the thing again`;
  return undefined;
};

const commentsIn = (lines: readonly string[]): Phrase[] => {
  const found: Phrase[] = [];
  for (let index = 0; index < lines.length; index++) {
    const first = lines[index]?.trim() ?? '';
    const from = index;
    if (first.startsWith('/*')) {
      while (index < lines.length - 1 && !lines[index]?.includes('*/')) index++;
      const words = lines
        .slice(from, index + 1)
        .map((line) => line.trim().replace(/^(?:\/\*\*?|\*(?!\/)) ?/, ''));
      const text = words
        .join(' ')
        .replace(/\*\/.*$/, '')
        .trim();
      found.push({ kind: first.startsWith('/**') ? 'doc comment' : 'comment', line: from + 1, text });
    } else if (first.startsWith('//')) {
      while (lines[index + 1]?.trim().startsWith('//')) index++;
      const text = lines.slice(from, index + 1).map((line) => line.trim().slice(2).trim());
      found.push({ kind: 'comment', line: from + 1, text: text.join(' ') });
    }
  }
  return found;
};

/** `test('…')`, `test.serial(macro, '…')` and `title: '…'`. */
const titles =
  /\b(?:test(?:\.\w+)*\(\s*(?:\w+,\s*)?|title: (?:\([^()\n]*\) => )?)(?<quote>['"`])(?<text>(?:\\.|(?!\k<quote>).)*)\k<quote>/gs;

const titlesIn = (text: string): Phrase[] =>
  [...text.matchAll(titles)].map(({ index, groups }) => ({
    kind: 'title',
    line: text.slice(0, index).split('\n').length,
    text: groups?.['text'] ?? '',
  }));

/** Returns every comment of a source file, and the titles if it is a test. */
export const phrasesIn = (path: string, text: string): Phrase[] => [
  ...commentsIn(text.split('\n')),
  ...(path.startsWith('test/') ? titlesIn(text) : []),
];

export const findingsIn = (path: string, text: string): Finding[] =>
  phrasesIn(path, text).flatMap((phrase) => {
    const rule = brokenRule(phrase);
    return rule === undefined ? [] : [{ ...phrase, path, rule }];
  });

/** Formats a finding as one line for the report of a failed check. */
export const described = ({ path, line, text, rule }: Finding): string =>
  `${path}:${line}: ${text.slice(0, 100)} (${rule})`;
